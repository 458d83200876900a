/**
 * Brings a home's files to rest without starting anything, for commands without a daemon such as `neo review accept`.
 */
import { startsWork } from '../domain/plan/decision.ts'
import type { World } from '../ports/world.ts'
import { takeLock } from './lock.ts'
import { openHome } from './open-engine.ts'
import { runRounds } from './round.ts'

/** `held`: a daemon runs, and sees the change by itself. */
export async function settleHome(world: World, home: string): Promise<'settled' | 'held'> {
  const lock = await takeLock(world.git.gitDir, { ...world, version: 'settle' })
  if (lock.kind === 'held') return 'held'
  try {
    await world.git.mend()
    const context = await openHome({ home, world, settleMs: 0 })
    await runRounds(context, 'all', { allow: (decision) => !startsWork(decision) })
    return 'settled'
  } finally {
    await lock.release()
  }
}
