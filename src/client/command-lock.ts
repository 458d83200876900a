/**
 * The lock that a writing command holds. Invariant 1: without a daemon the home's lock is held in the meantime, so that none
 * starts in between. Invariant 2: beside a daemon the journal is one of commands: neither recovers what the other has
 * just begun; what a killed command left in it, the next command finishes first. Invariant 3: what only the process that
 * runs a session can do is refused beside a daemon.
 */
import { join } from 'node:path'
import { openJournal } from '../engine/commit/journal.ts'
import { recoverJournal } from '../engine/commit/recover-journal.ts'
import type { Context } from '../engine/context.ts'
import { lockOwner, takeLock } from '../engine/lock.ts'
import { HUB_CODES, HubError } from '../hub/hub.ts'

/** How commands call themselves in lock.json: a command is waited for, a daemon is not. */
const VERSIONS: ReadonlySet<string> = new Set(['command', 'settle'])
/** Commands end by themselves: eight at once took more than 10 s on a busy machine. */
const PATIENCE_MS = 60_000
const LOOK_MS = 50

/** Methods that only the daemon can carry out while it runs, and what to do instead. */
const ONLY_DAEMON: Readonly<Record<string, string>> = {
  'context.clear': 'it holds the conversation; stop the daemon first',
  'context.compact': 'it holds the conversation; stop the daemon first',
  'context.stop': 'it writes the answer; press Ctrl-C in neo chat',
  'scope.clear': 'it holds the conversation; stop the daemon first',
  'scope.purge': 'it holds the conversation; stop the daemon first',
  'session.create': 'run neo task start TASK',
  'session.resume': 'it resumes waiting sessions by itself',
}

/** Throws HubError `busy` if another command holds the home, or only the running daemon can carry out the method. */
export async function withCommandLock<T>(
  context: Context,
  method: string,
  act: (own: Context, beside: 'daemon' | 'nobody') => Promise<T>,
): Promise<T> {
  const { world, dir } = context
  const end = world.clock.now() + PATIENCE_MS
  for (;;) {
    const lock = await takeLock(world.git.gitDir, { ...world, version: 'command' })
    if (lock.kind === 'taken') {
      try {
        await world.git.mend()
        return await recovered(context, (own) => act(own, 'nobody'))
      } finally {
        lock.release()
      }
    }
    const owner = lockOwner(world.git.gitDir, world)
    if (owner !== null && !VERSIONS.has(owner.version)) {
      if (Object.hasOwn(ONLY_DAEMON, method)) throw onlyDaemon(method, owner.pid)
      const journal = openJournal(world.files, join(dir, 'journal-commands.jsonl'))
      return await recovered({ ...context, journal }, (own) => act(own, 'daemon'))
    }
    if (world.clock.now() >= end)
      throw new HubError(
        HUB_CODES.busy,
        `Cannot change the home now: another command holds its lock${by(owner)}`,
      )
    await new Promise<void>((resolve) => void world.clock.after(LOOK_MS, resolve))
  }
}

function by(owner: { readonly pid: number } | null): string {
  return owner === null ? '' : ` (process ${owner.pid})`
}

function onlyDaemon(method: string, pid: number): HubError {
  return new HubError(
    HUB_CODES.busy,
    `Cannot call ${method} while a daemon runs (process ${pid}): ${ONLY_DAEMON[method]}`,
  )
}

/** First finishes what a killed command left in the journal. */
async function recovered<T>(context: Context, act: (own: Context) => Promise<T>): Promise<T> {
  await context.look.look('all')
  await recoverJournal(context)
  return await act(context)
}
