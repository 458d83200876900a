/** One place starts git, so that every git process of ours names its repository and its configuration. */
import { expect, test } from 'vitest'
import { sources } from './source.ts'

const PLACE = 'src/adapters/git/process/spawn.ts'
/** `spawn('git', …)`, `execFile("git", …)`, `exec('git …')`, a library that does it, or git at the end of a path. */
const STARTS = [
  /\b(?:spawn|spawnSync|exec|execSync|execFile|execFileSync|fork)\(\s*['"`](?:[^'"`]*\/)?git\b/,
  /\bsimple-?git\b(?!-hooks)/i,
  /\bargv:\s*\[\s*['"`]git['"`]/,
]

test('no file but one starts git', () => {
  const others = sources('src').filter(
    ({ path, text }) => path !== PLACE && STARTS.some((way) => way.test(text)),
  )
  expect(others.map(({ path }) => path)).toEqual([])
})

test('the file that starts git is used by adapters of git alone', () => {
  const users = sources('src').filter(({ imports }) => imports.some((from) => from.endsWith('git/spawn.ts')))
  expect(users.map(({ path }) => path).filter((path) => !path.startsWith('src/adapters/git/'))).toEqual([])
})
