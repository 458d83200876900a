/** The shapes that the hub sends. Those with a zod row come from it, so the compiler finds a field that is gone. */
import type { AskView, MemoryView, RoomView, SessionView, TaskView } from '../../src/hub/views/shapes.ts'

export type Task = TaskView
export type TaskStatus = TaskView['status']
export type Priority = TaskView['priority']
export type Room = RoomView
export type Session = SessionView
export type Request = AskView
export type Memory = MemoryView

/** An item of `lobby:rooms`. */
export interface RoomBrief {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly status: 'active' | 'paused' | 'archived'
  readonly tasks: Partial<Readonly<Record<TaskStatus, number>>>
}

/** An item of `room:ID:tasks`: what a card shows. */
export interface Card {
  /** `t-…`; the path until Neo has adopted the file. */
  readonly id: string
  readonly roomId: string
  readonly name: string
  readonly title: string
  readonly status: TaskStatus
  readonly priority: Priority
  /** Null: the room's. */
  readonly worker: string | null
  readonly labels: readonly string[]
  readonly dependsOn: readonly string[]
  readonly due: string | null
  readonly sessionId: string | null
  readonly attempt: number | null
  readonly progress: number | null
  readonly currentStep: string | null
  readonly startedAt: string | null
  readonly completedAt: string | null
  readonly blocked: string | null
  readonly retryAt: string | null
  /** The first line of the error or of the result. */
  readonly note: string | null
  readonly branch: string | null
}

/** A problem in a file. */
export interface Problem {
  readonly path: string
  readonly line: number | null
  readonly column: number | null
  readonly message: string
  readonly level: 'error' | 'warning'
}

/** The channel `inbox`: what needs the person who is signed in. */
export interface Inbox {
  readonly requests: Readonly<Record<string, Request>>
  readonly reviews: Readonly<Record<string, Card>>
  readonly failed: Readonly<Record<string, Card>>
  readonly blocked: Readonly<Record<string, Card>>
  readonly yours: Readonly<Record<string, Card>>
  readonly problems: Readonly<Record<string, Problem>>
}
