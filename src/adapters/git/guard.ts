/**
 * The guard: configuration that stops git from running programs which a repository's own configuration names.
 * A worker can write `.git/config`; the daemon's git must not become its hand (12-cases, C21). What the user set up
 * globally (LFS, for one) stays in force. Takes a folder; gives environment entries, so that no name needs quoting.
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { gitEnvironment, spawnGit, zeroSplit } from './spawn.ts'

type Pairs = readonly (readonly [string, string])[]

const cache = new Map<string, { readonly stamp: string; readonly pairs: Pairs }>()

const ALWAYS: Pairs = [['core.fsmonitor', 'false']]
const NO_HOOKS: Pairs = [['core.hooksPath', '/dev/null']]

/** The overrides for git commands in this folder, as environment entries. */
export async function guardOf(cwd: string, hooks: 'on' | 'off'): Promise<Record<string, string>> {
  const pairs = [...ALWAYS, ...(hooks === 'off' ? NO_HOOKS : []), ...(await ownDrivers(cwd))]
  const env: Record<string, string> = { GIT_CONFIG_COUNT: String(pairs.length) }
  for (const [index, [key, value]] of pairs.entries()) {
    env[`GIT_CONFIG_KEY_${index}`] = key
    env[`GIT_CONFIG_VALUE_${index}`] = value
  }
  return env
}

async function ownDrivers(cwd: string): Promise<Pairs> {
  const dir = commonDirAbove(cwd)
  if (dir === null) return []
  const stamp = stampOf(dir)
  const known = cache.get(dir)
  if (known !== undefined && known.stamp === stamp) return known.pairs
  const env = gitEnvironment({})
  const local = await spawnGit(cwd, ['config', '--local', '--includes', '--list', '--name-only', '-z'], {
    env,
  })
  const worktree = await spawnGit(
    cwd,
    ['config', '--worktree', '--includes', '--list', '--name-only', '-z'],
    { env },
  )
  const pairs = [...zeroSplit(local.out), ...zeroSplit(worktree.out)].flatMap(neutral)
  if (isWhole(dir)) cache.set(dir, { stamp, pairs })
  return pairs
}

/** The shared git dir of the work tree that holds this folder, from git's own files; no process for it. */
export function commonDirAbove(cwd: string): string | null {
  for (let at = resolve(cwd); ; at = dirname(at)) {
    const stat = statSync(join(at, '.git'), { throwIfNoEntry: false })
    if (stat !== undefined) return stat.isDirectory() ? join(at, '.git') : throughFile(at)
    if (dirname(at) === at) return null
  }
}

function throughFile(at: string): string | null {
  const gitDir = /^gitdir: (.*)\n?$/.exec(readFileSync(join(at, '.git'), 'utf8'))?.[1]
  if (gitDir === undefined) return null
  const dir = resolve(at, gitDir)
  const shared = statSync(join(dir, 'commondir'), { throwIfNoEntry: false })
  return shared === undefined ? dir : resolve(dir, readFileSync(join(dir, 'commondir'), 'utf8').trim())
}

/** False where other files have a say too, whose changes the stamp does not show. */
function isWhole(dir: string): boolean {
  const file = join(dir, 'config')
  return !existsSync(file) || !/include|worktreeconfig/i.test(readFileSync(file, 'utf8'))
}

/** The configuration file itself: git writes it anew, unchanged, whenever it deletes a branch. */
function stampOf(dir: string): string {
  const file = join(dir, 'config')
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

function neutral(key: string): (readonly [string, string])[] {
  const filter = /^(filter\..*)\.(clean|smudge|process|required)$/i.exec(key)?.[1]
  if (filter !== undefined)
    return [
      [`${filter}.clean`, ''],
      [`${filter}.smudge`, ''],
      [`${filter}.process`, ''],
      [`${filter}.required`, 'false'],
    ]
  // A driver that always fails: the merge is a conflict, and a person decides.
  if (/^merge\..*\.driver$/i.test(key)) return [[key, 'false']]
  return /^(core\.(sshcommand|askpass|gitproxy|alternaterefscommand)|gpg\.(.*\.)?program)$/i.test(key)
    ? [[key, 'false']]
    : []
}
