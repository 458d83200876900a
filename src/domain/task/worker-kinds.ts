/**
 * The kinds of workers, one row each. Types, messages, help, docs, costs, records of sessions, their confinement and
 * `neo doctor` take from here what they need of a kind; `agent/rounds.ts` opens those that do a task by themselves.
 */
import type { ExecWorker, HomeConfig, McpServerConfig, Permission } from '../home/home-config.ts'

/** Where the worker of a task is looked for: neo.yaml, and the file of its room. */
export interface WorkerPlace {
  readonly config: Pick<HomeConfig, 'workers'>
  /** Folder name of the room. */
  readonly roomName: string
  readonly room: {
    readonly mcpServers?: Readonly<Record<string, McpServerConfig>>
    readonly permissions: Readonly<Record<string, unknown>>
  } | null
}

/** What a session keeps of its worker's configuration, as it was at the start. */
export interface WorkerSetup {
  readonly exec?: ExecWorker
  /** MCP servers by name, without keys filled in: for an agent those of the room, for `mcp:<server>` this one alone. */
  readonly mcp?: {
    readonly servers: Readonly<Record<string, McpServerConfig>>
    /** Null if the room has no setting: tools that read are allowed, others ask. */
    readonly permission: Permission | null
  }
}

/** A process, with what it may reach beside the worktree, or a server that is called. */
type Program = (Pick<ExecWorker, 'command'> & Partial<ExecWorker>) | { readonly url: string }

interface Source {
  /** What has such a name, and the key that configures it, in neo.yaml or in the file of the room. */
  readonly what: string
  readonly section: string
  readonly of: 'home' | 'room'
  readonly entries: (place: WorkerPlace) => Readonly<Record<string, unknown>>
  /** The room's permission that can deny it. */
  readonly permission?: string
}

interface Kind {
  /** How files write it, and what it is for people. */
  readonly form: string
  readonly is: string
  /** Waits for a model or program, and counts against budgets. */
  readonly needsModel: boolean
  /** Runs commands of the host or uses another machine. */
  readonly reachesOut: boolean
  /** For kinds with a name, as in `exec:NAME`. */
  readonly name?: RegExp
  /** Absent: names are not looked for here. */
  readonly source?: Source
  /** When a task that lacks it continues. */
  readonly clears?: (name: string) => string
  readonly setup?: (name: string, place: WorkerPlace) => WorkerSetup
  /** What does a task by itself, in one call; null if the setup lacks it. */
  readonly program?: (name: string, setup: WorkerSetup) => Program | null
}

const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/
/** A server, or one of its tools, as MCP allows their names. */
const NAME_WITH_TOOL = /^[A-Za-z0-9][\w.-]{0,63}(?:\/[\w./-]{1,128})?$/

export const WORKER_KINDS = {
  agent: {
    form: 'agent',
    is: 'a model',
    needsModel: true,
    reachesOut: false,
    setup: (_, place) => serversOf(place, () => true),
  },
  shell: { form: 'shell', is: 'the `sh` blocks of the text', needsModel: false, reachesOut: true },
  exec: {
    form: 'exec:NAME',
    is: 'a program in `workers:` of neo.yaml',
    needsModel: true,
    reachesOut: true,
    name: NAME,
    source: { what: 'worker', section: 'workers', of: 'home', entries: ({ config }) => config.workers },
    clears: (name) => `workers: in neo.yaml has ${name}`,
    setup(name, { config }) {
      const exec = config.workers[name]
      return exec === undefined ? {} : { exec }
    },
    program: (_, { exec }) => exec ?? null,
  },
  mcp: {
    form: 'mcp:SERVER',
    is: 'a tool of a server in `mcp_servers:` of the room',
    needsModel: true,
    reachesOut: true,
    name: NAME_WITH_TOOL,
    source: {
      ...{ what: 'MCP server', section: 'mcp_servers', of: 'room', permission: 'mcp' },
      entries: ({ room }) => room?.mcpServers ?? {},
    },
    clears: (name) => `the room has and permits the MCP server ${name}`,
    setup: (name, place) => serversOf(place, (server) => server === mcpTarget(name).server),
    program: (name, { mcp }) => serverProgram(mcp?.servers[mcpTarget(name).server]),
  },
  peer: {
    form: 'peer:ID',
    is: 'the agent of another home',
    needsModel: true,
    reachesOut: true,
    name: NAME,
    clears: (name) => `workspace/agents/${name}.md has an endpoint, and neo watch runs`,
  },
  human: { form: 'human', is: 'a person', needsModel: false, reachesOut: false },
} as const satisfies Readonly<Record<string, Kind>>

/** `Worker` of task.ts. */
interface Worker {
  readonly kind: keyof typeof WORKER_KINDS
  readonly name?: string
}

/** The row of a kind, with all that a row may have. */
export function rowOf(kind: Worker['kind']): Kind {
  return WORKER_KINDS[kind]
}

/** `codex/review` of `mcp:codex/review`; without a tool, the one that can take a task. */
export function mcpTarget(name: string): { readonly server: string; readonly tool: string | null } {
  const [server = '', tool] = name.split(/\/(.*)/s)
  return { server, tool: tool ?? null }
}

/** As the room's file has them, so that no key gets into a record. */
function serversOf({ room }: WorkerPlace, isWanted: (name: string) => boolean): WorkerSetup {
  const all = Object.entries(room?.mcpServers ?? {}).filter(([name]) => isWanted(name))
  const given = room?.permissions['mcp']
  if (all.length === 0 || given === 'deny') return {}
  const permission = given === 'allow' || given === 'ask' ? given : null
  return { mcp: { servers: Object.fromEntries(all), permission } }
}

function serverProgram(server: McpServerConfig | undefined): Program | null {
  if (server?.kind !== 'stdio') return server ?? null
  const { kind: _kind, env: _env, command, args, ...reach } = server
  return { ...reach, command: [command, ...args] }
}

export function setupOf({ kind, name = '' }: Worker, place: WorkerPlace): WorkerSetup {
  return rowOf(kind).setup?.(name, place) ?? {}
}

/** Null if nothing does the task by itself, or it isn't configured. */
export function programOf({ kind, name = '' }: Worker, setup: WorkerSetup): Program | null {
  return rowOf(kind).program?.(name, setup) ?? null
}

/** Where it is configured: `codex` under `workers` in `neo.yaml`; null if it isn't looked for here. */
export function sourceOf({ kind, name = '' }: Worker, roomName: string) {
  const { source } = rowOf(kind)
  const file = source?.of === 'home' ? 'neo.yaml' : `rooms/${roomName}/ROOM.md`
  // Without the tool of a server.
  return source === undefined ? null : { ...source, file, name: mcpTarget(name).server }
}

/** Why it isn't configured, in one line; null if it is, or if the worker needs no program. */
export function missingProgram(worker: Worker, place: WorkerPlace): string | null {
  const source = sourceOf(worker, place.roomName)
  if (source === null) return null
  const { what, section, of, file, name, permission = '' } = source
  if (place.room?.permissions[permission] === 'deny')
    return `permissions.${permission} in ${file} denies ${what}s`
  const names = Object.keys(source.entries(place))
  if (names.includes(name)) return null
  const so = of === 'home' ? 'not found' : 'not found, or disabled,'
  return `${what} ${name} ${so} under ${section}: in ${file}; it has ${names.join(', ') || 'none'}`
}

/** When a task with a missing worker continues; null if nothing is configured for it. */
export function clearsWhen({ kind, name = '' }: Worker): string | null {
  return rowOf(kind).clears?.(mcpTarget(name).server) ?? null
}

/** The workers that a task can be assigned to, as files write them. */
export function workersIn(place: WorkerPlace): string[] {
  const kinds = Object.entries<Kind>(WORKER_KINDS)
  const named = kinds.flatMap(([kind, { source }]) =>
    Object.keys(source?.entries(place) ?? {}).map((name) => `${kind}:${name}`),
  )
  return [...kinds.flatMap(([kind, { name }]) => (name === undefined ? [kind] : [])), ...named]
}
