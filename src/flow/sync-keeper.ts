/**
 * When the home is brought in step with its remote (`daemon.sync`), and what is said about it.
 * Takes each finished round; syncs where it is time. Leaves to sync.ts: the steps.
 * Invariant 1: never beside a round, never while an intent waits or the home is away.
 */
import type { Context } from './context.ts'
import type { Health } from './health.ts'
import type { Rounds } from './round.ts'
import { syncOnce } from './sync.ts'
import { counted } from '../core/rules/counted.ts'

export interface SyncKeeper {
  /** Syncs if it is time. True where something came from the remote: then everything is looked at afresh. */
  after(round: Rounds): Promise<boolean>
  /** Epoch ms of the next time; null where sync is off. */
  next(): number | null
}

/** So that a remote that hangs holds up the rounds for a moment only. */
const LIMIT_MS = 20_000

export function openSyncKeeper(context: Context, health: Health): SyncKeeper {
  const { world, home, look } = context
  let last = Number.NEGATIVE_INFINITY

  function next(): number | null {
    const { syncMs } = look.config()
    return syncMs === null || world.remote === undefined ? null : last + syncMs
  }

  return {
    next,
    async after(round) {
      const at = next()
      const { git } = round.snapshot
      if (at === null || world.clock.now() < at || round.waiting > 0 || git.kind !== 'home') return false
      last = world.clock.now()
      const { remote } = world
      if (remote === undefined) return false
      const synced = await context.line(() =>
        syncOnce({ home, branch: git.branch, git: world.git, remote, ms: LIMIT_MS }),
      )
      switch (synced.kind) {
        case 'alone':
        case 'waits':
          health.well('sync')
          return false
        case 'even':
          health.well('sync')
          if (synced.brought > 0)
            context.emit({ kind: 'sync', text: `${counted(synced.brought, 'commit')} came from the remote` })
          return synced.brought > 0
        case 'conflict':
        case 'trouble':
          health.trouble('sync', synced.why)
          return false
      }
    },
  }
}
