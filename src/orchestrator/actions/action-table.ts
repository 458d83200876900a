/** All actions of Neo. Their order and texts never change within a process, for the prompt cache. */
import type { ToolSpec } from '../../domain/agent/model-message.ts'
import { LOBBY } from '../../domain/policy/policy.ts'
import { type Action, toolOf } from './action.ts'
import { askAgent } from './agent-actions.ts'
import { addMemory, searchMemory } from './memory-actions.ts'
import { createRoom, schedule, updateRoom } from './rooms.ts'
import { askHuman, createSession, passMessage, reportStatus, sendFile, sendMessage } from './talk-actions.ts'
import { assignTask, completeTask, createTask } from './tasks.ts'

const ACTIONS: readonly Action[] = [
  createTask,
  assignTask,
  createSession,
  sendMessage,
  passMessage,
  addMemory,
  completeTask,
  reportStatus,
  searchMemory,
  askHuman,
  updateRoom,
  schedule,
  createRoom,
  sendFile,
  askAgent,
]

/** The actions of a room's Neo; `scope`: null in the room's own conversation. */
export function actionsOf(room: string, scope: unknown): readonly Action[] {
  const wrong = room === LOBBY ? 'rooms' : 'lobby'
  return ACTIONS.filter(({ who, where }) => who !== wrong && where !== (scope === null ? 'scope' : 'room'))
}

export function toolsOf(room: string, scope: unknown): readonly ToolSpec[] {
  return actionsOf(room, scope).map(toolOf)
}
