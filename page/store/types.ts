/** The shapes that the hub sends. Those with a zod row come from it, so the compiler finds a field that is gone. */
import type { CardView, FullCard } from '../../src/hub/subscriptions/card-states.ts'
import type { CostView, SessionDetail, StoryItem, TaskDetail } from '../../src/hub/views/detail-shapes.ts'
import type { ScheduleView } from '../../src/hub/views/schedule-view.ts'
import type { AskView, RoomView, SessionView, TaskView } from '../../src/hub/views/shapes.ts'

export type { CardView }
export type Task = TaskView
/** What `task.get` says of one task. */
export type WholeTask = TaskDetail
export type Story = readonly StoryItem[]
export type Cost = CostView
export type TaskStatus = TaskView['status']
export type Priority = TaskView['priority']
export type Room = RoomView
export type Session = SessionView
/** What `session.list` and `session.get` say. */
export type WholeSession = SessionDetail
/** `taskTitle` only in the inbox. */
export type Request = AskView & { readonly taskTitle?: string | null }
export type Schedule = ScheduleView

/** An item of `lobby:rooms`. */
export interface RoomBrief {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly status: 'active' | 'paused' | 'archived'
  readonly tasks: Partial<Readonly<Record<TaskStatus, number>>>
}

/** An item of `room:ID:tasks`: what a card shows. */
export type Card = FullCard

const NOTHING: Omit<Card, 'id' | 'roomId' | 'name' | 'title' | 'status'> = {
  priority: 'normal',
  worker: null,
  labels: [],
  dependsOn: [],
  due: null,
  sessionId: null,
  attempt: null,
  progress: null,
  currentStep: null,
  startedAt: null,
  completedAt: null,
  blocked: null,
  retryAt: null,
  note: null,
  branch: null,
}

/** With what the hub leaves out. */
export function fullCard(card: CardView): Card {
  return { ...NOTHING, ...card }
}

/** A problem in a file. */
export interface Problem {
  readonly path: string
  readonly line: number | null
  readonly column: number | null
  readonly message: string
  readonly hint: string
  readonly level: 'error' | 'warning'
}

/** The channel `inbox`: what needs the person who is signed in. */
/** What keeps the home from going on, and only a person ends. */
export interface HomeNeed {
  readonly part: string
  readonly says: string
}

export interface Inbox {
  readonly home: Readonly<Record<string, HomeNeed>>
  readonly requests: Readonly<Record<string, Request>>
  readonly reviews: Readonly<Record<string, Card>>
  readonly failed: Readonly<Record<string, Card>>
  readonly blocked: Readonly<Record<string, Card>>
  readonly yours: Readonly<Record<string, Card>>
  readonly problems: Readonly<Record<string, Problem>>
}
