/**
 * What a host may decide where `daemon.node` names another one: homes that share a remote must not decide alike.
 * Invariant 1: the named host decides everything that follows from committed files; any other only puts on record
 * what a person does at it, and continues with sessions of its own: so two hosts never write the same of one file.
 */
import type { Decision } from '../plan/decision.ts'
import type { Facts, Snapshot, GitStatus } from '../plan/snapshot.ts'

export function mayDecide(
  decision: Decision,
  snapshot: Snapshot,
  facts: Pick<Facts, 'elsewhere' | 'sessions'>,
): boolean {
  if (facts.elsewhere === null) return true
  switch (decision.kind) {
    // What came by git is adopted by the named host; what was written here, here.
    case 'adopt':
    case 'adopt-schedule':
    case 'adopt-room':
      return standingOf(decision, snapshot) !== 'same'
    case 'reconcile':
    case 'record':
    case 'record-schedule':
    case 'forget':
    case 'turned':
    case 'settle': // Only a session of this host has an answer here.
      return true
    case 'resume':
    case 'stop':
    case 'halt':
    case 'finish':
    case 'discard':
    case 'want':
    case 'answer':
    case 'report':
    case 'tell':
      return facts.sessions.has(decision.session)
    case 'start':
    case 'hand-over':
    case 'requeue':
    case 'block':
    case 'unblock':
    case 'open-ask':
    case 'close-ask':
    case 'withdraw':
    case 'wake':
    case 'fire':
    case 'publish':
    case 'published':
    case 'merge':
    case 'merged':
    case 'lost':
      return false
  }
}

function standingOf(
  decision: Extract<Decision, { kind: 'adopt' | 'adopt-schedule' | 'adopt-room' }>,
  { tasks, schedules, rooms }: Snapshot,
): GitStatus | undefined {
  if (decision.kind === 'adopt-room') return rooms.get(decision.room)?.gitStatus
  const files = decision.kind === 'adopt' ? tasks : schedules
  return files?.get(decision.path)?.gitStatus
}
