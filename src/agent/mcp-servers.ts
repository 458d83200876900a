/**
 * The MCP servers of a session's room: started for it, with their keys, and ended with it. Invariants: 1. `${NAME}` is
 * filled in here and nowhere else, and a value that was filled in can be masked; 2. a server sees of the daemon's
 * environment what its entry and the room name; 3. no server outlives its session.
 */
import type { McpServerConfig } from '../domain/home/home-config.ts'
import { learnHandedOut, learnSecrets } from '../domain/secrets/known-secrets.ts'
import type { McpConnection, McpServer } from '../ports/mcp-port.ts'
import type { AgentDeps } from '../runner/deps.ts'
import type { Run } from '../runner/run-step.ts'
import { stepEnvironment } from '../runner/session-environment.ts'
import type { Confiner } from './approvals/confiner.ts'

/** One opening of servers for one run. */
export interface McpSession {
  readonly run: Run
  readonly clients: AgentDeps['mcp']
  /** Absent or of kind `none`: a server runs as the user, which is the user's choice. */
  readonly confine?: Confiner
  readonly connections: McpConnection[]
  readonly secrets: Set<string>
}

/** The first start of a server may download it. */
const START_MS = 60_000
/** A shorter value is no secret, and masking it would spoil what is read. */
const LEAST_SECRET = 6
const NAME = /\$\$\{|\$\{([A-Za-z_]\w*)\}/g

const sessions = new WeakMap<Run, McpSession>()

export function openMcpSession(run: Run, deps: AgentDeps, confine?: Confiner): McpSession {
  const session: McpSession = {
    run,
    clients: deps.mcp,
    ...(confine === undefined ? {} : { confine }),
    connections: [],
    secrets: new Set(),
  }
  sessions.set(run, session)
  return session
}

/** Starts a server, or says in one line why it can't be used. */
export async function startServer(
  session: McpSession,
  name: string,
  config: McpServerConfig,
): Promise<McpConnection | { readonly wrong: string }> {
  const { run, clients, connections } = session
  const server = filledServer(session, name, config)
  if ('wrong' in server) return server
  if (clients === undefined) return { wrong: 'this build has no MCP client' }
  const opened = await clients.open([server], { ms: START_MS, signal: run.deps.signal })
  const connection = opened.get(name) ?? { wrong: 'it was not opened' }
  if ('wrong' in connection) return { wrong: masked(session, connection.wrong) }
  connections.push(connection)
  return connection
}

/** Ends the servers of a session. A session that continues later starts them again. */
export async function closeMcpServers(run: Run): Promise<void> {
  const session = sessions.get(run)
  sessions.delete(run)
  await Promise.all((session?.connections ?? []).map((connection) => connection.close()))
}

/** Without the values that the session's servers got. */
export function masked({ secrets }: Pick<McpSession, 'secrets'>, text: string): string {
  return [...secrets].reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
}

function filledServer(
  session: McpSession,
  name: string,
  config: McpServerConfig,
): McpServer | { readonly wrong: string } {
  const { dirs } = session.run.deps
  const missing = new Set<string>()
  const fill = (text: string) => filled(session, text, missing)
  const all = (pairs: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(pairs).map(([key, text]) => [key, fill(text)]))
  const server: McpServer =
    config.kind === 'http'
      ? { name, kind: 'http', url: fill(config.url), headers: all(config.headers) }
      : {
          name,
          kind: 'stdio',
          argv: [fill(config.command), ...config.args.map(fill)],
          env: learned(all(config.env)),
          cwd: dirs.home,
        }
  if (missing.size > 0) return { wrong: `missing environment variables: ${[...missing].join(', ')}` }
  return server.kind === 'http' ? server : placed(session, server)
}

/** In the sandbox in the worktree. Outside in the home, never in the worktree: there it might start what a model wrote. */
function placed(
  session: McpSession,
  server: McpServer & { readonly kind: 'stdio' },
): ReturnType<typeof filledServer> {
  const { run, confine } = session
  const own = { ...server.env, NEO_SESSION: run.record.id, NEO_WORKSPACE: run.place.cwd }
  const base = environmentOf(session)
  if (confine?.env != null)
    return {
      ...server,
      argv: confine.wrap(server.argv, own),
      env: { ...confine.env, ...own },
      cwd: run.place.cwd,
    }
  const file = startedFrom(session, server.argv)
  if (file === null) return { ...server, env: { ...base, ...own } }
  return {
    wrong: `it would run ${file} outside the sandbox, and a model can change that file; move it out of the worktree`,
  }
}

const INTERPRETER = /(?:^|\/)(?:node|bun|deno|python[\d.]*|ruby|perl|php|sh|bash|zsh)$/

/**
 * A word of a command that names something in the worktree other than a folder, or a folder that an interpreter would
 * start. A folder alone is data: what a server is to work in.
 */
function startedFrom({ run }: McpSession, argv: readonly string[]): string | null {
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
function environmentOf({ run, secrets }: McpSession): Readonly<Record<string, string>> {
  const { record, deps } = run
  for (const name of record.env) {
    const value = deps.env[name] ?? ''
    if (value.length >= LEAST_SECRET) secrets.add(value)
  }
  return stepEnvironment(record, deps.dirs.home, deps.env)
}

function filled({ run, secrets }: McpSession, text: string, missing: Set<string>): string {
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
