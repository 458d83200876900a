/**
 * Tools of the room's MCP servers, as tools of the session's agent: `mcp_<server>_<tool>`. Invariants: 1. `${NAME}` is
 * filled in here and nowhere else, and a value that was filled in is masked in every result; 2. a server that does not
 * start, hangs or dies is an error result; 3. a server sees of the daemon's environment what its entry and the room
 * name; it is the user's choice, so it runs as the user, unconfined; 4. no server outlives its session.
 */
import { createHash } from 'node:crypto'
import type { JsonObject } from '../domain/agent/model-message.ts'
import type { McpServerConfig, Permission } from '../domain/room/room.ts'
import { learnHandedOut, learnSecrets } from '../domain/secrets/known-secrets.ts'
import type { AgentBrief } from '../domain/session/session.ts'
import type { McpConnection, McpServer, McpTool } from '../ports/mcp-port.ts'
import type { AgentDeps } from '../runner/deps.ts'
import type { Run } from '../runner/run-step.ts'
import { stepEnvironment } from '../runner/session-environment.ts'
import { Interrupted } from './services.ts'
import { ok, wrong } from './tools/result.ts'
import type { Tool, ToolResult } from './tools/tool.ts'

export interface McpTools {
  readonly tools: readonly Tool[]
  /** The room's permission for a tool; null: not a tool of an MCP server. */
  permissionOf(name: string): Permission | null
}

interface Session {
  readonly run: Run
  readonly brief: AgentBrief
  readonly open: (server: McpServer) => Promise<McpConnection | { readonly wrong: string }>
  readonly connections: McpConnection[]
  readonly secrets: Set<string>
  readonly permissions: Map<string, Permission>
}

/** The first start of a server may download it. */
const START_MS = 60_000
const CALL_MS = 5 * 60_000
const LONGEST_NAME = 64
/** A shorter value is no secret, and masking it would spoil what is read. */
const LEAST_SECRET = 6
const NAME = /\$\$\{|\$\{([A-Za-z_]\w*)\}/g

const sessions = new WeakMap<Run, Session>()

export async function openMcpTools(run: Run, deps: AgentDeps, brief: AgentBrief): Promise<McpTools> {
  const { mcp } = deps
  const servers = Object.entries(brief.mcp?.servers ?? {})
  const connections: McpConnection[] = []
  const open: Session['open'] = async (server) => {
    if (mcp === undefined) return { wrong: 'this build has no MCP client' }
    const opened = await mcp.open([server], { ms: START_MS, signal: run.deps.signal })
    const connection = opened.get(server.name) ?? { wrong: 'it was not opened' }
    if (!('wrong' in connection)) connections.push(connection)
    return connection
  }
  const session = { run, brief, open, connections, secrets: new Set<string>(), permissions: new Map() }
  sessions.set(run, session)
  const lists = await Promise.all(servers.map(([name, config]) => toolsOf(session, name, config)))
  const tools = new Map(lists.flat().map((tool) => [tool.name, tool]))
  return { tools: [...tools.values()], permissionOf: (name) => session.permissions.get(name) ?? null }
}

/** Ends the servers of a session. A session that continues later starts them again. */
export async function closeMcpTools(run: Run): Promise<void> {
  const session = sessions.get(run)
  sessions.delete(run)
  await Promise.all((session?.connections ?? []).map((connection) => connection.close()))
}

async function toolsOf(session: Session, name: string, config: McpServerConfig): Promise<readonly Tool[]> {
  const server = filledServer(session, name, config)
  const connection = 'wrong' in server ? server : await session.open(server)
  if ('wrong' in connection) return [absent(session, name, masked(session, connection.wrong))]
  for (const { name: tool, why } of connection.leftOut)
    session.run.deps.on.line?.(`left out the tool ${tool} of the MCP server ${name}: ${why}`)
  return connection.tools.map((tool) => toolOf(session, { server: name, connection, tool }))
}

/** In the place of a server that cannot be used: the model sees that it is missing, and why. */
function absent(session: Session, server: string, why: string): Tool {
  session.run.deps.on.line?.(`the MCP server ${server} is not available: ${why}`)
  const name = toolName(server, '')
  session.permissions.set(name, 'allow')
  return {
    name,
    summary: `The MCP server ${server}, which is not available: ${why}`,
    docs: 'Continue without it, or ask a person.',
    input: { json: { type: 'object', properties: {} } },
    examples: [],
    effect: 'reads',
    run: async () => wrong(`Cannot use the MCP server ${server}: ${why}`),
  }
}

interface Of {
  readonly server: string
  readonly connection: McpConnection
  readonly tool: McpTool
}

function toolOf(session: Session, { server, connection, tool }: Of): Tool {
  const name = toolName(server, tool.name)
  const reads = tool.readOnly
  session.permissions.set(name, session.brief.mcp?.permission ?? (reads ? 'allow' : 'ask'))
  return {
    name,
    summary: `${tool.name} of the MCP server ${server}. ${tool.description}`.trim(),
    docs: '',
    input: { json: tool.schema },
    examples: [],
    effect: reads ? 'reads' : 'changes',
    run: (args) => call(session, { server, connection, tool }, args),
  }
}

async function call(
  session: Session,
  { server, connection, tool }: Of,
  args: JsonObject,
): Promise<ToolResult> {
  const { world, signal } = session.run.deps
  const ms = Math.max(1, Math.min(CALL_MS, session.run.deadline - world.clock.now()))
  const { text, isError } = await connection.call({ tool: tool.name, args }, { ms, signal })
  if (signal.aborted) throw new Interrupted('stopped while an MCP server worked')
  const shown = masked(session, text)
  if (!isError) return ok(shown === '' ? '(no output)' : shown)
  return wrong(`${tool.name} of the MCP server ${server} failed: ${shown}`)
}

/** Within `[a-zA-Z0-9_-]{1,64}`; a name that had to be changed or cut ends in a hash, so that no two are the same. */
function toolName(server: string, tool: string): string {
  const whole = tool === '' ? `mcp_${server}` : `mcp_${server}_${tool}`
  const plain = whole.replaceAll(/[^\w-]/g, '_')
  if (plain === whole && whole.length <= LONGEST_NAME) return whole
  const hash = createHash('sha256').update(`${server}\n${tool}`).digest('hex').slice(0, 8)
  return `${plain.slice(0, LONGEST_NAME - hash.length - 1)}_${hash}`
}

/** A process works in the home, never in the worktree: there it might start what a model wrote. */
function filledServer(
  session: Session,
  name: string,
  config: McpServerConfig,
): McpServer | { readonly wrong: string } {
  const { dirs } = session.run.deps
  const missing = new Set<string>()
  const fill = (text: string) => filled(session, text, missing)
  const all = (pairs: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(pairs).map(([key, text]) => [key, fill(text)]))
  const own = { NEO_SESSION: session.run.record.id, NEO_WORKSPACE: session.run.place.cwd }
  const server: McpServer =
    config.kind === 'http'
      ? { name, kind: 'http', url: fill(config.url), headers: all(config.headers) }
      : {
          name,
          kind: 'stdio',
          argv: [fill(config.command), ...config.args.map(fill)],
          env: { ...environmentOf(session), ...learned(all(config.env)), ...own },
          cwd: dirs.home,
        }
  if (missing.size > 0) return { wrong: `missing environment variables: ${[...missing].join(', ')}` }
  const file = server.kind === 'stdio' ? startedFrom(session, server.argv) : null
  return file === null
    ? server
    : {
        wrong: `it would run ${file} outside the sandbox, and a model can change that file; move it out of the worktree`,
      }
}

const INTERPRETER = /(?:^|\/)(?:node|bun|deno|python[\d.]*|ruby|perl|php|sh|bash|zsh)$/

/**
 * A word of a command that names something in the worktree other than a folder, or a folder that an interpreter would
 * start. A folder alone is data: what a server is to work in.
 */
function startedFrom({ run }: Session, argv: readonly string[]): string | null {
  const { dirs, world } = run.deps
  const [program = '', ...args] = argv
  const main = INTERPRETER.test(program) ? args.find((word) => !word.startsWith('-')) : undefined
  const found = argv.find((word) => {
    const at = word.indexOf(dirs.worktree)
    if (at < 0) return false
    return word === program || word === main || world.files.stat(word.slice(at), 'folder') === null
  })
  return found === undefined ? null : found.slice(found.indexOf(dirs.worktree))
}

function learned(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  learnSecrets(env)
  return env
}

/** The small base of a step and the room's names; what these hold is masked in results. */
function environmentOf({ run, secrets }: Session): Readonly<Record<string, string>> {
  const { record, deps } = run
  for (const name of record.env) {
    const value = deps.env[name] ?? ''
    if (value.length >= LEAST_SECRET) secrets.add(value)
  }
  return stepEnvironment(record, deps.dirs.home, deps.env)
}

function filled({ run, secrets }: Session, text: string, missing: Set<string>): string {
  return text.replaceAll(NAME, (whole, name: string | undefined) => {
    if (name === undefined) return whole.slice(1)
    if (name === 'NEO_WORKSPACE') return run.place.cwd
    const value = run.deps.env[name] ?? ''
    if (value === '') missing.add(name)
    if (value.length >= LEAST_SECRET) secrets.add(value)
    learnHandedOut([name], run.deps.env)
    return value
  })
}

function masked({ secrets }: Session, text: string): string {
  return [...secrets].reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
}
