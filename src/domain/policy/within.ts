/**
 * Whom Neo answers: with no more rights than they have. Pure. Invariant 1: of several speakers nobody's rights count but
 * those that all of them have.
 */
import type { ScopeSpeaker } from './scope-types.ts'

export interface Within {
  /** Null: the room's own conversation. */
  readonly scope: string | null
  readonly speaker: ScopeSpeaker
  /** Who spoke beside them before the same turn: it does what each of them may. */
  readonly others?: readonly ScopeSpeaker[]
  readonly keeps: 'private' | 'shared'
}

export function speakersOf({ speaker, others = [] }: Within): readonly ScopeSpeaker[] {
  return [speaker, ...others]
}
