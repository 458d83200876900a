/** Tests whose outcome does not depend on chance or on how busy the machine is. */
import fc from 'fast-check'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const sources = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.(ts|mjs)$/.test(path) && !path.startsWith('house/steady'))
  .map((path) => ({ path, text: readFileSync(join('test', path), 'utf8') }))

test('property tests draw from a fixed seed', () => {
  expect(fc.readConfigureGlobal().seed).toEqual(expect.any(Number))
  const values = () => fc.sample(fc.nat(), { seed: fc.readConfigureGlobal().seed ?? Number.NaN, numRuns: 20 })
  expect(values()).toEqual(values())
})

test.each([
  ['draws from Math.random', /Math\.random\(/],
  ['tries a test again', /\bretry: [1-9]\d*,? ?\}, (async )?\(\)|vi\.setConfig\(\{[^}]*retry/],
  [
    'bounds elapsed time: want MOMENT_MS, or cpuMs() for the cost of a computation (test/wait.ts)',
    /expect\([^)]*(Date|performance)\.now\(\)[^\n]*\.toBeLessThan(OrEqual)?\((?!MOMENT_MS\))/,
  ],
  ['starts a call and waits for neither its end nor its error', /\bvoid [\w.]+\([^\n]*\)\.then\(/],
  [
    'gives a limit below the 180 s of vitest.config.ts: leave it out',
    /^ *\}, (\d{1,2}_?\d{3}|1[0-7]\d_?000)\)$/m,
  ],
])('no test %s', (_, pattern) => {
  expect(sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path)).toEqual([])
})
