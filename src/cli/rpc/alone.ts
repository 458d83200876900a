/**
 * Writing beside whoever else writes: a command takes the home's lock, and leaves a living daemon its journal. Invariant
 * 1: without a daemon the lock is held meanwhile, so that none begins in between. Invariant 2: beside a daemon the
 * journal is one of commands: nobody takes up what the other has just begun; what a killed command left there, the next
 * one carries out first. Invariant 3: what only the process that runs a session can do is refused beside a daemon,
 * unless the caller leaves that part to the daemon.
 */
import { join } from 'node:path'
import type { Context } from '../../engine/context.ts'
import { openJournal } from '../../engine/commit/journal.ts'
import { type LockOwner, lockOwner, takeLock } from '../../engine/lock.ts'
import { takeUp } from '../../engine/commit/transact.ts'
import { HUB_CODES, HubError } from '../../hub/hub.ts'

/** How commands call themselves in lock.json: they are waited for, a daemon is not. */
const VERSIONS: ReadonlySet<string> = new Set(['command', 'settle'])
const PATIENCE_MS = 10_000
const LOOK_MS = 50

/** Methods that a daemon alone can carry out while it runs, and what does it instead. */
const DAEMONS: Readonly<Record<string, string>> = {
  'ask.decide': 'neo ask approve, deny or answer does it',
  'context.clear': 'it holds the conversation; end the daemon first',
  'context.compact': 'it holds the conversation; end the daemon first',
  'context.stop': 'it makes the answer; Ctrl-C in neo chat does it',
  'scope.clear': 'it holds the conversation; end the daemon first',
  'scope.purge': 'it holds the conversation; end the daemon first',
  'session.create': 'neo task start TASK does it',
  'session.resume': 'it picks up by itself what waits',
  'session.stop': 'neo stop SESSION does it',
}

export interface Alone<T> {
  readonly method: string
  /** `beside`: a daemon runs. */
  readonly act: (own: Context, beside: 'daemon' | 'nobody') => Promise<T>
  /** The caller leaves to a daemon what only a daemon can do. */
  readonly leaves?: 'yes'
}

export async function alone<T>(context: Context, { method, act, leaves }: Alone<T>): Promise<T> {
  const { world, dir } = context
  const end = world.clock.now() + PATIENCE_MS
  for (;;) {
    const lock = await takeLock(world.git.gitDir, { ...world, version: 'command' })
    if (lock.kind === 'taken') {
      try {
        await world.git.mend()
        return await inOrder(context, (own) => act(own, 'nobody'))
      } finally {
        lock.release()
      }
    }
    const owner = lockOwner(world.git.gitDir, world)
    if (owner !== null && !VERSIONS.has(owner.version)) {
      if (leaves === undefined) refuse(method, owner)
      const journal = openJournal(world.files, join(dir, 'journal-commands.jsonl'))
      return await inOrder({ ...context, journal }, (own) => act(own, 'daemon'))
    }
    if (world.clock.now() >= end)
      throw new HubError(HUB_CODES.busy, 'Cannot change the home now: another command holds it')
    await new Promise<void>((resolve) => void world.clock.after(LOOK_MS, resolve))
  }
}

function refuse(method: string, { pid }: LockOwner): void {
  const instead = Object.hasOwn(DAEMONS, method) ? DAEMONS[method] : undefined
  if (instead !== undefined)
    throw new HubError(
      HUB_CODES.busy,
      `Cannot call ${method} while a daemon runs (process ${pid}): ${instead}`,
    )
}

/** What was left half done goes first. */
async function inOrder<T>(context: Context, act: (own: Context) => Promise<T>): Promise<T> {
  await context.look.look('all')
  await takeUp(context)
  return await act(context)
}
