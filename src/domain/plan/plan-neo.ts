/**
 * When Neo is woken: by a message, a task that failed, a question of a session, and the end of what he had made. Pure.
 * Invariants: 1. nothing new, no turn: an idle home costs nothing; 2. one turn a room at a time, over all that came
 * in the meantime; 3. a cause that had its turn has none again: its key is in its subject; 4. rooms with `orchestrator: off`
 * hear messages only.
 */
import type { Decision } from './decision.ts'
import type { Facts, RoomFile, Snapshot, TaskFile } from './snapshot.ts'
import { ENDED } from '../task/task.ts'
import type { Trigger } from './trigger.ts'
import { isByPerson } from './neo-wakes.ts'

interface Scene {
  readonly snapshot: Snapshot
  readonly facts: Facts
  readonly now: number
  readonly wake: (at: number) => void
}

/** What ended before this is history: a home that gets its first model is not asked about its past. */
const RECENT_MS = 24 * 3_600_000

export function decideNeo(scene: Scene): Decision[] {
  const { facts, snapshot } = scene
  if (facts.neo.ready === 'no') return []
  return [...snapshot.rooms.values()].flatMap((room) => decideRoom(room, scene))
}

function decideRoom({ name, room }: RoomFile, scene: Scene): Decision[] {
  const { facts, now, wake } = scene
  const turn = facts.neo.turns.get(name)
  if (turn?.kind === 'done') return [{ kind: 'turned', room: name }]
  if (turn?.kind === 'busy' || room.status !== 'active' || facts.barred || facts.elsewhere !== null) return []
  const triggers = triggersOf(name, scene).filter(
    ({ kind }) => kind === 'message' || room.orchestrator === 'auto',
  )
  if (triggers.length === 0) return []
  // Its brake is for what it sets going itself: people are answered at once.
  const isHeld =
    turn?.kind === 'waits' && now < turn.at && !(turn.brake === 'yes' && triggers.some(isByPerson))
  if (isHeld) {
    wake(turn.at)
    return []
  }
  return [{ kind: 'wake', room: name, triggers }]
}

/** Everything in a room that waits for Neo, in a fixed order: messages first. */
export function triggersOf(room: string, scene: Pick<Scene, 'snapshot' | 'facts' | 'now'>): Trigger[] {
  const { snapshot } = scene
  const tasks = [...snapshot.tasks.values()].filter((file) => file.room === room)
  const messages = [...snapshot.inbox.values()]
    .filter((message) => message.room === room)
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map(
      ({ path, hash, from, text }): Trigger => ({
        key: `inbox:${path}@${hash}`,
        room,
        kind: 'message',
        from,
        text,
      }),
    )
  return [...messages, ...questions(room, scene), ...tasks.flatMap((file) => ofTask(file, tasks, scene))]
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
  if (!own && !failed) return []
  const mine = all.filter(({ task }) => task.neo.createdBy === 'neo')
  const over = own && mine.every(({ task }) => ENDED.has(task.status))
  const said = neo.result ?? neo.error ?? 'no result given'
  return [
    {
      key: `${status}:${neo.id}@${neo.attempt ?? 0}`,
      room: file.room,
      kind: failed ? 'failed' : over ? 'report' : 'ended',
      from: `task:${neo.id}`,
      text: `${file.name} ("${title}") is ${status}: ${said}`,
      task: neo.id,
      ...(neo.session === undefined ? {} : { session: neo.session }),
    },
  ]
}
