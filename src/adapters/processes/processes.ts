/**
 * The port Processes on a real system: steps that outlive the daemon, and stops that reach a whole tree. Invariants:
 * 1. no state here: the folders of the steps and the process table are the state; 2. events (folder, child, signal) are
 * hints to look at once; the poll alone would find the same; 3. when a wait ends, no watcher, timer or listener is left.
 */
import type { ChildProcess } from 'node:child_process'
import { type FSWatcher, watch } from 'node:fs'
import { NeoError } from '../../domain/home/error.ts'
import type { CommandResult } from '../../domain/session/session.ts'
import type { Processes, ProcessId, StepRequest, StepResult } from '../../ports/process-port.ts'
import { alive, killProcesses, self } from './process-table.ts'
import * as files from './step-files.ts'
import { startSupervisor } from './supervisor.ts'

export function openProcesses(): Processes {
  return { step: runStep, killSession, self, alive }
}

async function runStep(request: StepRequest, signal: AbortSignal): Promise<StepResult> {
  if (leaves(signal)) return { kind: 'unknown' }
  files.makeStepDir(request.dir)
  const wanted = !signal.aborted && Date.now() < request.deadline
  const fresh = files.readStep(request.dir).kind === 'absent'
  const child = fresh && wanted ? await startSupervisor(request) : null
  const verdict = await wait(request, signal, child)
  if (verdict === 'leave') return { kind: 'unknown' }
  if (verdict === 'over') return await finish(request)
  return await stop(request, verdict)
}

function leaves(signal: AbortSignal): boolean {
  return signal.aborted && signal.reason === 'leave'
}

async function finish(request: StepRequest): Promise<StepResult> {
  const state = files.readStep(request.dir)
  switch (state.kind) {
    case 'ended':
      await files.keepExit(request.dir)
      return ended(request, 'exit', state.exitCode)
    case 'stopped':
      return await stop(request, state.reason)
    case 'lost':
      return { kind: 'unknown' }
    case 'absent':
    case 'running':
      throw new NeoError('internal', `Cannot read step in ${request.dir}: its files changed after it ended`)
  }
}

/** Also ends the processes if the disk refuses the reason. */
async function stop(request: StepRequest, reason: files.StopReason): Promise<StepResult> {
  try {
    files.writeStopped(request.dir, reason)
  } finally {
    const claim = files.readClaim(request.dir)
    await killProcesses(request.session, claim === null ? [] : [claim])
  }
  files.cutOutput(request.dir, request.outputLimit)
  return ended(request, reason, null)
}

function ended(request: StepRequest, how: CommandResult['ended'], exitCode: number | null): StepResult {
  const { dir, argv } = request
  files.maskOutput(dir)
  const result = {
    command: argv.join(' '),
    exitCode,
    ended: how,
    tail: files.tailOf(dir),
    ms: files.duration(dir),
  }
  return { kind: 'ended', result }
}

/** Steps that have not ended are marked stopped first; otherwise their outcome would be unknown. */
async function killSession(session: string, stepDirs: readonly string[]): Promise<number> {
  for (const dir of stepDirs) markStopped(dir)
  const claims = stepDirs.map(files.readClaim).filter((claim): claim is ProcessId => claim !== null)
  return await killProcesses(session, claims)
}

function markStopped(dir: string): void {
  const { kind } = files.readStep(dir)
  if (kind !== 'running' && kind !== 'absent') return
  try {
    files.writeStopped(dir, 'stopped')
  } catch {
    // Ending the processes matters more; without the mark the step's outcome is unknown.
  }
}

type Verdict = files.StopReason | 'over' | 'leave'

/** Soon enough after a supervisor was killed, and cheap. */
const POLL_MS = 250
/** Each write of the command is an event: one look in this time is enough to hold the output limit. */
const THROTTLE_MS = 10

/** Resolves with the first verdict. Rejects with NeoError if a supervisor ends without a claim. */
function wait(request: StepRequest, signal: AbortSignal, child: ChildProcess | null): Promise<Verdict> {
  return new Promise((resolve, reject) => {
    const stops: (() => void)[] = []
    const end = (settle: () => void) => {
      for (const stop of stops.splice(0)) stop()
      settle()
    }
    const look = () => {
      try {
        const verdict = judge(request, signal, child)
        if (verdict !== null) end(() => resolve(verdict))
      } catch (error) {
        end(() => reject(error))
      }
    }
    stops.push(onFolder(request.dir, look), onPoll(request, look), onSignal(signal, look))
    if (child !== null) stops.push(onExit(child, look))
    look()
  })
}

function judge(request: StepRequest, signal: AbortSignal, child: ChildProcess | null): Verdict | null {
  if (signal.aborted && signal.reason === 'leave') return 'leave'
  // Read before the state: a supervisor that has ended cannot make its claim after that look.
  const gone = child === null || child.exitCode !== null || child.signalCode !== null
  const state = files.readStep(request.dir)
  if (state.kind !== 'running' && state.kind !== 'absent') return 'over'
  if (signal.aborted) return 'stopped'
  if (Date.now() >= endOf(request)) return 'timeout'
  if (state.kind === 'absent' && gone)
    throw new NeoError('disk', `Cannot claim step in ${request.dir}: its supervisor ended without a claim`)
  return files.outputSize(request.dir) > request.outputLimit ? 'output-limit' : null
}

/** Epoch ms at which the step is stopped, as far as is known before its command starts. */
function endOf({ dir, deadline, limitMs }: StepRequest): number {
  const began = limitMs === undefined ? null : files.beganAt(dir)
  return began === null || limitMs === undefined ? deadline : Math.min(deadline, began + limitMs)
}

/** Looks at once, or when the last look is THROTTLE_MS ago. */
function onFolder(dir: string, look: () => void): () => void {
  let last = 0
  let timer: NodeJS.Timeout | null = null
  const late = () => {
    timer = null
    last = performance.now()
    look()
  }
  const hint = (_event: string, name: string | null) => {
    const rest = name === 'out' ? last + THROTTLE_MS - performance.now() : 0
    if (rest <= 0) late()
    else timer ??= setTimeout(late, rest)
  }
  const watcher = watchFolder(dir, hint)
  return () => {
    watcher?.close()
    if (timer !== null) clearTimeout(timer)
  }
}

/** Null if the system has no watch left: the poll carries the load. */
function watchFolder(dir: string, hint: (event: string, name: string | null) => void): FSWatcher | null {
  try {
    const watcher = watch(dir, hint)
    watcher.on('error', () => watcher.close())
    return watcher
  } catch {
    return null
  }
}

function onPoll(request: StepRequest, look: () => void): () => void {
  let timer: NodeJS.Timeout
  const next = () => {
    const rest = endOf(request) - Date.now()
    timer = setTimeout(tick, rest > 0 ? Math.min(rest + 1, POLL_MS) : POLL_MS)
  }
  const tick = () => {
    next()
    look()
  }
  next()
  return () => clearTimeout(timer)
}

function onSignal(signal: AbortSignal, look: () => void): () => void {
  signal.addEventListener('abort', look)
  return () => signal.removeEventListener('abort', look)
}

function onExit(child: ChildProcess, look: () => void): () => void {
  child.on('exit', look)
  return () => child.off('exit', look)
}
