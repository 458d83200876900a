/**
 * The port Processes on a real system: steps that outlive the daemon, and stops that reach a whole tree. Invariant 1: no
 * state here: the folders of the steps and the process table are the state.
 */

import { NeoError } from '../../domain/home/error.ts'
import type { CommandResult } from '../../domain/session/session.ts'
import type { Processes, ProcessId, StepRequest, StepResult } from '../../ports/process-port.ts'
import { alive, self } from './identity.ts'
import { killProcesses } from './kill.ts'
import * as files from './step-files.ts'
import { readClaim, readStep, type StopReason, writeStopped } from './step-files.ts'
import { startSupervisor } from './supervisor.ts'
import { wait } from './wait-process.ts'

/** Keeps the promise of `Processes.step`. */
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

/** Where the disk refuses the reason, the processes are ended all the same. */
async function stop(request: StepRequest, reason: StopReason): Promise<StepResult> {
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

/** Gives the Processes of this machine. */
export function openProcesses(): Processes {
  return { step: runStep, killSession, self, alive }
}

/** Steps that have not ended are marked stopped first, so that nobody who picks them up finds them unknown. */
async function killSession(session: string, stepDirs: readonly string[]): Promise<number> {
  for (const dir of stepDirs) markStopped(dir)
  const claims = stepDirs.map(readClaim).filter((claim): claim is ProcessId => claim !== null)
  return await killProcesses(session, claims)
}

/** A disk that refuses the mark does not keep us from ending the processes. */
function markStopped(dir: string): void {
  const { kind } = readStep(dir)
  if (kind !== 'running' && kind !== 'absent') return
  try {
    writeStopped(dir, 'stopped')
  } catch {
    // Ending the processes matters more; without the mark the step's outcome is unknown.
  }
}
