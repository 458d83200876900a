/** What tasks can name as their worker, and whether it is configured: programs (`exec:<name>`) and servers (`mcp:<server>`). */
import type { HomeConfig } from '../home/home-config.ts'
import type { Room } from '../room/room.ts'
import { mcpTarget, type NamedKind, WORKER_KINDS, type Worker, type WorkerKind } from './task.ts'

export interface ProgramPlace {
  readonly config: Pick<HomeConfig, 'workers'>
  /** Folder name of the room. */
  readonly roomName: string
  readonly room: Pick<Room, 'mcpServers' | 'permissions'> | null
}

interface Source {
  readonly names: (place: ProgramPlace) => readonly string[]
  /** Null: names are not looked for here. */
  readonly lacks: ((name: string, roomFile: string) => string) | null
  /** When a task that lacks it continues. */
  readonly clears: (name: string) => string
}

const SOURCES: Readonly<Record<NamedKind, Source>> = {
  exec: {
    names: ({ config }) => Object.keys(config.workers),
    lacks: (name) => `worker ${name} not found under workers: in neo.yaml`,
    clears: (name) => `workers: in neo.yaml has ${name}`,
  },
  mcp: {
    names: ({ room }) => Object.keys(room?.mcpServers ?? {}),
    lacks: (name, roomFile) => `MCP server ${name} not found under mcp_servers: in ${roomFile}`,
    clears: (name) => `the room has and permits the MCP server ${name}`,
  },
  peer: {
    names: () => [],
    lacks: null,
    clears: (name) => `workspace/agents/${name}.md has an endpoint, and neo watch runs`,
  },
}

/** Why it isn't, in one line; null if it is, or if the worker needs no program. */
export function missingProgram(worker: Worker, place: ProgramPlace): string | null {
  const source = 'name' in worker ? SOURCES[worker.kind] : null
  if (source === null || source.lacks === null) return null
  const file = `rooms/${place.roomName}/ROOM.md`
  if (worker.kind === 'mcp' && place.room?.permissions['mcp'] === 'deny')
    return `permissions.mcp in ${file} denies MCP servers`
  const [name, names] = [nameOf(worker), source.names(place)]
  return names.includes(name) ? null : `${source.lacks(name, file)}; it has ${names.join(', ') || 'none'}`
}

/** When a task with a missing worker continues; null if nothing is configured for it. */
export function clearsWhen(worker: Worker): string | null {
  return 'name' in worker ? SOURCES[worker.kind].clears(nameOf(worker)) : null
}

/** Without the tool of a server. */
function nameOf(worker: Worker): string {
  return 'name' in worker ? mcpTarget(worker.name).server : ''
}

/** The workers that a task can be assigned to, as files write them. */
export function workersIn(place: ProgramPlace): string[] {
  const kinds = Object.keys(WORKER_KINDS) as WorkerKind[]
  const isNamed = (kind: WorkerKind): kind is NamedKind => Object.hasOwn(SOURCES, kind)
  const named = kinds.filter(isNamed)
  return [
    ...kinds.filter((kind) => !isNamed(kind)),
    ...named.flatMap((kind) => SOURCES[kind].names(place).map((name) => `${kind}:${name}`)),
  ]
}
