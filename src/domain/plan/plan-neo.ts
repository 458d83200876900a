/**
 * When Neo is woken: by a message, a failed task, a question of a session, and the end of work that it started.
 * Invariants: 1. nothing new, no turn: an idle home costs nothing; 2. one turn at a time in each room, for everything
 * that came in the meantime; 3. a cause has one turn, also if git takes back what says so in its file; 4. rooms with
 * `orchestrator: off` react only to messages; 5. at most WAKES_AN_HOUR wakes by what Neo itself started, while people always wake it; 6.
 * failures of one reply count once, because the model has not seen the first when it writes the second.
 */

import type { JsonObject } from '../agent/model-message.ts'
import { ENDED } from '../task/task.ts'
import type { Decision, Trigger } from './decision.ts'
import type { Facts, InboxFile, RoomFile, Snapshot, TaskFile } from './snapshot.ts'

interface Scene {
  readonly snapshot: Snapshot
  readonly facts: Facts
  readonly now: number
  readonly wake: (at: number) => void
}

/** Older ends are ignored, so that a home with its first model isn't asked about its past. */
const RECENT_MS = 24 * 3_600_000

export function decideNeo(scene: Scene): Decision[] {
  const { facts, snapshot } = scene
  if (facts.neo.ready === 'no') return []
  return [...snapshot.rooms.values()].flatMap((room) => decideRoom(room, scene))
}

function decideRoom({ name, room }: RoomFile, scene: Scene): Decision[] {
  const { facts, now, snapshot, wake } = scene
  const turn = facts.neo.turns.get(name)
  if (turn?.kind === 'done') return [{ kind: 'turned', room: name }]
  if (turn?.kind === 'busy' || room.status !== 'active' || facts.barred || facts.elsewhere !== null) return []
  const messages = [...snapshot.inbox.values()].filter((message) => message.room === name)
  const triggers = [
    ...messages.sort((a, b) => (a.path < b.path ? -1 : 1)).map((file) => ofMessage(file, facts)),
    ...(room.orchestrator === 'auto' ? ofWork(name, scene) : []),
  ]
  if (triggers.length === 0) return []
  // The limit is for wakes that Neo itself caused: people are answered at once.
  const isHeld =
    turn?.kind === 'waits' && now < turn.at && !(turn.brake === 'yes' && triggers.some(isByPerson))
  if (isHeld) {
    wake(turn.at)
    return []
  }
  return [{ kind: 'wake', room: name, triggers }]
}

/**
 * The same for a message whose file is not archived yet, or that git took back.
 * @param earlier how many of this name are in the archive
 */
export function messageKey({ path, hash }: Pick<InboxFile, 'path' | 'hash'>, earlier = 0): string {
  return `inbox:${path}@${hash}${earlier === 0 ? '' : `.${earlier}`}`
}

function ofMessage(file: InboxFile, { neo }: Facts): Trigger {
  const { room, from, text } = file
  return { key: messageKey(file, neo.earlier?.get(file.path)), room, kind: 'message', from, text }
}

/** What the room's tasks and sessions ask and report, in a fixed order. */
function ofWork(room: string, scene: Pick<Scene, 'snapshot' | 'facts' | 'now'>): Trigger[] {
  const tasks = [...scene.snapshot.tasks.values()].filter((file) => file.room === room)
  return [...questions(room, scene), ...tasks.flatMap((file) => ofTask(file, tasks, scene))]
}

function questions(room: string, { snapshot, facts }: Pick<Scene, 'snapshot' | 'facts'>): Trigger[] {
  return [...snapshot.asks.values()].flatMap(({ ask, room: where }): Trigger[] => {
    const key = `ask:${ask.id}`
    const open = ask.kind === 'question' && ask.handledAt === undefined && ask.answer === undefined
    const session = facts.sessions.get(ask.session ?? '')
    if (
      where !== room ||
      !open ||
      session === undefined ||
      session.state === 'ended' ||
      facts.neo.woken.has(key)
    )
      return []
    const { id, taskId } = session.record
    return [
      {
        key,
        room,
        kind: 'question',
        from: `session:${id}`,
        text: ask.reason,
        session: id,
        task: taskId,
        ask: ask.id,
      },
    ]
  })
}

/** The mark of an ended attempt, as in `neo.handled`. */
export function markOf({ task }: TaskFile): string {
  return `${task.status}@${task.neo.attempt ?? 0}`
}

/** Of each end: a person may set the same status again. */
export function endKey({ task: { status, neo } }: TaskFile): string {
  return `${status}:${neo.id}@${neo.attempt ?? 0}@${neo.completedAt}`
}

function ofTask(
  file: TaskFile,
  all: readonly TaskFile[],
  { now, facts }: Pick<Scene, 'now' | 'facts'>,
): Trigger[] {
  const { status, neo, title, worker } = file.task
  if (neo.id !== undefined && facts.neo.told?.has(neo.id) === true) return []
  if (!ENDED.has(status) || neo.id === undefined || neo.handled === markOf(file)) return []
  if (Date.parse(neo.completedAt ?? '') < now - RECENT_MS || neo.completedAt === undefined) return []
  const own = neo.createdBy === 'neo'
  const failed = status === 'failed' && worker?.kind !== 'human'
  const key = endKey(file)
  if ((!own && !failed) || facts.neo.woken.has(key)) return []
  const mine = all.filter(({ task }) => task.neo.createdBy === 'neo')
  const over = own && mine.every(({ task }) => ENDED.has(task.status))
  const said = neo.result ?? neo.error ?? 'no result given'
  return [
    {
      key,
      room: file.room,
      kind: failed ? 'failed' : over ? 'report' : 'ended',
      from: `task:${neo.id}`,
      text: `${file.name} ("${title}") is ${status}: ${said}`,
      task: neo.id,
      ...(neo.session === undefined ? {} : { session: neo.session }),
    },
  ]
}

export const WAKES_AN_HOUR = 10
const HOUR_MS = 3_600_000

/**
 * Whom a person stands behind: messages of people, and of schedules that people wrote (files/kinds/schedule-made.ts
 * names the author of every other). The rest comes of tasks, sessions and Neo's own schedules, which it may have made
 * itself.
 */
export function isByPerson(trigger: { readonly kind: string; readonly from: string }): boolean {
  return trigger.kind === 'message' && /^(?:human$|member:|schedule:)/.test(trigger.from)
}

export function recentWakes(wakes: readonly number[], now: number): readonly number[] {
  return wakes.filter((at) => at > now - HOUR_MS && at <= now)
}

/** The time (epoch ms) from which Neo may be woken; null for now. */
export function wakeAgainAt(wakes: readonly number[], now: number): number | null {
  const oldest = [...recentWakes(wakes, now)].sort((a, b) => a - b).at(-WAKES_AN_HOUR)
  return oldest === undefined ? null : oldest + HOUR_MS
}

export interface Failure {
  readonly name: string
  readonly input: JsonObject
  /** What was answered. */
  readonly reason: string
}

/** How often each failing call came, by its key. */
export type Failures = ReadonlyMap<string, number>

const SAME_FAILURES = 3

/** Adds the failures of one reply. `stuck` is the first that has come too often; null for none. */
export function withFailures(
  before: Failures,
  failures: readonly Failure[],
): { readonly counts: Failures; readonly stuck: Failure | null } {
  const counts = new Map(before)
  const once = new Map(failures.flatMap((failure) => keysOf(failure).map((key) => [key, failure] as const)))
  let stuck: Failure | null = null
  for (const [key, failure] of once) {
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    if (count >= SAME_FAILURES) stuck ??= failure
  }
  return { counts, stuck }
}

/** The same call, or one that fails with the same text except for names and numbers. */
function keysOf({ name, input, reason }: Failure): readonly string[] {
  const bare = reason.replaceAll(/"[^"]*"|'[^']*'|\b[a-z]-[0-9a-z]{4,}\b|\d+/g, '*').slice(0, 200)
  return [`call ${name} ${stable(input)}`, `reason ${name} ${bare}`]
}

/** The same text for the same object; the order of keys doesn't matter. */
function stable(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stable).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${stable(one)}`).join(',')}}`
}
