/**
 * Whether a request can still be decided: the first decision counts, and a late one, or one about changed content, is
 * refused.
 */
import type { Ask } from '../../domain/ask/ask.ts'
import type { AskFile, Facts } from '../../domain/plan/snapshot.ts'
import { askPath } from '../../domain/plan/plan-wants.ts'

export interface Objection {
  readonly kind: 'decided' | 'expired' | 'changed'
  /** Completes `Cannot decide "<id>": `. */
  readonly is: string
  readonly why?: string
  readonly next: string
}

/** Null if the request is open at this time (epoch ms). */
export function lateFor(ask: Ask, now: number): Objection | null {
  if (ask.decision !== 'pending' || ask.handledAt !== undefined || ask.answer !== undefined) {
    const at = ask.decidedAt === undefined ? '' : ` at ${ask.decidedAt}`
    return {
      kind: 'decided',
      is: `it is already ${ask.answer === undefined ? ask.decision : 'answered'}`,
      ...(ask.decidedBy === undefined ? {} : { why: `by ${ask.decidedBy}${at}` }),
      next: `neo ask show ${ask.id}`,
    }
  }
  if (ask.expiresAt === undefined || Date.parse(ask.expiresAt) > now) return null
  return {
    kind: 'expired',
    is: `it expired at ${ask.expiresAt}`,
    why: 'requests that are not answered in time are denied',
    next: 'neo task start makes a new request',
  }
}

/** Null if no session asked, or its session waits for this very file. */
export function strayFrom({ ask, path }: AskFile, sessions: Facts['sessions']): Objection | null {
  if (ask.session === undefined) return null
  const fact = sessions.get(ask.session)
  const waits =
    fact !== undefined &&
    fact.state !== 'ended' &&
    path === askPath(fact.record.room, ask.id) &&
    (fact.wants ?? []).some(({ id }) => id === ask.id)
  if (waits) return null
  return {
    kind: 'changed',
    is: 'no session is waiting for it',
    why: 'its session has ended or was answered, or this is a copy of its request',
    next: 'neo ask list',
  }
}

/** Null if what was shown is what would run; `present`: its hash now. */
export function changedSince(ask: Ask, present: string | undefined): Objection | null {
  if (present === undefined || present === ask.action.sha256) return null
  return {
    kind: 'changed',
    is: 'its content changed after the request',
    why: `it shows ${ask.action.sha256.slice(0, 12)}…, now ${present.slice(0, 12)}… would run`,
    next: 'neo watch or neo run: Neo asks again',
  }
}
