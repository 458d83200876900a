/** The rows of the benchmark: none is lost, and docs/bench.md says what each measures. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ROWS } from '../../bench/rows.ts'

/** What is measured, and its goals: the section before the results. */
const [, goals = ''] = readFileSync('docs/bench.md', 'utf8').split(/^## (?:Rows and goals|Results)$/m)

test('docs/bench.md has a row for each row of the benchmark', () => {
  const documented = [...goals.matchAll(/^\| `(\w+)` \|/gm)]
  expect(documented.map(([, name]) => name).sort()).toEqual(ROWS.map(({ name }) => name).sort())
})
