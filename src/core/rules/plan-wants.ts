/**
 * What sessions want from the rest of the home: asks to put, answers to hand over, memories, subagents. Pure.
 * Takes snapshot, facts and time; gives decisions. Leaves to flow/effects/wants.ts: carrying them out.
 * Invariant 1: a want is put once: its ask, memory or task has an id that follows from session and key.
 * Invariant 2: an ask whose session was answered is closed as answered, whoever answered it and however it came about.
 */
import type { Decision } from '../model/decision.ts'
import type { Want } from '../model/session.ts'
import type { AskFile, Facts, SessionFact, Snapshot } from '../model/snapshot.ts'
import { ENDED } from '../model/task.ts'
import type { TaskIndex } from './depends.ts'

interface Scene {
  readonly snapshot: Snapshot
  readonly facts: Facts
  readonly now: number
  readonly index: Pick<TaskIndex, 'byId'>
  /** Looks again then, where nothing else happens. */
  readonly wake: (at: number) => void
}

export function decideWants(scene: Scene): Decision[] {
  const all = [...scene.facts.sessions.values()]
  const live = all.filter(({ state }) => state !== 'ended')
  const decisions = live.flatMap((fact) =>
    (fact.wants ?? []).flatMap((want) => decideWant(fact, want, scene)),
  )
  return [...decisions, ...overtaken(scene, all)]
}

function decideWant({ record }: SessionFact, want: Want, scene: Scene): Decision[] {
  const session = record.id
  const { key } = want
  switch (want.kind) {
    case 'memory':
      return [{ kind: 'want', session, key }]
    case 'spawn': {
      const task = scene.index.byId.get(want.id)?.[0]
      if (task === undefined) return [{ kind: 'want', session, key }]
      return ENDED.has(task.task.status) || task.task.status === 'review'
        ? [{ kind: 'report', session, key, path: task.path }]
        : []
    }
    case 'question':
    case 'approval': {
      const ask = scene.snapshot.asks.get(askPath(record.room, want.id))
      if (ask === undefined) return [{ kind: 'want', session, key }]
      if (!isDecided(ask, scene)) return []
      return [{ kind: 'answer', session, key, path: ask.path, hash: ask.hash }]
    }
  }
}

export function askPath(room: string, id: string): string {
  return `rooms/${room}/asks/${id}.md`
}

function isDecided({ ask }: AskFile, { now, wake }: Scene): boolean {
  const answered = ask.kind === 'question' ? (ask.answer ?? '').trim() !== '' : ask.decision !== 'pending'
  if (answered || ask.decision === 'denied') return true
  if (ask.expiresAt === undefined) return false
  const expires = Date.parse(ask.expiresAt)
  if (expires <= now) return true
  wake(expires)
  return false
}

/** Asks of sessions that ended, or that were answered in another way. */
function overtaken({ snapshot, index }: Scene, sessions: readonly SessionFact[]): Decision[] {
  const open = new Set(
    sessions.flatMap(({ record, wants, state }) =>
      state === 'ended' ? [] : (wants ?? []).map(({ id }) => askPath(record.room, id)),
    ),
  )
  const answers = new Map(
    sessions.flatMap(({ record, answers: own }) =>
      [...(own ?? [])].map(([id, answer]) => [askPath(record.room, id), answer] as const),
    ),
  )
  return [...snapshot.asks.values()].flatMap(({ path, hash, ask }): Decision[] => {
    if (ask.handledAt !== undefined || open.has(path)) return []
    if (ask.session === undefined) return isPushOver(ask, index) ? [{ kind: 'withdraw', path, hash }] : []
    const answer = answers.get(path)
    return [answer === undefined ? { kind: 'withdraw', path, hash } : { kind: 'settle', path, hash, answer }]
  })
}

/** The work is accepted, rejected or pushed by hand by now. */
function isPushOver({ action, task }: AskFile['ask'], { byId }: Scene['index']): boolean {
  const [file] = byId.get(task ?? '') ?? []
  return action.tool === 'push_branch' && file !== undefined && file.task.status !== 'review'
}
