/**
 * The world of the sessions' tests: real files, processes and git on temporary folders.
 * Imported by the scripts of the crash tests too, so it names no test library.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { openFiles } from '../../src/adapters/disk/disk-files.ts'
import { openProcesses } from '../../src/adapters/processes/processes.ts'
import type { Git } from '../../src/ports/git-port.ts'
import type { World } from '../../src/ports/world.ts'

/** What runSession uses of the world. */
export function world(): Pick<World, 'git' | 'processes' | 'files' | 'clock'> {
  const clock = { now: () => Date.now(), after: () => () => {} }
  return { files: openFiles(), processes: openProcesses(), clock, git: plainGit() as Git }
}

/** The part of Git that sessions use, in as few commands as will do. */
function plainGit(): Partial<Git> {
  return {
    blobId: (bytes) => createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex'),
    hooksDir: async (place) => `${place.repository}/.git/hooks`,
    holdsDecoded: async () => false,
    diff: async ({ repository, base }, branch) => run(repository, 'diff', `${base}...${branch}`),
    branchExists: async (place, branch) => run(place.repository, 'branch', '--list', branch) !== '',
    addWorktree: async ({ place, dir, branch, from }) => {
      run(place.repository, 'worktree', 'prune')
      const target = from === branch ? [dir, branch] : ['-b', branch, dir, from]
      run(place.repository, 'worktree', 'add', '-q', ...target)
      return { head: run(dir, 'rev-parse', 'HEAD') }
    },
    removeWorktree: async (place, dir) => {
      run(place.repository, 'worktree', 'remove', dir)
      return { kind: 'removed' }
    },
    detachWorktree: async (_, dir) => {
      run(dir, 'checkout', '-q', '--detach')
    },
    commitWorktree: async ({ dir, branch, from, subject }) => {
      if (run(dir, 'branch', '--show-current') !== branch) return { kind: 'refused', why: 'another branch' }
      run(dir, 'add', '-A')
      if (run(dir, 'diff', '--cached', '--name-only') !== '') run(dir, 'commit', '-q', '-m', subject)
      const changed = run(dir, 'diff', '--name-only', from, 'HEAD') !== ''
      return { kind: 'ok', commit: run(dir, 'rev-parse', 'HEAD'), changed }
    },
  }
}

function run(cwd: string, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=T', '-c', 'user.email=t@localhost']
  return execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8', stdio: 'pipe' }).trimEnd()
}
