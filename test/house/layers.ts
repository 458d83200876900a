/**
 * The layers of src, top to bottom: an import goes to the same layer or to one below; adapters are beside them.
 * ARCHITECTURE.md prints this table, and test/house/layers.test.ts compares it with the imports.
 */
export interface Layer {
  readonly name: string
  /** How a path of the layer begins. */
  readonly prefixes: readonly [string, ...string[]]
  /** One phrase for a reader. */
  readonly holds: string
  /** Other layers and libraries that it imports, exactly these; `all`: everything below it. */
  readonly imports: readonly string[] | 'all'
  readonly never: string
}

export const ADAPTERS: Layer = {
  name: 'adapters',
  prefixes: ['src/adapters/'],
  holds: 'the world, one outside system a folder',
  imports: ['ports', 'domain', 'node', 'libraries'],
  never: 'engine, runner, cli',
}

export const LAYERS: readonly Layer[] = [
  {
    name: 'cli',
    prefixes: ['src/main.ts', 'src/cli/'],
    holds: 'parse, call, print',
    imports: 'all',
    never: 'adapters',
  },
  {
    name: 'client',
    prefixes: ['src/client/'],
    holds: 'calls the hub: the daemon over HTTP, or the hub in this process',
    imports: ['compose', 'aoi', 'servers', 'orchestrator', 'hub', 'engine', 'domain', 'ports'],
    never: 'cli, adapters',
  },
  {
    name: 'compose',
    prefixes: ['src/compose.ts'],
    holds: 'builds the World',
    imports: ['adapters', 'ports'],
    never: 'anything else',
  },
  {
    name: 'compose-orchestrator',
    prefixes: ['src/compose-orchestrator.ts'],
    holds: 'builds the hub over a running daemon, and Neo over the hub',
    imports: ['aoi', 'orchestrator', 'hub', 'memory', 'engine', 'domain'],
    never: 'adapters, runner',
  },
  {
    name: 'aoi',
    prefixes: ['src/aoi/'],
    holds: 'agents of other homes: what they ask, what they are asked, AOI and A2A',
    imports: ['servers', 'hub', 'engine', 'runner', 'runtime', 'store', 'domain', 'ports'],
    never: 'adapters, orchestrator',
  },
  {
    name: 'servers',
    prefixes: ['src/servers/'],
    holds: 'protocols in front of the hub: HTTP, WebSocket, SSE, stdio, MCP',
    imports: ['hub', 'engine', 'domain', 'ports'],
    never: 'each other, adapters',
  },
  {
    name: 'channels',
    prefixes: ['src/channels/'],
    holds: 'durable queues between Neo and chat services, a folder a service',
    imports: ['hub', 'memory', 'engine', 'store', 'files', 'domain', 'ports'],
    never: 'servers',
  },
  {
    name: 'orchestrator',
    prefixes: ['src/orchestrator/'],
    holds: 'the orchestrator: turns, prompt, conversation, actions',
    imports: ['hub', 'engine', 'runtime', 'files', 'domain', 'ports'],
    never: 'runner, adapters, code of the engine',
  },
  {
    name: 'hub',
    prefixes: ['src/hub/'],
    holds: 'one table of methods, policy, audit, channels',
    imports: ['memory', 'engine', 'store', 'files', 'domain', 'ports'],
    never: 'cli, orchestrator, adapters',
  },
  {
    name: 'memory',
    prefixes: ['src/memory/'],
    holds: 'what is remembered, found by an index',
    imports: ['engine', 'store', 'files', 'domain', 'ports'],
    never: 'hub, adapters',
  },
  {
    name: 'engine',
    prefixes: ['src/engine/'],
    holds: "the path: daemon, look, plan's facts, effects, journal, outbox, lock",
    imports: ['runner', 'runtime', 'store', 'files', 'domain', 'ports'],
    never: 'adapters, cli',
  },
  {
    name: 'runner',
    prefixes: ['src/runner/', 'src/agent/'],
    holds:
      'one session: worktree, steps, checks; in `agent/` the agent loop, its tools, and command-line agents',
    imports: ['runtime', 'files', 'domain', 'ports'],
    never: 'engine, adapters',
  },
  {
    name: 'runtime',
    prefixes: ['src/agent/runtime/'],
    holds: 'conversations with models: what Neo and workers have in common',
    imports: ['domain', 'ports'],
    never: 'runner, engine',
  },
  {
    name: 'store',
    prefixes: ['src/store/'],
    holds: 'durable logs and queues over the files of the World',
    imports: ['domain', 'ports'],
    never: '`node:`, adapters',
  },
  {
    name: 'files',
    prefixes: ['src/files/'],
    holds: 'text ↔ nouns: codecs, surgical edits, merges',
    imports: ['domain', 'zod', 'yaml', 'gray-matter'],
    never: '`node:`, IO',
  },
  {
    name: 'ports',
    prefixes: ['src/ports/'],
    holds: 'World: the outside as interfaces and promises',
    imports: ['domain'],
    never: 'implementations',
  },
  {
    name: 'domain',
    prefixes: ['src/domain/'],
    holds: 'the nouns, the rules over them, and the plan: pure functions, a folder a noun',
    imports: ['itself'],
    never: 'IO, time, randomness, async',
  },
]

/** Pure folders, and the libraries that are allowed there by name. */
export const PURE: readonly { readonly prefix: string; readonly libraries: readonly string[] }[] = [
  { prefix: 'src/domain/', libraries: [] },
  { prefix: 'src/files/', libraries: ['yaml', 'zod', 'gray-matter'] },
]

/** A folder with a layer of its own is not of the layer around it. */
export function layerOf(path: string): Layer | null {
  const lengthIn = ({ prefixes }: Layer) =>
    Math.max(0, ...prefixes.filter((prefix) => path.startsWith(prefix)).map(({ length }) => length))
  const [best] = [...LAYERS, ADAPTERS].sort((a, b) => lengthIn(b) - lengthIn(a))
  return best === undefined || lengthIn(best) === 0 ? null : best
}

/** The rows as ARCHITECTURE.md has them. */
export function layerRows(): readonly string[] {
  return [...LAYERS, ADAPTERS].map(({ prefixes, holds, imports, never }) => {
    const paths = prefixes.map((prefix) => `\`${prefix}\``).join(', ')
    const may = imports === 'all' ? 'everything below' : imports.join(', ')
    return `| ${paths} | ${holds} | ${may} | ${never} |`
  })
}
