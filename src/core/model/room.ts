/**
 * The room: a lasting area of work, `rooms/<room>/ROOM.md`. Its folder name is its name in every path.
 * Leaves to core/rules/settings.ts: what a task gets from its room and from neo.yaml.
 */
import type { Budget, Review, Worker } from './task.ts'

export const ROOM_STATUSES = ['active', 'paused', 'archived'] as const
export type RoomStatus = (typeof ROOM_STATUSES)[number]

export type Permission = 'allow' | 'ask' | 'deny'

export interface Room {
  /** The header's name, else the folder's. */
  readonly name: string
  readonly description: string
  readonly status: RoomStatus
  readonly workspace?: string
  readonly base?: string
  readonly worker?: Worker
  readonly model?: string
  readonly orchestrator: 'auto' | 'off'
  readonly review?: Review
  readonly verify: readonly string[]
  readonly concurrency?: number
  readonly budget?: Budget & { readonly usdPerDay?: number }
  readonly permissions: Readonly<Record<string, Permission | readonly string[]>>
  readonly setup: readonly string[]
  readonly cleanup: readonly string[]
  readonly env: readonly string[]
  readonly envFiles: readonly string[]
  readonly hooks: 'on' | 'off'
  readonly notify: readonly string[]
  readonly approvers: readonly string[]
  /** How many session files stay in the tree. */
  readonly keep: number
  readonly neo: { readonly id?: string; readonly createdAt?: string }
  readonly body: string
}
