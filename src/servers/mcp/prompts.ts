/**
 * The home's templates of tasks as prompts: what a user picks in their editor, and what their model gets then.
 * Invariant 1: a prompt makes nothing: it tells the model which tool to call.
 */
import type { ResultOf } from '../../hub/method-table.ts'
import type { McpHome } from './mcp-tool.ts'
import { completePlace } from './resources.ts'

interface Prompt {
  [key: string]: unknown
  name: string
  title: string
  description: string
  arguments: { name: string; description: string; required: boolean }[]
}

interface Filled {
  [key: string]: unknown
  description: string
  messages: { role: 'user'; content: { type: 'text'; text: string } }[]
}

/** Where the task goes; a template that has a parameter of this name has it instead. */
const ROOM = 'room'

export async function listPrompts(home: McpHome): Promise<{ [key: string]: unknown; prompts: Prompt[] }> {
  return { prompts: (await templatesOf(home)).map(promptOf) }
}

type Template = ResultOf<'template.list'>[number]

async function templatesOf({ hub, principal }: McpHome): Promise<readonly Template[]> {
  return (await hub.call(principal, 'template.list', {})) as ResultOf<'template.list'>
}

function promptOf({ name, title, params }: Template): Prompt {
  const own = params.map(({ name: param, description, default: otherwise, type }) => ({
    name: param,
    description: [description || type, ...(otherwise === null ? [] : [`default: ${otherwise}`])].join('; '),
    required: otherwise === null,
  }))
  const room = {
    name: ROOM,
    description: 'The room of the task. Default: the room that fits',
    required: false,
  }
  const isTaken = params.some((param) => param.name === ROOM)
  return {
    name,
    title,
    description: `Create a task: ${title}`,
    arguments: isTaken ? own : [...own, room],
  }
}

/** Throws HubError: `missing` for a name, `params` for values. */
export async function fillPrompt(
  home: McpHome,
  name: string,
  given: Readonly<Record<string, string>>,
): Promise<Filled> {
  const template = (await templatesOf(home)).find((one) => one.name === name)
  const isTaken = template?.params.some((param) => param.name === ROOM) === true
  const { [ROOM]: room, ...others } = given
  const params = isTaken ? given : others
  const { hub, principal } = home
  const filled = (await hub.call(principal, 'template.fill', { name, params })) as ResultOf<'template.fill'>
  const roomId = isTaken || room === undefined || room === '' ? null : room
  return {
    description: filled.title,
    messages: [{ role: 'user', content: { type: 'text', text: said(filled, { name, params, roomId }) } }],
  }
}

interface Wanted {
  readonly name: string
  readonly params: Readonly<Record<string, string>>
  readonly roomId: string | null
}

function said({ title, description }: ResultOf<'template.fill'>, { name, params, roomId }: Wanted): string {
  const call = JSON.stringify({ roomId: roomId ?? '<a room from neo_room_list>', name, params })
  return `Create this task in Neo Rooms: call neo_template_run with ${call}. Then tell me its id and its status.

The task will say:

${`# ${title}\n\n${description}`
  .trim()
  .split('\n')
  .map((line) => `> ${line}`.trimEnd())
  .join('\n')}`
}

/** Rooms for the room; the rest is the user's. Throws HubError. */
export async function completePrompt(
  home: McpHome,
  name: string,
  { name: argument, value }: { readonly name: string; readonly value: string },
): Promise<readonly string[]> {
  const template = (await templatesOf(home)).find((one) => one.name === name)
  const param = template?.params.find((one) => one.name === argument)
  if (param?.type === 'boolean') return ['true', 'false'].filter((one) => one.startsWith(value))
  if (template === undefined || param !== undefined || argument !== ROOM) return []
  return await completePlace(home, 'room', { value, room: undefined })
}
