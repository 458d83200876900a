/**
 * Tools of the room's MCP servers, as tools of the session's agent: `mcp_<server>_<tool>`. Invariants: 1. a value
 * that was filled in for a server is masked in every result; 2. a server that does not start, hangs or dies is an error
 * result; 3. its server is the user's choice, so it runs as the user, unconfined.
 */
import { createHash } from 'node:crypto'
import type { JsonObject } from '../domain/agent/model-message.ts'
import type { McpServerConfig, Permission } from '../domain/home/home-config.ts'
import type { AgentBrief } from '../domain/session/session.ts'
import type { McpConnection, McpTool } from '../ports/mcp-port.ts'
import type { AgentDeps } from '../runner/deps.ts'
import type { Run } from '../runner/run-step.ts'
import { type McpSession, masked, openMcpSession, startServer } from './mcp-servers.ts'
import { Interrupted } from './services.ts'
import { ok, wrong } from './tools/result.ts'
import type { Tool, ToolResult } from './tools/tool.ts'

export interface McpTools {
  readonly tools: readonly Tool[]
  /** The room's permission for a tool; null: not a tool of an MCP server. */
  permissionOf(name: string): Permission | null
}

interface Session extends McpSession {
  readonly brief: AgentBrief
  readonly permissions: Map<string, Permission>
}

const CALL_MS = 5 * 60_000
const LONGEST_NAME = 64

export async function openMcpTools(run: Run, deps: AgentDeps, brief: AgentBrief): Promise<McpTools> {
  const servers = Object.entries(brief.mcp?.servers ?? {})
  const session: Session = { ...openMcpSession(run, deps), brief, permissions: new Map() }
  const lists = await Promise.all(servers.map(([name, config]) => toolsOf(session, name, config)))
  const tools = new Map(lists.flat().map((tool) => [tool.name, tool]))
  return { tools: [...tools.values()], permissionOf: (name) => session.permissions.get(name) ?? null }
}

async function toolsOf(session: Session, name: string, config: McpServerConfig): Promise<readonly Tool[]> {
  const connection = await startServer(session, name, config)
  if ('wrong' in connection) return [absent(session, name, connection.wrong)]
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
