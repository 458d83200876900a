/** What the page's lists show: tasks as cards, and the inbox of what needs a person. */
import type { AskFile, Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import { needsOf } from '../../domain/plan/needs.ts'
import type { UsageSum } from '../../domain/budget/usage-sum.ts'
import { type Task, workerText } from '../../domain/task/task.ts'
import { viewAsk, viewCost } from '../views/views.ts'
import { changeBetween, type State } from './state-change.ts'

/**
 * A card holds no text of the task, and leaves out what is null, empty or `normal`: a room of 10,000 tasks is sent to
 * each browser that opens it.
 */
export type CardView = Pick<FullCard, 'id' | 'roomId' | 'name' | 'title' | 'status'> & Partial<FullCard>

export interface FullCard {
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
  const { priority, labels, dependsOn } = task
  const note = firstLine(neo.error ?? neo.result)
  const card: CardView = {
    id: neo.id ?? path,
    roomId: room,
    name,
    title: task.title,
    status: task.status,
    ...(priority === 'normal' ? {} : { priority }),
    ...(task.worker === undefined ? {} : { worker: workerText(task.worker) }),
    ...(labels.length === 0 ? {} : { labels }),
    ...(dependsOn.length === 0 ? {} : { dependsOn }),
    ...(note === null ? {} : { note }),
    ...present({ due: task.due, sessionId: neo.session, attempt: neo.attempt, progress: neo.progress }),
    ...present({ currentStep: neo.currentStep, startedAt: neo.startedAt, completedAt: neo.completedAt }),
    ...present({ blocked: neo.blocked, retryAt: neo.retryAt, branch: neo.branch }),
  }
  cards.set(file, card)
  return card
}

type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> }

function present<T extends object>(values: T): Present<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Present<T>
}

const MOST_NOTE = 200

function firstLine(text: string | undefined): string | null {
  const [line = ''] = (text ?? '').trim().split('\n')
  // The page has buttons instead of commands.
  const plain = line.replace(/: neo [a-z]+ .*$/, '')
  return plain === '' ? null : plain.slice(0, MOST_NOTE)
}

interface RoomSources {
  readonly brief: (snapshot: Snapshot, room: string) => unknown
  /** By task id. */
  readonly costs: () => ReadonlyMap<string, UsageSum>
}

/**
 * The channel `room:ID:tasks`: the room, its cards, and what their model calls have cost. A file that didn't change has
 * the same card, so 10,000 tasks are compared in a few ms.
 */
export function openRoomCards(room: string, { brief, costs }: RoomSources) {
  let seen: Snapshot['tasks'] | null = null
  let cards: State[string] = {}
  let told: State = {}
  return {
    /** How it differs from the call before; null: it doesn't. */
    next(snapshot: Snapshot): unknown {
      if (snapshot.tasks !== seen)
        cards = byId([...snapshot.tasks.values()].filter((file) => file.room === room))
      seen = snapshot.tasks
      const before = told
      const own = [...costs()].filter(([id]) => Object.hasOwn(cards, id))
      told = {
        room: { [room]: brief(snapshot, room) },
        tasks: cards,
        costs: Object.fromEntries(own.map(([id, sum]) => [id, viewCost(sum)])),
      }
      return changeBetween(before, told)
    },
    state: () => told,
  }
}

const counts = new WeakMap<Snapshot['tasks'], ReadonlyMap<string, Partial<Record<Task['status'], number>>>>()

/** By room, then by status: in one pass for all rooms. */
export function countTasks(tasks: Snapshot['tasks']) {
  const known = counts.get(tasks)
  if (known !== undefined) return known
  const made = new Map<string, Partial<Record<Task['status'], number>>>()
  for (const { room, task } of tasks.values()) {
    const own = made.get(room) ?? {}
    own[task.status] = (own[task.status] ?? 0) + 1
    made.set(room, own)
  }
  counts.set(tasks, made)
  return made
}

function byId(files: readonly TaskFile[]): Record<string, CardView> {
  return Object.fromEntries(files.map((file) => [file.task.neo.id ?? file.path, viewCard(file)]))
}

/** What needs a person, for somebody who sees these rooms. */
export function inboxState(snapshot: Snapshot, isSeen: (room: string) => boolean, now: number): State {
  const { asks, reviews, yours, blocked, failed } = needsOf(snapshot, isSeen, now)
  return {
    requests: requestsOf(snapshot, asks),
    reviews: byId(reviews),
    yours: byId(yours),
    blocked: byId(blocked),
    failed: byId(failed),
    problems: problemsOf(snapshot, isSeen),
  }
}

/** Each with the title of its task, which the person decides about. */
function requestsOf({ tasks }: Snapshot, asks: readonly AskFile[]): Record<string, unknown> {
  const wanted = new Set(asks.map(({ ask }) => ask.task))
  const titles = new Map<string | undefined, string>()
  if (asks.length > 0)
    for (const { task } of tasks.values()) if (wanted.has(task.neo.id)) titles.set(task.neo.id, task.title)
  return Object.fromEntries(
    asks.map((file) => [file.ask.id, { ...viewAsk(file), taskTitle: titles.get(file.ask.task) ?? null }]),
  )
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
