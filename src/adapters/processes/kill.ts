/**
 * Ends the processes of a session: SIGTERM, and SIGKILL after 2 s, again and again until two looks find none (one, where
 * there was nothing to end). Invariant 1: it resolves within 5 s. Invariant 2: a process once seen as ours stays a
 * target, though its parent is gone by the next look.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { ProcessId } from '../../ports/process-port.ts'
import { sessionProcesses } from './process-table.ts'

const GRACE_MS = 2000
/** Less than the promised 5 s, so that the last look and the caller's files fit in. */
const LIMIT_MS = 4700
const FIRST_LOOK_MS = 5
const LOOK_MS = 100

/** Ends every process of a session. */
export async function killProcesses(session: string, supervisors: readonly ProcessId[]): Promise<number> {
  const began = performance.now()
  const known = new Map<number, string>()
  const asked = new Set<string>()
  let pause = FIRST_LOOK_MS
  for (let empty = 0; ; ) {
    const left = sessionProcesses(session, supervisors, known)
    empty = left.size === 0 ? empty + 1 : 0
    const elapsed = performance.now() - began
    const quiet = empty === 2 || (empty === 1 && asked.size === 0 && supervisors.length === 0)
    if (quiet || elapsed > LIMIT_MS) return left.size
    for (const [pid, start] of left) known.set(pid, start)
    if (elapsed >= GRACE_MS) signalAll(left, 'SIGKILL')
    else signalAll(notYet(left, asked), 'SIGTERM')
    await delay(pause)
    pause = Math.min(pause * 2, LOOK_MS)
  }
}

/** Those that were not asked before; they count as asked from now on. */
function notYet(left: ReadonlyMap<number, string>, asked: Set<string>): ReadonlyMap<number, string> {
  const fresh = [...left].filter(([pid, start]) => !asked.has(`${pid} ${start}`))
  for (const [pid, start] of fresh) asked.add(`${pid} ${start}`)
  return new Map(fresh)
}

function signalAll(processes: ReadonlyMap<number, string>, signal: 'SIGTERM' | 'SIGKILL'): void {
  for (const pid of processes.keys()) {
    try {
      process.kill(pid, signal)
    } catch {
      // Gone since the look, or not ours to end: the next look tells.
    }
  }
}
