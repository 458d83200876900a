/**
 * Command-line agents (`exec:<name>`): a program of the user's that does a task by itself. It gets a prompt; its output
 * is read as it streams; its exit code says how it went. Invariants: 1. it runs confined, or a person has approved it;
 * 2. exit code 75 means that a rate limit is reached, and uses no retry; 3. its usage is taken from its output, or
 * counts as unknown.
 */
import { basename, dirname, join } from 'node:path'
import { below } from '../../domain/agent/confinement.ts'
import type { ExecWorker } from '../../domain/home/home-config.ts'
import { NO_USAGE } from '../../domain/agent/model-message.ts'
import { redact } from '../../domain/secrets/redact.ts'
import type { CommandResult } from '../../domain/session/session.ts'
import { leaving } from '../../runner/deps.ts'
import { outputIn, runProcess } from '../../runner/run-step.ts'
import { approveUnconfined } from '../approvals/ask-to-run.ts'
import { confinedEnvironment, promptDir } from '../approvals/confiner.ts'
import type { AgentEnd } from '../worker-model-call.ts'
import { type ExecOutput, readExecOutput } from './exec-output.ts'
import { rateLimited } from './limit-pause.ts'
import { approveWorker, failedWorker, type OpenProgram, type SelfWorker, THE_WORKER } from './self-worker.ts'

interface ExecWork extends SelfWorker {
  readonly exec: ExecWorker
}

/** As bwrap, shells, node and most others say it. */
const MISSING = /No such file or directory|not found|ENOENT|Cannot find module/i
const PROGRAM = /^bwrap: execvp (.+): No such file or directory$/m
const ABSOLUTE = /\/[^\s:'"`,;)]+/g
/** Paths of one output that are looked for. */
const MOST_LOOKED = 20

function notShown({ name, run: { deps } }: SelfWorker, tail: string): string | null {
  const [, program] = PROGRAM.exec(tail) ?? []
  const paths = tail
    .split('\n')
    .filter((line) => MISSING.test(line))
    .flatMap((line) => line.match(ABSOLUTE) ?? [])
    .slice(0, MOST_LOOKED)
  const hidden = paths.find(
    (path) =>
      below(deps.dirs.worktree, path) === null &&
      deps.world.files.names(dirname(path)).includes(basename(path)),
  )
  if (hidden === undefined && program === undefined) return null
  const setting = `workers.${name}.read in neo.yaml`
  return hidden === undefined
    ? `The sandbox hides ${program}: add its folder to ${setting}, and run neo trust`
    : `The sandbox hides ${hidden}: add it to ${setting}, and run neo trust`
}

/** As sysexits.h has it: a temporary failure. */
const TEMPORARY = 75
/** Linux takes 128 KiB, the end mark included, as one argument. */
const MOST_OF_ARGUMENT = 128 * 1024 - 1
const TOO_LONG =
  'the prompt is too long for a command-line argument: set prompt: stdin or prompt: file for this worker in neo.yaml'
/** How often the growing output is looked at. */
const LOOK_MS = 500

export const openExec: OpenProgram = (self) => {
  const { exec } = self.brief
  if (exec === undefined) return { wrong: `neo.yaml had no worker ${self.name} when the session started` }
  const work = Object.assign(self, { exec })
  return {
    earlier: (key) => (isBegun(work, key) ? 'begun' : null),
    allowed: (key) => allowed(work, key),
    async call(of) {
      if (exec.prompt === 'argument' && Buffer.byteLength(of.prompt) > MOST_OF_ARGUMENT)
        return failedWorker(TOO_LONG)
      return await runOnce(work, of)
    },
  }
}

function isBegun({ run }: SelfWorker, key: string): boolean {
  const { world, dirs } = run.deps
  return world.files.names(join(dirs.session, 'steps', key)).includes('claim')
}

/** Without a sandbox, or if the room asks before commands, a person approves it once a session. */
async function allowed(work: ExecWork, key: string): Promise<string | null> {
  const { run, brief, confine } = work
  const { shell } = brief.permissions
  if (shell === 'deny') return 'permissions.shell of the room denies commands, and this worker is a command'
  if (shell === 'allow' && confine.kind !== 'none') return null
  const command = work.exec.command.join(' ')
  if (confine.kind === 'none')
    return await approveUnconfined(run, {
      ...THE_WORKER,
      commands: [command],
      why: confine.why,
      steps: [key],
    })
  const reason = `this room needs approval to run a program for a task: ${command}`
  return await approveWorker(work, { tool: 'exec', arguments: { command }, reason })
}

async function runOnce(
  work: ExecWork,
  of: { readonly key: string; readonly prompt: string },
): Promise<AgentEnd> {
  const { run, log, exec } = work
  const { dirs, signal } = run.deps
  const dir = join(dirs.session, 'steps', of.key)
  const argv = argvOf(work, of)
  log.put('tool_call', `${of.key}-call`, { tool: 'exec', command: exec.command.join(' ') })
  const watched = watch(work, dir)
  const env = work.confine.env ?? confinedEnvironment(run, exec.env)
  const step = await runProcess(run, { dir, argv, env, deadline: run.deadline })
  watched.stop()
  if (step.kind === 'unknown') {
    if (leaving(signal)) return { kind: 'left' }
    return {
      kind: 'unknown',
      step: of.key,
      error: 'the worker was interrupted, and it is unknown how far it got',
    }
  }
  return ended(work, { key: of.key, result: step.result, output: outputOf(work, dir) })
}

/** The prompt is a file in the session's folder. As standard input it is opened outside the sandbox. */
function argvOf(
  { run, exec: { command, prompt }, confine }: ExecWork,
  of: { readonly key: string; readonly prompt: string },
): readonly [string, ...string[]] {
  if (prompt === 'argument') return confine.wrap([...command, of.prompt])
  const file = join(promptDir(run), `${of.key}.txt`)
  run.deps.world.files.save(file, Buffer.from(of.prompt), null)
  if (prompt === 'file') return confine.wrap([...command, file])
  return ['sh', '-c', 'exec <"$0" "$@"', file, ...confine.wrap(command)]
}

/** Tells what streams out while it runs. */
function watch(exec: SelfWorker, dir: string): { stop(): void } {
  const { clock } = exec.run.deps.world
  let told = 0
  let cancel = () => {}
  const look = () => {
    const { lines } = outputOf(exec, dir, 'whole lines')
    for (const line of lines.slice(told)) exec.run.deps.on.line?.(line)
    told = Math.max(told, lines.length)
    cancel = clock.after(LOOK_MS, look)
  }
  cancel = clock.after(LOOK_MS, look)
  return { stop: () => cancel() }
}

/** While it runs, its last line may still grow, and may hold the half of a secret. */
function outputOf({ run }: SelfWorker, dir: string, part: 'all' | 'whole lines' = 'all'): ExecOutput {
  const text = outputIn(run, dir) ?? ''
  return readExecOutput(redact(part === 'all' ? text : text.slice(0, text.lastIndexOf('\n') + 1)))
}

function ended(
  exec: SelfWorker,
  of: { readonly key: string; readonly result: CommandResult; readonly output: ExecOutput },
): AgentEnd {
  const { run, deps, log, brief } = exec
  const { result, output } = of
  log.put('tool_result', `${of.key}-result`, {
    exit_code: result.exitCode,
    ended: result.ended,
    output: result.tail,
    ms: result.ms,
    is_error: result.exitCode !== 0,
  })
  const usage = output.usage ?? { ...NO_USAGE, source: 'estimated' as const }
  deps.used(run.record, {
    key: `${run.record.id}:${of.key}`,
    usage,
    model: output.model ?? brief.model,
    usd: output.usd,
  })
  exec.said = { result: output.result, report: output.report }
  return endingOf(exec, result, output)
}

function endingOf(exec: SelfWorker, result: CommandResult, output: ExecOutput): AgentEnd {
  const { run } = exec
  const { signal } = run.deps
  if (result.ended === 'stopped')
    return { kind: 'stopped', why: signal.aborted ? String(signal.reason) : 'stopped' }
  if (result.exitCode === 0 && !output.failed) return { kind: 'passed' }
  const isBusy = output.busy && result.ended !== 'timeout'
  if (result.exitCode === TEMPORARY || output.limited || isBusy)
    return rateLimited(run, output.aboutLimit, output.resetsAt)
  if (result.ended === 'timeout')
    return { kind: 'failed', why: 'timeout', error: 'Timed out', tail: result.tail }
  const hidden = exec.confine.kind === 'none' ? null : notShown(exec, result.tail)
  if (hidden !== null) return { kind: 'failed', why: 'agent', error: hidden, tail: result.tail }
  const how = result.exitCode === null ? result.ended : `exit code ${result.exitCode}`
  const why = output.trouble.split('\n')[0] || output.result
  const says = why === '' ? '' : `: ${why}`
  return { kind: 'failed', why: 'agent', error: `the worker ended with ${how}${says}`, tail: result.tail }
}
