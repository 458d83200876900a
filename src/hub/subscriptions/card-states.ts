/** What the page's lists show: tasks as cards, and the inbox of what needs a person. */
import { settingsOf } from '../../domain/task/task-settings.ts'
import type { Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import { workerText } from '../../domain/task/task.ts'
import { viewAsk } from '../views/views.ts'

/** Sections of items by id, as in states.ts. */
type State = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** A card holds no text of the task, so that a room of 10,000 tasks stays a few MB. */
export interface CardView {
  readonly id: string
  readonly roomId: string
  readonly name: string
  readonly title: string
  readonly status: string
  readonly priority: string
  readonly worker: string | null
  readonly labels: readonly string[]
  readonly dependsOn: readonly string[]
  readonly due: string | null
  readonly sessionId: string | null
  readonly attempt: number | null
  readonly progress: number | null
  readonly currentStep: string | null
  readonly startedAt: string | null
  readonly completedAt: string | null
  readonly blocked: string | null
  readonly retryAt: string | null
  readonly note: string | null
  readonly branch: string | null
}

/** By task file: a file that didn't change has the same card, which makes comparing quick. */
const cards = new WeakMap<TaskFile, CardView>()

export function viewCard(file: TaskFile): CardView {
  const known = cards.get(file)
  if (known !== undefined) return known
  const { task, room, name, path } = file
  const { neo } = task
  const card: CardView = {
    id: neo.id ?? path,
    roomId: room,
    name,
    title: task.title,
    status: task.status,
    priority: task.priority,
    worker: task.worker === undefined ? null : workerText(task.worker),
    labels: task.labels,
    dependsOn: task.dependsOn,
    due: task.due ?? null,
    sessionId: neo.session ?? null,
    attempt: neo.attempt ?? null,
    progress: neo.progress ?? null,
    currentStep: neo.currentStep ?? null,
    startedAt: neo.startedAt ?? null,
    completedAt: neo.completedAt ?? null,
    blocked: neo.blocked ?? null,
    retryAt: neo.retryAt ?? null,
    note: firstLine(neo.error ?? neo.result),
    branch: neo.branch ?? null,
  }
  cards.set(file, card)
  return card
}

const MOST_NOTE = 200

function firstLine(text: string | undefined): string | null {
  const [line = ''] = (text ?? '').trim().split('\n')
  // The page has buttons instead of commands.
  const plain = line.replace(/: neo [a-z]+ .*$/, '')
  return plain === '' ? null : plain.slice(0, MOST_NOTE)
}

export function roomCards(snapshot: Snapshot, room: string, brief: unknown): State {
  const files = [...snapshot.tasks.values()].filter((file) => file.room === room)
  return { room: { [room]: brief }, tasks: byId(files) }
}

function byId(files: readonly TaskFile[]): Record<string, CardView> {
  return Object.fromEntries(files.map((file) => [file.task.neo.id ?? file.path, viewCard(file)]))
}

/** Failures older than this are history. */
const RECENT_MS = 7 * 86_400_000

/** What needs a person, as in `neo status`, for somebody who sees these rooms. */
export function inboxState(snapshot: Snapshot, isSeen: (room: string) => boolean, now: number): State {
  const files = [...snapshot.tasks.values()].filter(({ room }) => isSeen(room))
  const isRecent = ({ task }: TaskFile) => (Date.parse(task.neo.completedAt ?? '') || 0) > now - RECENT_MS
  const asks = [...snapshot.asks.values()].filter(
    ({ ask, room }) =>
      isSeen(room) && ask.decision === 'pending' && ask.handledAt === undefined && ask.answer === undefined,
  )
  return {
    requests: Object.fromEntries(asks.map((file) => [file.ask.id, viewAsk(file)])),
    reviews: byId(files.filter(({ task }) => task.status === 'review')),
    yours: byId(files.filter((file) => file.task.status === 'in_progress' && isForHuman(snapshot, file))),
    blocked: byId(files.filter(({ task }) => task.status === 'blocked' && waitsForStart(task.neo.blocked))),
    failed: byId(files.filter((file) => file.task.status === 'failed' && isRecent(file))),
    problems: problemsOf(snapshot, isSeen),
  }
}

function isForHuman(snapshot: Snapshot, { task, room }: TaskFile): boolean {
  return settingsOf(task, snapshot.rooms.get(room)?.room ?? null, snapshot.config).worker.kind === 'human'
}

/** A request or the interruption asks for itself; the others wait for a start. */
function waitsForStart(blocked: string | undefined): boolean {
  return blocked !== 'ask' && blocked !== 'interrupted'
}

function problemsOf({ problems }: Snapshot, isSeen: (room: string) => boolean): Record<string, unknown> {
  const seen = problems.filter(({ file }) => isSeen(/^rooms\/([^/]+)\//.exec(file)?.[1] ?? ''))
  return Object.fromEntries(
    seen.map(({ file, line, column, severity, message, hint }) => [
      `${file}:${line ?? ''}:${column ?? ''}:${message}`,
      { path: file, line, column, level: severity, message, hint },
    ]),
  )
}
