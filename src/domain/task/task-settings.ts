/** The settings of a task: its own keys, else those of its room, else of neo.yaml, else the defaults. */
import type { HomeConfig } from '../home/home-config.ts'
import type { Room } from '../room/room.ts'
import type { Review, Task, Worker } from './task.ts'

/** The default workspace of rooms, relative to the home. */
export const DEFAULT_WORKSPACE = 'workspace/files'
/**
 * A session without a limit of its own ends after this: long enough for a release build, short enough to be noticed.
 */
export const DEFAULT_TIMEOUT_MS = 60 * 60_000

export interface Settings {
  readonly worker: Worker
  readonly model: string
  readonly workspace: string
  readonly base: string | null
  readonly review: Review
  readonly verify: readonly string[]
  readonly setup: readonly string[]
  readonly cleanup: readonly string[]
  readonly env: readonly string[]
  readonly envFiles: readonly string[]
  readonly hooks: 'on' | 'off'
  readonly timeoutMs: number
  readonly concurrency: number
}

export function settingsOf(task: Task, room: Room | null, config: HomeConfig): Settings {
  const worker = task.worker ?? room?.worker ?? { kind: 'agent' }
  const workspace = task.workspace ?? room?.workspace ?? DEFAULT_WORKSPACE
  return {
    worker,
    model: task.model ?? room?.model ?? config.model,
    workspace,
    base: room?.base ?? null,
    review: task.review ?? room?.review ?? defaultReview(worker, workspace),
    verify: task.verify ?? room?.verify ?? [],
    setup: room?.setup ?? [],
    cleanup: room?.cleanup ?? [],
    env: [...new Set([...(room?.env ?? []), ...task.env])],
    envFiles: room?.envFiles ?? [],
    hooks: room?.hooks ?? 'off',
    timeoutMs: task.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    concurrency: room?.concurrency ?? config.daemon.concurrency,
  }
}

function defaultReview(worker: Worker, workspace: string): Review {
  return worker.kind === 'shell' && isInsideHome(workspace) ? 'none' : 'branch'
}

/** True for a workspace that is a folder of the home: relative and without a step upwards. */
export function isInsideHome(workspace: string): boolean {
  return !workspace.startsWith('/') && !workspace.startsWith('~') && !workspace.split('/').includes('..')
}
