/** All actions of Neo. Their order and texts change with `agent.id` alone, for the prompt cache. */
import type { ToolSpec } from '../../domain/agent/model-message.ts'
import type { HomeConfig } from '../../domain/home/home-config.ts'
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

/** What decides on them. */
interface Speaking {
  readonly room: string
  /** Null in the room's own conversation. */
  readonly scope: unknown
  readonly options: { config(): Pick<HomeConfig, 'agent'> }
}

/** The actions of a room's Neo. Agents of other homes can be asked only while this home is one itself. */
export function actionsOf({ room, scope, options }: Speaking): readonly Action[] {
  const wrong = room === LOBBY ? 'rooms' : 'lobby'
  const elsewhere = scope === null ? 'scope' : 'room'
  const isAgent = options.config().agent !== null
  return ACTIONS.filter(
    (one) => one.who !== wrong && one.where !== elsewhere && (isAgent || one !== askAgent),
  )
}

export function toolsOf(of: Speaking): readonly ToolSpec[] {
  return actionsOf(of).map(toolOf)
}
