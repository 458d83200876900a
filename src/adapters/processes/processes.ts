/**
 * The port Processes on a real system: steps that outlive the daemon, and stops that reach a whole tree. Invariant 1: no
 * state here: the folders of the steps and the process table are the state.
 */
import type { ProcessId, Processes } from '../../ports/world.ts'
import { alive, self } from './identity.ts'
import { killProcesses } from './kill.ts'
import { runStep } from './step.ts'
import { readClaim, readStep, writeStopped } from './step-files.ts'

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
