/**
 * The tools of one session: which it has, what each call gets, and which need approval. Invariants: 1. a command of a
 * model runs confined, or a person has approved it; 2. no key of the daemon's environment reaches a command; 3. a tool
 * that the room denies is not offered.
 */
import { join } from 'node:path'
import type { JsonObject } from '../domain/agent/model-message.ts'
import type { Permission } from '../domain/home/home-config.ts'
import type { AgentBrief } from '../domain/session/session.ts'
import type { AgentDeps } from '../runner/deps.ts'
import { outputIn, type Run, runProcess } from '../runner/run-step.ts'
import { stepEnvironment } from '../runner/session-environment.ts'
import { approveUnconfined } from './approvals/ask-to-run.ts'
import { type Confiner, confinerOf, isOfHome } from './approvals/confiner.ts'
import type { Toolbox } from './calls.ts'
import { type McpTools, openMcpTools } from './mcp-tools.ts'
import { Interrupted, openServices } from './services.ts'
import type { Services, Tool, ToolContext } from './tools/tool.ts'
import { TOOLS } from './tools/tool-table.ts'

export async function openToolbox(
  run: Run,
  of: { readonly deps: AgentDeps; readonly brief: AgentBrief; readonly told: Set<string> },
): Promise<Toolbox> {
  const { deps, brief } = of
  const services = openServices(run, deps, of.told)
  const confine = await confinerOf(run, deps.sandbox, brief)
  const mcp = await openMcpTools(run, deps, brief)
  const own = TOOLS.filter((tool) => isOffered(tool, brief))
  const tools = new Map([...own, ...mcp.tools].map((tool) => [tool.name, tool]))
  return {
    tools,
    context: (call) => contextOf({ run, deps, brief, services, confine }, call),
    gate: (tool, args, call) => gate({ run, services, brief, confine, mcp }, tool, { args, call }),
  }
}

function isOffered({ name }: Tool, { permissions, depth }: AgentBrief): boolean {
  if (name === 'shell') return permissions.shell !== 'deny'
  if (name === 'fetch_url') return permissions.network !== 'deny'
  return name !== 'spawn_subagent' || depth < 2
}

interface Parts {
  readonly run: Run
  readonly deps: AgentDeps
  readonly brief: AgentBrief
  readonly services: Services
  readonly confine: Confiner
}

function contextOf(parts: Parts, call: string): ToolContext {
  const { run, deps, brief, services } = parts
  return {
    root: run.deps.dirs.worktree,
    cwd: run.place.cwd,
    call,
    // The gate has asked already, with what confines in mind.
    permissions: { ...brief.permissions, shell: 'allow', network: 'allow' },
    home: isOfHome(run) ? 'yes' : 'no',
    tree: deps.tree,
    files: run.deps.world.files,
    search: deps.search,
    web: deps.web,
    services,
    signal: run.deps.signal,
    run: (command) => runConfined(parts, call, command),
  }
}

async function runConfined(
  { run, confine }: Parts,
  call: string,
  command: { readonly line: string; readonly timeoutMs: number },
): ReturnType<ToolContext['run']> {
  const { world, dirs, signal, env } = run.deps
  const dir = join(dirs.session, 'steps', `tool-${call}`)
  const step = await runProcess(run, {
    dir,
    argv: confine.wrap(['sh', '-c', command.line.replaceAll('\0', '')]),
    env: confine.env ?? stepEnvironment(run.record, dirs.home, env),
    deadline: Math.min(run.deadline, world.clock.now() + command.timeoutMs),
  })
  if (step.kind === 'unknown') {
    if (signal.aborted) throw new Interrupted('the session was left while a command ran')
    return null
  }
  if (step.result.ended === 'stopped' && signal.aborted) throw new Interrupted('stopped')
  const output = outputIn(run, dir) ?? step.result.tail
  return { result: { ...step.result, command: command.line }, output }
}

interface Gate extends Omit<Parts, 'deps'> {
  readonly mcp: McpTools
}

/** Commands, the web and MCP servers follow the room's permissions; without a sandbox, every command asks. */
async function gate(
  of: Gate,
  tool: Tool,
  { args, call }: { readonly args: JsonObject; readonly call: string },
): Promise<string | null> {
  const wanted = permissionFor(tool, of)
  if (wanted === 'allow') return null
  if (wanted === 'deny') return `the permissions of the room deny ${tool.name}`
  if (tool.name === 'shell' && of.confine.kind === 'none')
    return await approveUnconfined(of.run, {
      what: 'a command',
      commands: [String(args['command'])],
      why: of.confine.why,
      label: `command-${call}`,
      once: `command-${call}`,
      steps: [`tool-${call}`],
    })
  const approval = await of.services.approve(`leave-${call}`, {
    tool: tool.name,
    arguments: args,
    reason: reasonFor(tool, of),
  })
  return approval.verdict === 'yes' ? null : `not allowed: ${approval.why}`
}

function permissionFor({ name }: Tool, { brief, confine, mcp }: Gate): Permission {
  if (name === 'fetch_url') return brief.permissions.network
  if (name !== 'shell') return mcp.permissionOf(name) ?? 'allow'
  return brief.permissions.shell === 'allow' && confine.kind === 'none' ? 'ask' : brief.permissions.shell
}

function reasonFor({ name }: Tool, { mcp }: Gate): string {
  if (mcp.permissionOf(name) !== null)
    return `${name} can change something, and permissions.mcp does not allow it`
  return `the permissions of the room ask before ${name}`
}
