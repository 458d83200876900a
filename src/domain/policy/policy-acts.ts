/** Who calls, what they do and to what; and the ruling on it: allow, ask or deny, with the rule and the reason. */
import type { BlockedBy, TaskStatus } from '../task/task.ts'
import type { AccessConfig, ContextRef } from '../peer/peer.ts'
import type { OnBehalfOf, ScopeRules } from './scope-types.ts'

/** The caller. The credential decides it, never a field of the message. */
export type Principal =
  | { readonly kind: 'human' }
  | { readonly kind: 'member'; readonly id: string }
  /**
   * The orchestrator of one room; that of the lobby sees all rooms. `within`: it answers somebody, in a scope or in
   * its room, and has only their rights there.
   */
  | { readonly kind: 'neo'; readonly room: string; readonly onBehalfOf?: OnBehalfOf }
  | { readonly kind: 'session'; readonly id: string; readonly room: string }
  | { readonly kind: 'peer'; readonly id: string }
  /** A model in the editor of a user, with fewer rights than that user. */
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
  'peer-hello',
  'peer-read',
  'peer-write',
  'ask-peer',
  'answer-peer',
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
  /** `neo.created_by` of the changed file. */
  readonly author?: string
  /** A task's status now, and the one that it would get. */
  readonly from?: TaskStatus
  readonly to?: TaskStatus
  readonly blockedBy?: BlockedBy
  /** Who would run the text: the worker before or after the change, `shell` if either is. */
  readonly worker?: string
  /** The session meant, or the one that works on the task now. */
  readonly session?: string
  /** The task: its id, else its path. Requests about it are bound to it. */
  readonly target?: { readonly id: string; readonly path: string }
  /** A workspace that the call asks for. */
  readonly workspace?: string
  /** The conversation that it is about. */
  readonly scope?: ScopeResource
  /** What a peer asks about: its access is decided by this alone. */
  readonly contexts?: readonly ContextRef[]
}

export interface Rules {
  readonly members: ReadonlyMap<string, { readonly role: string; readonly rooms: readonly string[] }>
  /** Who may decide in the room besides the owner. */
  readonly approvers: readonly string[]
  /** The room's own workspace and `daemon.workspaces`. */
  readonly workspaces: readonly string[]
  /** Absent: no agent of another home has access. */
  readonly peers?: PeerRules
}

/** What decides on agents of other homes. */
export interface PeerRules {
  /** Those that have access at all, with the role that their file says. */
  readonly known: Pick<ReadonlyMap<string, { readonly role: string | null }>, 'get'>
  readonly access: AccessConfig
  /** Epoch ms: rules expire. */
  readonly now: number
  /** A person approves what models send to other agents. */
  readonly approval: boolean
}

export interface ScopeResource extends Pick<ScopeRules, 'type' | 'roles' | 'members' | 'problem'> {
  readonly name: string
  /** Owner of a private chat: `human` or the id of a member; null for groups and unknown numbers. */
  readonly owner: { readonly kind: 'human' } | { readonly kind: 'member'; readonly id: string } | null
  /** Why Neo doesn't answer there now. */
  readonly silenced: string | null
}

/** The target of an act, and the rules that apply to it. */
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

/** The stricter of two rulings; the first if they are equal. */
export function stricter(one: Ruling, other: Ruling): Ruling {
  return STRICT[other.effect] > STRICT[one.effect] ? other : one
}
