/** Guard: overrides drivers that the repository's own configuration names. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { gitEnvironment, spawnGit, zeroSplit } from './spawn.ts'
interface Cached {
  readonly dir: string
  readonly stamp: string
  readonly pairs: readonly (readonly [string, string])[]
}
const cache = new Map<string, Cached>()
export async function guardOf(cwd: string, hooks: 'on' | 'off'): Promise<Record<string, string>> {
  const pairs = [
    ['core.fsmonitor', 'false'] as const,
    ...(hooks === 'off' ? [['core.hooksPath', '/dev/null'] as const] : []),
    ...(await own(cwd)),
  ]
  const env: Record<string, string> = { GIT_CONFIG_COUNT: String(pairs.length) }
  for (const [index, [key, value]] of pairs.entries()) {
    env[`GIT_CONFIG_KEY_${index}`] = key
    env[`GIT_CONFIG_VALUE_${index}`] = value
  }
  return env
}
async function own(cwd: string): Promise<readonly (readonly [string, string])[]> {
  const known = cache.get(cwd)
  if (known !== undefined && known.stamp === stampOf(known.dir)) return known.pairs
  const env = gitEnvironment({})
  const dir = (await spawnGit(cwd, ['rev-parse', '--path-format=absolute', '--git-common-dir'], { env })).out
    .toString()
    .trim()
  if (dir === '') return []
  const listed = await spawnGit(cwd, ['config', '--local', '--includes', '--list', '--name-only', '-z'], {
    env,
  })
  const pairs = zeroSplit(listed.out).flatMap(neutral)
  cache.set(cwd, { dir, stamp: stampOf(dir), pairs })
  return pairs
}
function stampOf(dir: string): string {
  const stat = statSync(join(dir, 'config'), { throwIfNoEntry: false })
  return stat === undefined ? '' : `${stat.mtimeMs} ${stat.size} ${stat.ino}`
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
  return /^merge\..*\.driver$/i.test(key) ? [[key, 'false']] : []
}
