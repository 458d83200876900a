/** Who calls, what they do and to what; and the ruling on it: allow, ask or deny, with the rule and the reason. */
import type { BlockedBy, TaskStatus } from '../task/task.ts'
import type { ScopeRules, Within } from './scope-types.ts'

/** Who calls. The credential decides it, never a field of the message. */
export type Principal =
  | { readonly kind: 'human' }
  | { readonly kind: 'member'; readonly id: string }
  /**
   * The orchestrator of one room; the lobby's sees all rooms. `within`: it answers somebody, in a scope or in its
   * room, and has no more rights than they have there.
   */
  | { readonly kind: 'neo'; readonly room: string; readonly within?: Within }
  | { readonly kind: 'session'; readonly id: string; readonly room: string }
  | { readonly kind: 'peer'; readonly id: string }
  /** A model in the editor of the person whose machine or token it is: it may do less than that person. */
  | { readonly kind: 'editor' }

export const ACTS = [
  'see',
  'see-home',
  'change-home',
  'make-room',
  'change-room',
  'make-task',
  'change-task',
  'delete-task',
  'move-task',
  'finish-task',
  'fail-task',
  'remember',
  'forget',
  'run-session',
  'stop-session',
  'move-session',
  'talk',
  'send-out',
  'clear-context',
  'settle-ask',
  'settle-review',
  'speak',
  'see-scope',
  'keep-scope',
  'tend-scope',
  'share',
  'purge-scope',
] as const
export type Act = (typeof ACTS)[number]

export interface Resource {
  /** Folder name; null: the home as a whole. */
  readonly room: string | null
  /** Keys that the call sets, as the hub names them. */
  readonly sets?: readonly string[]
  /** `neo.created_by` of what is changed. */
  readonly author?: string
  /** A task's status now, and the one that it would get. */
  readonly from?: TaskStatus
  readonly to?: TaskStatus
  readonly blockedBy?: BlockedBy
  /** Who would run the text: the worker in force before or after, `shell` where either is. */
  readonly worker?: string
  /** The session meant, or the one that works on the task now. */
  readonly session?: string
  /** The task meant: its id, else its path; where its file is. What is asked about it is bound to it. */
  readonly target?: { readonly id: string; readonly path: string }
  /** A workspace that the call asks for. */
  readonly workspace?: string
  /** The conversation that it is about. */
  readonly scope?: ScopeResource
}

export interface Rules {
  readonly members: ReadonlyMap<string, { readonly role: string; readonly rooms: readonly string[] }>
  /** Who may decide in the resource's room, beside the human. */
  readonly approvers: readonly string[]
  /** The room's own workspace and `daemon.workspaces`. */
  readonly workspaces: readonly string[]
}

export interface ScopeResource extends Pick<ScopeRules, 'type' | 'roles' | 'members' | 'problem'> {
  readonly name: string
  /** Whose private chat it is: `human`, a member's id; null for groups, and for numbers that nobody has. */
  readonly owner: { readonly kind: 'human' } | { readonly kind: 'member'; readonly id: string } | null
  /** Why it is silent now. */
  readonly silenced: string | null
}

/** What an act is done to, and the rules that hold there. */
export interface On {
  readonly resource: Resource
  readonly rules: Rules
}

export interface Ruling {
  readonly effect: 'allow' | 'ask' | 'deny'
  readonly rule: string
  readonly reason: string
}

export function allow(rule: string, reason: string): Ruling {
  return { effect: 'allow', rule, reason }
}

export function ask(rule: string, reason: string): Ruling {
  return { effect: 'ask', rule, reason }
}

export function deny(rule: string, reason: string): Ruling {
  return { effect: 'deny', rule, reason }
}

const STRICT = { allow: 0, ask: 1, deny: 2 } as const

/** Of two rulings the one that lets less happen; of equals the first. */
export function stricter(one: Ruling, other: Ruling): Ruling {
  return STRICT[other.effect] > STRICT[one.effect] ? other : one
}
