/**
 * One step from here: starts its supervisor or picks it up, waits, holds the limits, and stops it. The folder decides,
 * never what this process remembers, so any number of callers, in any number of processes, see the same. Invariant 1:
 * `stopped` is on disk before the first signal is sent, so a stop that a crash cut short is finished by the next caller
 * and never looks unknown. Invariant 2: abort with the reason `leave` writes nothing and signals nothing.
 */
import { NeoError } from '../../domain/home/error.ts'
import type { CommandResult } from '../../domain/session/session.ts'
import type { StepRequest, StepResult } from '../../ports/world.ts'
import { killProcesses } from './kill.ts'
import * as files from './step-files.ts'
import type { StopReason } from './step-files.ts'
import { startSupervisor } from './supervisor.ts'
import { wait } from './wait-process.ts'

/** Keeps the promise of `Processes.step`. */
export async function runStep(request: StepRequest, signal: AbortSignal): Promise<StepResult> {
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
