/**
 * `neo task new`: one new file, `<slug>--<id>.md`, in a room's `tasks/`. Invariant 1: a text that would not read back as
 * a task is refused, not written.
 */
import { isoSecond } from '../../files/values/times.ts'
import { composeRandom } from '../../compose.ts'
import { NeoError } from '../../domain/home/error.ts'
import type { Priority } from '../../domain/task/task.ts'
import { type Json, renderDocument } from '../../files/edit/edit-header.ts'
import { firstHeading } from '../../files/body/markdown.ts'
import { newFileName } from '../../files/kinds/new-task.ts'
import type { ParamsOf } from '../../hub/method-table.ts'
import { usage } from '../cli-failure.ts'
import { withHub } from '../rpc/with-hub.ts'
import { type Call, firstOf } from '../spec.ts'
import { readStdin } from '../stdin.ts'
import { givenWorker, oneLineTitle, readBack } from './task-fields.ts'
import { type Desk, openDesk } from './task-access.ts'
import { roomNames } from './task-paths.ts'
import { shownView } from './task-cells.ts'

interface Draft {
  readonly room: string
  readonly id: string
  readonly at: string
  readonly text: string
}

export async function create(call: Call): Promise<number> {
  const desk = await openDesk(call)
  const room = roomFor(call, desk)
  const text = firstOf(call) === '-' ? await readStdin(call.around.stdin) : firstOf(call)
  await sayMissing(call, desk)
  const draft = await drafted(call, desk, { room, text })
  const view = await withHub(call, async (hub) =>
    call.text('template') === null
      ? await hub.call('task.create', createOf(call, draft))
      : await hub.call('template.run', await runOf(call, draft)),
  )
  const { path, data } = shownView(view)
  call.out.data('task.new', data)
  call.out.line(path)
  return 0
}

type Wanted = Pick<Draft, 'room' | 'text'>

/** The text of a task, which would read back as one. */
async function drafted(call: Call, desk: Desk, { room, text }: Wanted) {
  const at = isoSecond(desk.shelf.now)
  const draft = { room, id: composeRandom().id('t'), at, text }
  const source = call.text('template') === null ? plain(call, draft) : await filled(call, desk, draft)
  const path = `rooms/${room}/tasks/${newFileName(source.title, draft.id)}.md`
  return { path, ...draft, source, task: readBack(path, source.text, desk.zone) }
}

type Drafted = Awaited<ReturnType<typeof drafted>>

function createOf(call: Call, { room, source, text }: Drafted): ParamsOf<'task.create'> {
  const { depends_on: dependsOn, ...said } = given(call)
  return {
    roomId: room,
    title: source.title,
    description: text,
    ...said,
    ...(dependsOn === undefined ? {} : { dependsOn }),
  }
}

async function runOf(call: Call, { room }: Drafted): Promise<ParamsOf<'template.run'>> {
  const { valuesOf } = await import('./task-template.ts')
  const { depends_on: dependsOn, ...said } = given(call)
  const title = call.text('title')
  return {
    roomId: room,
    name: call.text('template') ?? '',
    params: valuesOf(call.all('param')),
    ...said,
    ...(title === null ? {} : { title: oneLineTitle(title) }),
    ...(dependsOn === undefined ? {} : { dependsOn }),
  }
}

function roomFor(call: Call, { home, files }: Desk): string {
  const room = call.text('room') ?? 'lobby'
  const rooms = roomNames(home, files)
  if (rooms.includes(room)) return room
  throw new NeoError('missing', `Cannot make a task in the room "${room}": there is no such room`, {
    why: rooms.length === 0 ? 'this home has no rooms yet' : `there are: ${rooms.join(', ')}`,
    next: 'neo room new NAME',
  })
}

interface Source {
  readonly title: string
  readonly text: string
}

function plain(call: Call, draft: Draft): Source {
  const title = oneLineTitle(call.text('title') ?? firstHeading(draft.text) ?? firstLine(draft.text))
  if (title === '') throw usage('Cannot make a task: it has no title', "say --title 'What is wanted'")
  const body = draft.text === '' || draft.text.endsWith('\n') ? draft.text : `${draft.text}\n`
  const text = renderDocument({ title, ...given(call), ...block(draft) }, body)
  return { title, text }
}

function firstLine(text: string): string {
  return text.split(/\r?\n/).find((line) => line.trim() !== '') ?? ''
}

interface Given {
  readonly status: 'draft' | 'pending'
  readonly priority?: Priority
  readonly depends_on?: string[]
  readonly worker?: string
  readonly labels?: string[]
}

/** The fields that were said, in the order of the format; the status always, so that it can be edited. */
function given(call: Call): Given {
  const [worker, priority] = [givenWorker(call), call.text('priority') as Priority | null]
  const [after, labels] = [call.all('dependsOn'), call.all('label')]
  return {
    status: call.text('status') === 'draft' ? 'draft' : 'pending',
    ...(priority === null ? {} : { priority }),
    ...(after.length === 0 ? {} : { depends_on: [...after] }),
    ...(worker === null ? {} : { worker }),
    ...(labels.length === 0 ? {} : { labels: [...labels] }),
  }
}

function block({ id, at }: Draft): { neo: Record<string, string> } {
  return { neo: { id, created_at: at, created_by: 'human' } }
}

async function filled(call: Call, desk: Desk, draft: Draft): Promise<Source> {
  if (draft.text !== '')
    throw usage('Cannot take a text beside --template: the template is the text', 'leave one of both out')
  const { fromTemplate } = await import('./task-template.ts')
  const title = call.text('title')
  const set = { ...(title === null ? {} : { title: oneLineTitle(title) }), ...given(call) }
  return fromTemplate(desk, {
    name: call.text('template') ?? '',
    params: call.all('param'),
    set: set as Record<string, Json>,
    ...block(draft),
  })
}

/** A name that means nothing yet is allowed: the task waits for it. */
async function sayMissing(call: Call, desk: Desk): Promise<void> {
  for (const name of call.all('dependsOn')) {
    try {
      await desk.find(name)
    } catch (error) {
      if (!(error instanceof NeoError) || error.code !== 'missing') throw error
      call.out.note(`There is no task "${name}" yet: the new one waits for it.`)
    }
  }
}
