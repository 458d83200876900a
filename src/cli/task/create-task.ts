/**
 * `neo task new`: one new file, `<slug>--<id>.md`, in a room's `tasks/`.
 */

import type { HubClient } from '../../client/hub-client.ts'
import { NeoError } from '../../domain/home/error.ts'
import { firstHeading } from '../../files/body/markdown.ts'
import { titleLine } from '../../files/kinds/new-task.ts'
import type { ParamsOf } from '../../hub/method-table.ts'
import type { TaskView } from '../../hub/views/shapes.ts'
import { usage } from '../cli-failure.ts'
import { paramsOf } from '../option-values.ts'
import { withHub } from '../rpc/with-hub.ts'
import { type Call, firstOf } from '../spec.ts'
import { readStdin } from '../stdin.ts'
import { shownView } from './task-cells.ts'
import { dependencies, openTaskLookup, type TaskLookup } from './task-lookup.ts'
import { roomNames } from './task-paths.ts'

export async function create(call: Call): Promise<number> {
  const lookup = await openTaskLookup(call)
  const room = roomFor(call, lookup)
  const text = firstOf(call) === '-' ? await readStdin(call.around.stdin) : firstOf(call)
  const fields = await fieldsOf(call, lookup)
  const made =
    call.text('template') === null ? plain({ room, text, fields }) : filled(call, { room, text, fields })
  const { path, data } = shownView(await withHub(call, made))
  call.out.data('task.new', data)
  call.out.line(path)
  return 0
}

type Fields = Omit<ParamsOf<'task.create'>, 'roomId' | 'title' | 'description'> & { title?: string }

interface Draft {
  readonly room: string
  readonly text: string
  readonly fields: Fields
}

type Making = (hub: HubClient) => Promise<TaskView>

function plain({ room, text, fields }: Draft): Making {
  const title = titleLine(fields.title ?? firstHeading(text) ?? firstLine(text))
  if (title === '') throw usage('Cannot create a task without a title', "add --title 'What to do'")
  const params = { ...fields, roomId: room, title, description: text }
  return (hub) => hub.call('task.create', params, 'neo task new --help')
}

function filled(call: Call, { room, text, fields: { title, ...fields } }: Draft): Making {
  if (text !== '')
    throw usage('Cannot take a text with --template: the template is the text', 'leave one of the two out')
  const params = {
    ...fields,
    roomId: room,
    name: call.text('template') ?? '',
    params: valuesOf(call.all('param')),
    ...(title === undefined ? {} : { title: titleLine(title) }),
  }
  return (hub) => hub.call('template.run', params, 'neo task new --help')
}

function roomFor(call: Call, { home, files }: TaskLookup): string {
  const room = call.text('room') ?? 'lobby'
  const rooms = roomNames(home, files)
  if (rooms.includes(room)) return room
  throw new NeoError('missing', `Cannot create a task in the room "${room}": no room has this name`, {
    why: rooms.length === 0 ? 'this home has no rooms yet' : `the rooms are: ${rooms.join(', ')}`,
    next: 'neo room new NAME',
  })
}

function firstLine(text: string): string {
  return text.split(/\r?\n/).find((line) => line.trim() !== '') ?? ''
}

/** The status always, so that it can be edited. */
async function fieldsOf(call: Call, lookup: TaskLookup): Promise<Fields> {
  const dependsOn = await dependencies(call, lookup)
  const given = paramsOf<Fields>(call)
  return { status: 'pending', ...given, ...(dependsOn.length === 0 ? {} : { dependsOn: [...dependsOn] }) }
}

/** Throws NeoError `usage` for what is not `NAME=VALUE`. */
function valuesOf(params: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    params.map((param) => {
      const at = param.indexOf('=')
      if (at < 1) throw usage(`Cannot take the parameter "${param}": want NAME=VALUE`, '--param folder=docs')
      return [param.slice(0, at), param.slice(at + 1)]
    }),
  )
}
