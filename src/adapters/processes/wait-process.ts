/**
 * Waits until a step is over or must be stopped. Invariant 1: events (folder, child, signal) are hints to look at once;
 * the poll alone would find the same. Invariant 2: when it resolves, nothing of it is left: no watcher, timer or
 * listener.
 */
import type { ChildProcess } from 'node:child_process'
import { type FSWatcher, watch } from 'node:fs'
import { NeoError } from '../../domain/home/error.ts'
import type { StepRequest } from '../../ports/process-port.ts'
import { beganAt, outputSize, readStep, type StopReason } from './step-files.ts'

export type Verdict = StopReason | 'over' | 'leave'

/** Short enough to see soon that a supervisor was killed, long enough to cost nothing. */
const POLL_MS = 250
/** Each write of the command is an event: one look in this time is enough to hold the output limit. */
const THROTTLE_MS = 10

/** Resolves with the first verdict. Rejects with NeoError where a supervisor ends without having claimed. */
export function wait(
  request: StepRequest,
  signal: AbortSignal,
  child: ChildProcess | null,
): Promise<Verdict> {
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
  const state = readStep(request.dir)
  if (state.kind !== 'running' && state.kind !== 'absent') return 'over'
  if (signal.aborted) return 'stopped'
  if (Date.now() >= endOf(request)) return 'timeout'
  if (state.kind === 'absent' && gone)
    throw new NeoError('disk', `Cannot claim step in ${request.dir}: its supervisor ended without a claim`)
  return outputSize(request.dir) > request.outputLimit ? 'output-limit' : null
}

/** Epoch ms at which the step is stopped, as far as is known before its command starts. */
function endOf({ dir, deadline, limitMs }: StepRequest): number {
  const began = limitMs === undefined ? null : beganAt(dir)
  return began === null || limitMs === undefined ? deadline : Math.min(deadline, began + limitMs)
}

/** Looks at an event at once when the last look is long enough ago, else when it is. */
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
