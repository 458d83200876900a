/** The rows of the benchmark: none is lost, and docs/bench.md says what each measures. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ROWS } from '../../bench/rows.ts'

/** What is measured, and its goals: the section before the results. */
const [, goals = ''] = readFileSync('docs/bench.md', 'utf8').split(/^## (?:Rows and goals|Results)$/m)

test('docs/bench.md has a row for each row of the benchmark', () => {
  const documented = [...goals.matchAll(/^\| `(\w+)` \|/gm)]
  expect(documented.map(([, name]) => name).sort()).toEqual(ROWS.map(({ name }) => name).sort())
})

/** Programs that rows start: no compiler sees what they import of the built program. */
const PROGRAMS = readdirSync('bench').filter((name) => name.endsWith('.mjs'))

test.each(PROGRAMS)('bench/%s imports what the sources export', (name) => {
  const text = readFileSync(`bench/${name}`, 'utf8')
  const imports = [...text.matchAll(/^import \{ ([^}]+) \} from '\.\.\/dist\/(.+)\.js'$/gm)]
  expect(imports.length).toBeGreaterThan(0)
  const missing = imports.flatMap(([, names = '', module = '']) => {
    const path = `src/${module}.ts`
    const source = existsSync(path) ? readFileSync(path, 'utf8') : ''
    const exported = (one: string) =>
      new RegExp(`^export (?:async )?(?:function|const|class) ${one}\\b`, 'm').test(source)
    return names.split(', ').flatMap((one) => (exported(one) ? [] : [`${path}: ${one}`]))
  })
  expect(missing).toEqual([])
})
