/** Whether the program that a task names as its worker is configured: for `exec:<name>` and `mcp:<server>`. */
import type { HomeConfig } from '../home/home-config.ts'
import type { Room } from '../room/room.ts'
import { mcpTarget, type Worker } from './task.ts'

export interface ProgramPlace {
  readonly config: Pick<HomeConfig, 'workers'>
  /** Folder name of the room. */
  readonly roomName: string
  readonly room: Pick<Room, 'mcpServers' | 'permissions'> | null
}

/** Why it isn't, in one line; null if it is, or if the worker needs no program. */
export function missingProgram(worker: Worker, { config, room, roomName }: ProgramPlace): string | null {
  if (worker.kind === 'exec') {
    const names = Object.keys(config.workers)
    return names.includes(worker.name)
      ? null
      : `worker ${worker.name} not found under workers: in neo.yaml; it has ${listOf(names)}`
  }
  if (worker.kind !== 'mcp') return null
  const { server } = mcpTarget(worker.name)
  const file = `rooms/${roomName}/ROOM.md`
  if (room?.permissions['mcp'] === 'deny') return `permissions.mcp in ${file} denies MCP servers`
  const names = Object.keys(room?.mcpServers ?? {})
  return names.includes(server)
    ? null
    : `MCP server ${server} not found under mcp_servers: in ${file}; it has ${listOf(names)}`
}

function listOf(names: readonly string[]): string {
  return names.join(', ') || 'none'
}
