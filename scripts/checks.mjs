/**
 * Everything that can be said about the sources without running the program's own tests: format, lint, types, unused
 * code, and the tests of the house (layers, shape, folder lists, documents). Runs all, says what failed and why.
 *
 *   node scripts/checks.mjs [--without-tests] [--counts FILE]
 *
 * `--counts` writes {"passed": n, "failed": n}, one for each check. Exit code 1 when any failed.
 */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'

const CODE = ['src', 'page', 'test', 'bench', 'scripts']
const CHECKS = [
  { name: 'format', argv: ['biome', 'format', ...CODE] },
  { name: 'lint', argv: ['biome', 'lint', '--error-on-warnings', ...CODE] },
  { name: 'types', argv: ['tsc', '--noEmit', '-p', 'tsconfig.test.json'] },
  { name: 'page', argv: ['tsc', '-p', 'page/tsconfig.json'] },
  { name: 'unused', argv: ['knip', '--no-progress'] },
  { name: 'house', argv: ['vitest', 'run', '--reporter=dot', 'test/house'] },
]

const options = process.argv.slice(2)
const wanted = CHECKS.filter(({ name }) => name !== 'house' || !options.includes('--without-tests'))
const failed = wanted.filter((check) => !passes(check)).map(({ name }) => name)
const counts = options.indexOf('--counts')
if (counts >= 0) {
  writeFileSync(
    options[counts + 1],
    JSON.stringify({ passed: wanted.length - failed.length, failed: failed.length }),
  )
}
if (failed.length > 0) console.log(`Checks failed: ${failed.join(', ')}`)
process.exitCode = failed.length > 0 ? 1 : 0

function passes({ name, argv: [program, ...args] }) {
  const started = performance.now()
  const run = spawnSync(`node_modules/.bin/${program}`, args, {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  const good = run.status === 0
  console.log(`${good ? 'ok     ' : 'failed '} ${name.padEnd(8)} ${seconds} s`)
  if (!good) console.log(run.error ? String(run.error) : `${run.stdout}${run.stderr}`.trimEnd())
  return good
}
