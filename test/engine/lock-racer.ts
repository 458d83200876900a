/**
 * A process that takes the lock, for the tests of lock.ts. Arguments: git dir, guard (`guard` or `none`), and how long
 * to hold it in ms. Prints `taken` or `held <pid>` as one line, holds on, releases, ends.
 */

import { openFiles } from '../../src/adapters/disk/disk-files.ts'
import { systemClock } from '../../src/adapters/machine.ts'
import { openProcesses } from '../../src/adapters/processes/processes.ts'
import { takeLock } from '../../src/engine/lock.ts'

const [gitDir = '', guard = 'guard', holdMs = '0'] = process.argv.slice(2)
const deps = { files: openFiles(), clock: systemClock(), processes: openProcesses(), version: '1.0.0' }
const none = { guard: async () => ({ kind: 'none' }) as const }
const lock = await takeLock(gitDir, guard === 'none' ? { ...deps, ...none } : deps)
process.stdout.write(lock.kind === 'taken' ? 'taken\n' : `held ${lock.pid}\n`)
if (lock.kind === 'taken') {
  await new Promise((resolve) => setTimeout(resolve, Number(holdMs)))
  lock.release()
}
