/**
 * The tools and a call of one: every method of the hub whose row has a tool, and waiting for a task. Not among them: what
 * only a person does (deciding requests and reviews, clearing a conversation), and care of the home. Invariant 1: every call
 * goes to the hub, which decides and records. Invariant 2: what the hub refuses is a result that says why and what to do,
 * with the path of a wrong field. Invariant 3: a wait is outside the hub, so that no other call waits for it; it ends with
 * its time, with the request and with the task's file.
 */
import { z } from 'zod'
import type { TaskStatus } from '../../domain/task/task.ts'
import { checkParameters } from '../../hub/check-parameters.ts'
import type { Method } from '../../hub/env.ts'
import { HUB_CODES, HubError } from '../../hub/hub.ts'
import { METHODS, type MethodName } from '../../hub/method-table.ts'
import { type TaskView, taskId } from '../../hub/views/shapes.ts'
import { rpcErrorOf } from '../shared/json-rpc.ts'
import {
  type Asked,
  fitted,
  forModels,
  type McpHome,
  resultFor,
  type Tool,
  task as taskShape,
  toolName,
} from './mcp-tool.ts'

/** Under the minute after which most clients give a call up. */
const USUAL_S = 45
const MOST_S = 600

export const WAIT: Tool = {
  method: 'task.get',
  name: 'neo_task_wait',
  title: 'Wait for a task',
  description:
    'Wait until a task is completed, failed or cancelled, or waits for a person (review, blocked, draft). If `ended` is false, the time ran out first: call again, or do something else.',
  effect: 'reads',
  params: z.strictObject({
    taskId,
    seconds: z.int().min(1).max(MOST_S).default(USUAL_S).describe('How long to wait at most'),
  }),
  result: z.object({ ended: z.boolean(), task: taskShape }),
  run: async (home, { taskId: id, seconds }, asked) =>
    await waitFor(home, { id: String(id), ms: Number(seconds) * 1000 }, asked),
}

/** What goes on by itself; everything else is over, or the user's. */
const GOING: ReadonlySet<TaskStatus> = new Set<TaskStatus>(['pending', 'in_progress'])

interface Waited {
  readonly ended: boolean
  readonly task: TaskView
}

async function waitFor(
  { hub, principal }: McpHome,
  { id, ms }: { readonly id: string; readonly ms: number },
  { signal, progress }: Asked,
): Promise<Waited> {
  const first = (await hub.call(principal, 'task.get', { taskId: id })) as TaskView
  let last = first
  let rest = (): void => {}
  let fail = (_: HubError): void => {}
  const over = new Promise<void>((resolve, reject) => {
    rest = resolve
    fail = reject
  })
  over.catch(() => {})
  const stop = await hub.subscribe(principal, { channel: `room:${first.roomId}:state` }, ({ data }) => {
    const found = taskIn(data, last)
    if (found === 'gone') return fail(new HubError(HUB_CODES.missing, `The task "${id}" was deleted`))
    if (found === null) return
    last = found
    progress(last.progress, last.currentStep ?? last.status)
    if (!GOING.has(last.status)) rest()
  })
  const timer = setTimeout(rest, ms)
  signal.addEventListener('abort', rest)
  try {
    if (GOING.has(last.status) && !signal.aborted) await over
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', rest)
    stop()
  }
  return { ended: !GOING.has(last.status), task: last }
}

interface Data {
  readonly snapshot?: { readonly tasks?: Tasks }
  readonly change?: {
    readonly set: { readonly tasks?: Tasks }
    readonly gone: { readonly tasks?: readonly string[] }
  }
}
type Tasks = Readonly<Record<string, TaskView>>

/** The task as an event has it; null if it says nothing of it. A file gets its id while it is waited for. */
function taskIn(data: unknown, { id, path }: TaskView): TaskView | 'gone' | null {
  const { snapshot, change } = data as Data
  const tasks = Object.values(snapshot?.tasks ?? change?.set.tasks ?? {})
  const found = tasks.find((one) => (id !== null && one.id === id) || one.path === path)
  if (found !== undefined) return found
  return snapshot !== undefined || change?.gone.tasks?.includes(id ?? path) === true ? 'gone' : null
}

export const TOOLS: readonly Tool[] = METHODS.flatMap((row) => {
  const tool = toolOf(row as unknown as Method<MethodName>)
  return tool === null ? [] : row.name === 'task.get' ? [tool, WAIT] : [tool]
})

function toolOf({ tool, ...row }: Method<MethodName>): Tool | null {
  if (tool === undefined) return null
  const sentences = [`${row.summary}.`, row.details, tool.note].filter((text) => text !== undefined)
  return {
    ...tool,
    name: toolName(row.name),
    method: row.name,
    title: row.summary,
    description: forModels(sentences.join(' ')),
    params: row.params,
    result: resultFor({ ...row, tool }),
  }
}

interface ToolAnswer {
  [key: string]: unknown
  content: { type: 'text'; text: string }[]
  structuredContent?: Record<string, unknown>
  isError?: true
}

const BY_NAME: ReadonlyMap<string, Tool> = new Map(TOOLS.map((tool) => [tool.name, tool]))

export function findTool(name: string): Tool | null {
  return BY_NAME.get(name) ?? null
}

/** Never throws. */
export async function callTool(
  home: McpHome,
  tool: Tool,
  { params: given, ...asked }: Asked & { readonly params: Readonly<Record<string, unknown>> },
): Promise<ToolAnswer> {
  const params = tool.limit === undefined ? given : { limit: tool.limit, ...given }
  try {
    const result = await (tool.run === undefined
      ? home.hub.call(home.principal, tool.method, params)
      : tool.run(home, paramsOf(tool, params), asked))
    const structuredContent = fitted(tool, result, params['limit'])
    return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
  } catch (error) {
    return { content: [{ type: 'text', text: failureText(error) }], isError: true }
  }
}

function paramsOf(
  { name, params }: Tool,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return checkParameters(name, params as z.ZodType<Readonly<Record<string, unknown>>>, given)
}

/** What a model reads: the reason, and what follows from it. */
function failureText(error: unknown): string {
  const { code, message } = rpcErrorOf(error)
  const ask = askOf(error)
  if (ask !== null)
    return `${message}. Nothing was changed. The call is carried out when a person approves it (neo ask approve ${ask}). Do not call again; tell your user that the request is pending`
  return code === HUB_CODES.denied ? `${message}. Do not call again` : message
}

/** The ask that a call became. */
function askOf(error: unknown): string | null {
  if (!(error instanceof HubError) || error.code !== HUB_CODES.denied) return null
  const { data } = error
  return typeof data === 'object' && data !== null && 'ask' in data ? String(data.ask) : null
}
