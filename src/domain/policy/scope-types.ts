/**
 * A scope: one conversation with its own privacy and rules, as in its SCOPE.md, and whom Neo answers in it. Invariant
 * 1: a scope without a file is a private chat, so that nothing is shared by default. Invariant 2: Neo has only the
 * rights that all the people it answers have.
 */

export const SCOPE_TYPES = ['dm', 'parents_group', 'family_group', 'subgroup', 'group', 'room'] as const
type ScopeType = (typeof SCOPE_TYPES)[number]

/** A filter for messages: a command, which gets the text in a file, or a model with a rule. */
export type Guard =
  | { readonly kind: 'command'; readonly argv: readonly [string, ...string[]] }
  | { readonly kind: 'model'; readonly model: string; readonly rule: string }

export interface Guards {
  /** `in`: before Neo gets a message; `out`: before its answer is sent. */
  readonly in?: Guard
  readonly out?: Guard
}

export interface ScopeRules {
  readonly type: ScopeType
  readonly roles: readonly string[]
  readonly members: readonly string[]
  /** `private`: stored under the git dir only, never in git. */
  readonly keeps: 'private' | 'shared'
  readonly guards: Guards
  /** Why its file is invalid; messages of such a scope are ignored. */
  readonly problem: string | null
}

export interface ScopeAt extends ScopeRules {
  /** `[a-z0-9-]`. */
  readonly name: string
  /** `telegram:-100123:7`; '' if nobody has spoken yet and no file names it. */
  readonly key: string
  /** Its SCOPE.md, absolute; null for none. */
  readonly file: string | null
  /** Folder of MEMORY.md, HISTORY.md and notes of days. Absolute. */
  readonly folder: string
  /** Local to this host, `<git dir>/neo/scopes/<name>`: live transcript, state, media, index. */
  readonly state: string
}

/** A speaker in a scope, as in policy and transcripts. */
export type ScopeSpeaker = 'human' | `member:${string}`

export interface OnBehalfOf {
  /** Null for the conversation of the room. */
  readonly scope: string | null
  readonly speaker: ScopeSpeaker
  /** Other speakers before the same turn: Neo does only what all of them may. */
  readonly others?: readonly ScopeSpeaker[]
  readonly keeps: 'private' | 'shared'
}

export function speakersOf({ speaker, others = [] }: OnBehalfOf): readonly ScopeSpeaker[] {
  return [speaker, ...others]
}
