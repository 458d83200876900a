/** What the page's lists show: tasks as cards, and the inbox of what needs a person. */
import type { Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import { needsOf } from '../../domain/plan/needs.ts'
import { type Task, workerText } from '../../domain/task/task.ts'
import { viewAsk } from '../views/views.ts'

/** Sections of items by id, as in states.ts. */
type State = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** A card holds no text of the task, so that a room of 10,000 tasks stays a few MB. */
export interface CardView {
  /** `t-…`; the path until Neo has adopted the file. */
  readonly id: string
  readonly roomId: string
  readonly name: string
  readonly title: string
  readonly status: Task['status']
  readonly priority: Task['priority']
  /** Null: the room's. */
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
  /** The first line of the error, else of the result. */
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

/** What needs a person, for somebody who sees these rooms. */
export function inboxState(snapshot: Snapshot, isSeen: (room: string) => boolean, now: number): State {
  const { asks, reviews, yours, blocked, failed } = needsOf(snapshot, isSeen, now)
  return {
    requests: Object.fromEntries(asks.map((file) => [file.ask.id, viewAsk(file)])),
    reviews: byId(reviews),
    yours: byId(yours),
    blocked: byId(blocked),
    failed: byId(failed),
    problems: problemsOf(snapshot, isSeen),
  }
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
