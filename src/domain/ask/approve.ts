/**
 * Asks: which tasks need the user's word before they start, and what an ask says now. Pure.
 * Invariant 1: approval is bound to the content: an ask whose hash differs from the present one counts for nothing.
 * Invariant 2: no answer is no.
 */
import type { Ask, AskDecision } from './ask.ts'
import type { AskFile, Facts, TaskFile } from '../plan/snapshot.ts'

export type Verdict = 'pending' | 'approved' | 'denied' | 'expired' | 'changed'

export type Asked =
  | { readonly verdict: 'none'; readonly ask: null }
  | { readonly verdict: Verdict; readonly ask: AskFile }

/**
 * True for authors whose commands run only after approval: models, those in editors too, peers, and their sessions.
 */
export function needsApproval(file: TaskFile): boolean {
  const author = file.task.neo.createdBy ?? 'human'
  return author === 'neo' || author === 'editor' || /^(?:session|peer):/.test(author)
}

/** The current request of this task about this tool, and its state. */
export function asked(
  file: TaskFile,
  asks: readonly AskFile[],
  about: { tool: string; facts: Facts; now: number },
): Asked {
  const own = asks.filter(
    ({ ask, gitStatus }) =>
      // An old buffer over an ask that was acted on says nothing again.
      gitStatus !== 'stale' && ask.action.tool === about.tool && ask.task === file.task.neo.id,
  )
  const [ask] = own.sort((a, b) => compare(rank(a.ask), rank(b.ask)))
  if (ask === undefined) return { verdict: 'none', ask: null }
  return { verdict: verdictOf(ask.ask, about.facts, about.now), ask }
}

/** Open asks before handled ones, decided before undecided, of several handled the last. Lower comes first. */
function rank({ decision, handledAt }: Ask): readonly [number, number] {
  if (handledAt === undefined) return [decision === 'pending' ? 1 : 0, 0]
  return [2, -Date.parse(handledAt)]
}

function compare(a: readonly [number, number], b: readonly [number, number]): number {
  return a[0] - b[0] || a[1] - b[1]
}

function verdictOf(ask: Ask, facts: Facts, now: number): Verdict {
  const present = facts.askHashes.get(ask.id)
  if (present !== undefined && present !== ask.action.sha256) return 'changed'
  if (ask.decision === 'denied') return 'denied'
  const expires = ask.expiresAt === undefined ? Number.NaN : Date.parse(ask.expiresAt)
  const decided = ask.decidedAt === undefined ? now : Date.parse(ask.decidedAt)
  if (ask.decision === 'approved') return expires < decided ? 'expired' : 'approved'
  return expires <= now ? 'expired' : 'pending'
}

/** The state of a request: a question with an answer is decided although its file has no key for that. */
export function standOf({ decision, answer }: Ask): AskDecision | 'answered' {
  return decision === 'pending' && answer !== undefined ? 'answered' : decision
}
