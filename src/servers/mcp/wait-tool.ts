/**
 * Waiting for a task: the one tool that is no single call of the hub, but a look and a subscription. Invariant 1: it
 * waits beside the hub, never in it, so that nobody else waits for it. Invariant 2: it ends with its time, with the
 * request, and with the task's file.
 */
import { z } from 'zod'
import type { TaskStatus } from '../../domain/task/task.ts'
import { HUB_CODES, HubError } from '../../hub/hub.ts'
import { taskId, type TaskView } from '../../hub/views/shapes.ts'
import type { McpHome } from './mcp-home.ts'
import { task as taskShape } from './shown.ts'
import type { Asked, Tool } from './mcp-tool.ts'

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
