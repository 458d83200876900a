/** Changes of a task's block. */
import type { Task, TaskNeo, TaskStatus } from '../../../src/domain/task/task.ts'

export type NeoPatch = { readonly [K in keyof TaskNeo]?: TaskNeo[K] | undefined }
export const CLEAR: NeoPatch = { blocked: undefined, error: undefined }
/** Takes away what a copy must not take over, and what a stale buffer may carry. */
export const EMPTY: NeoPatch = {
  ...CLEAR,
  session: undefined,
  branch: undefined,
  pr: undefined,
  attempt: undefined,
  retries: undefined,
  retryAt: undefined,
}

export function patched(task: Task, status: TaskStatus, neo: NeoPatch): Task {
  return { ...task, status, neo: definedOf({ ...task.neo, ...neo }) as TaskNeo }
}

function definedOf(keys: object): object {
  return Object.fromEntries(Object.entries(keys).filter(([, value]) => value !== undefined))
}
