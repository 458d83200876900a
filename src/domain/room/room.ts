/** The room: a lasting area of work, `rooms/<room>/ROOM.md`. Its folder name is its name in every path. */
import type { McpServerConfig, Permission } from '../home/home-config.ts'
import type { NotifyRule } from './notice-kinds.ts'
import type { Budget, Review, Worker } from '../task/task.ts'

export const ROOM_STATUSES = ['active', 'paused', 'archived'] as const
export type RoomStatus = (typeof ROOM_STATUSES)[number]

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
  /** Places (`telegram:123456`) and ids of members. */
  readonly notify: readonly string[]
  /** By entry of `notify`; absent: all, at once. */
  readonly notifyRules?: Readonly<Record<string, NotifyRule>>
  readonly approvers: readonly string[]
  /** Servers of tools for the room's agents, by name; absent: none. */
  readonly mcpServers?: Readonly<Record<string, McpServerConfig>>
  /** How many session files stay in the tree. */
  readonly keep: number
  readonly neo: { readonly id?: string; readonly createdAt?: string }
  readonly body: string
}
