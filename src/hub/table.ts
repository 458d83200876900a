/**
 * The table of methods: the one list from which calls, types and the reference are made.
 * Takes nothing; gives rows. To add a method: a row in methods/, its name here; tests and docs/api.md follow.
 */
import type { z } from 'zod'
import type { Method } from './method.ts'
import {
  roomArchive,
  roomCreate,
  roomGet,
  roomList,
  roomPause,
  roomResume,
  roomUpdate,
} from './methods/room.ts'
import { taskCancel, taskComplete, taskFail, taskRetry, taskStart } from './methods/task-status.ts'
import { taskCreate, taskDelete, taskGet, taskList, taskUpdate } from './methods/task.ts'

export const METHODS = [
  roomCreate,
  roomList,
  roomGet,
  roomUpdate,
  roomArchive,
  roomPause,
  roomResume,
  taskCreate,
  taskList,
  taskGet,
  taskUpdate,
  taskDelete,
  taskRetry,
  taskCancel,
  taskStart,
  taskComplete,
  taskFail,
] as const

export type MethodName = (typeof METHODS)[number]['name']
type Row<N extends MethodName> = Extract<(typeof METHODS)[number], { readonly name: N }>
/** What a caller gives. */
export type ParamsOf<N extends MethodName> = z.input<Row<N>['params']>
/** What a caller gets. */
export type ResultOf<N extends MethodName> = z.output<Row<N>['result']>

/** By name. */
export const TABLE: ReadonlyMap<string, Method> = new Map(
  METHODS.map((row) => [row.name, row as unknown as Method]),
)
