/** Filters whose commands name files of the repository that they filter. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { allowFilterAt, filtersAt } from '../../../src/adapters/git/process/git-invocation.ts'
import { type Bench, openBench } from './repo.ts'

let bench: Bench
beforeEach(async () => {
  bench = await openBench({ '.gitignore': '.neo/\n', 'tools/crypt.sh': 'cat\n' })
})
afterEach(() => bench.close())

test.each([
  ['named outright', (top: string) => `${top}/tools/crypt.sh %f`],
  ['through code', (top: string) => `sh -c 'exec "${top}/tools/crypt.sh"'`],
  ['after cd', (top: string) => `cd ${top}&& ./tools/crypt.sh`],
  ['by a path that rises', (top: string) => `/usr/../${top}/./tools/crypt.sh`],
])('a program in the repository itself, %s, is not allowed: sessions change it', async (_, command) => {
  bench.person('config', 'filter.crypt.clean', command(bench.home))
  expect(await allowFilterAt(bench.home, 'crypt')).toBe(false)
  const { filters = [] } = (await filtersAt(bench.home)) ?? {}
  expect(filters).toMatchObject([
    { name: 'crypt', state: 'withheld', inside: expect.stringContaining(bench.home) },
  ])
})
