/**
 * A tool of an MCP server that does a task by itself (`mcp:<server>`): one call a round, with the prompt. Invariants:
 * 1. a server that is a process runs confined, or a person has approved it; one over HTTP only if the room permits it;
 * 2. a call is on disk before it is made, so a restart never makes it twice: it isn't known how far it got; 3. what the
 * server says is masked before it is written.
 */
import { join } from 'node:path'
import { NO_USAGE } from '../../domain/agent/model-message.ts'
import { redact } from '../../domain/secrets/redact.ts'
import { mcpTarget } from '../../domain/task/worker-kinds.ts'
import type { McpServerConfig } from '../../domain/home/home-config.ts'
import type { McpConnection } from '../../ports/mcp-port.ts'
import { abortedEnd } from '../../runner/deps.ts'
import { type Run, OUTPUT_BYTES } from '../../runner/run-step.ts'
import { approveUnconfined } from '../approvals/ask-to-run.ts'
import { type McpSession, masked, openMcpSession, startServer } from '../mcp-servers.ts'
import type { AgentEnd } from '../worker-model-call.ts'
import { BUSY_TEXT } from './exec-busy.ts'
import { rateLimited } from './limit-pause.ts'
import { approveWorker, failedWorker, type OpenProgram, type SelfWorker, THE_WORKER } from './self-worker.ts'
import { toolForTask } from './tool-for-task.ts'

interface McpWork extends SelfWorker {
  readonly session: McpSession
  readonly server: string
  readonly tool: string | null
  readonly config: McpServerConfig
  connection: McpConnection | null
}

interface Answer {
  readonly text: string
  readonly isError: boolean
}

/** Lines of the server that the transcript keeps in one round, and how long one is. */
const MOST_LINES = 500
const LONGEST_LINE = 500
/** The end of an answer that failed, as of a command. */
const TAIL = 4096

export const openMcp: OpenProgram = (self) => {
  const { server, tool } = mcpTarget(self.name)
  const config = self.brief.mcp?.servers[server]
  if (config === undefined) return { wrong: `the room has or permits no MCP server ${server}` }
  const session = openMcpSession(self.run, self.deps, self.confine)
  const work: McpWork = Object.assign(self, { session, server, tool, config, connection: null })
  return {
    earlier: (key) => earlier(work, key),
    allowed: () => allowed(work),
    call: (of) => callOnce(work, of),
  }
}

function earlier(work: McpWork, key: string): AgentEnd | null {
  const before = work.run.deps.world.files.readJson(noteOf(work.run, key)) as Partial<Answer> | null
  if (before === null) return null
  return before.text === undefined ? interrupted(work, key) : ended(work, before as Answer)
}

/** Without a sandbox, a person approves a process once a session; so they do what leaves the machine, or what the room asks about. */
async function allowed(work: McpWork): Promise<string | null> {
  const { run, brief, confine, server, config } = work
  const permission = brief.mcp?.permission ?? null
  const what = config.kind === 'http' ? config.url : [config.command, ...config.args].join(' ')
  if (config.kind === 'stdio' && confine.kind === 'none')
    return await approveUnconfined(run, { ...THE_WORKER, commands: [what], why: confine.why, steps: [] })
  if (permission === 'allow' || (permission === null && config.kind === 'stdio')) return null
  const reason =
    config.kind === 'http'
      ? `this sends the task to the MCP server ${server}`
      : `this room needs approval to run the MCP server ${server} for a task`
  return await approveWorker(work, { tool: 'mcp', arguments: { server, what }, reason })
}

async function callOnce(
  work: McpWork,
  { key, prompt }: { readonly key: string; readonly prompt: string },
): Promise<AgentEnd> {
  const { run, deps, brief, session, log, server } = work
  const { world, signal, on } = run.deps
  const connection = work.connection ?? (await startServer(session, server, work.config))
  if (signal.aborted) return abortedEnd(signal)
  if ('wrong' in connection)
    return failedWorker(`the MCP server ${server} is not available: ${connection.wrong}`)
  work.connection = connection
  const tool = toolForTask(connection.tools, work)
  if ('wrong' in tool) return failedWorker(tool.wrong)
  const args = tool.arguments(prompt, run.place.cwd)
  log.put('tool_call', `${key}-call`, { tool: `${server}/${tool.name}`, input: args })
  world.files.writeJson(noteOf(run, key), {})
  on.line?.(`calls ${server}/${tool.name}`)
  const ms = Math.max(1, run.deadline - world.clock.now())
  const limits = { ms, signal, said: listener(work, key) }
  const given = await connection.call({ tool: tool.name, args }, limits)
  // No answer came, so the note stays as it is.
  if (signal.aborted) return abortedEnd(signal)
  const answer = { text: redact(masked(session, given.text)).slice(0, OUTPUT_BYTES), isError: given.isError }
  log.put('tool_result', `${key}-result`, {
    result: { text: answer.text, isError: answer.isError ? 'yes' : 'no' },
  })
  const usage = { ...NO_USAGE, source: 'estimated' as const }
  deps.used(run.record, { key: `${run.record.id}:${key}`, usage, model: brief.model })
  const isLate = answer.isError && world.clock.now() >= run.deadline
  world.files.writeJson(noteOf(run, key), answer)
  return isLate ? { kind: 'failed', why: 'timeout', error: 'Timed out', tail: '' } : ended(work, answer)
}

/** Progress and log messages, for `neo session tail` and the transcript. */
function listener({ run, session, log }: McpWork, key: string): (line: string) => void {
  let count = 0
  return (line) => {
    const text = redact(masked(session, line)).trim().slice(0, LONGEST_LINE)
    if (text === '' || count >= MOST_LINES) return
    log.note('assistant', `${key}-said-${count++}`, { parts: [{ kind: 'text', text }] })
    run.deps.on.line?.(text)
  }
}

function ended(work: McpWork, { text, isError }: Answer): AgentEnd {
  const [first = ''] = text.split('\n').filter((line) => line.trim() !== '')
  const line = first.trim()
  work.said = { result: line, report: text.includes('\n') ? text : '' }
  if (!isError) return { kind: 'passed' }
  if (BUSY_TEXT.test(text)) return rateLimited(work.run, text)
  const says = line === '' ? '' : `: ${line}`
  return { ...failedWorker(`the MCP server ${work.server} failed${says}`), tail: text.slice(-TAIL) }
}

/** It ran when the daemon ended, and its end was not seen. */
function interrupted({ server }: McpWork, step: string): AgentEnd {
  const error = `the MCP server ${server} was interrupted, and it is unknown how far it got`
  return { kind: 'unknown', step, error }
}

/** `{}` while the call runs, then its answer. */
function noteOf({ deps }: Run, key: string): string {
  return join(deps.dirs.session, `${key}.json`)
}
