/**
 * Names the tests that passed only when they were tried again, and says how each try before had failed.
 *
 *   node scripts/retried.mjs VITEST.json
 */
import { existsSync, readFileSync } from 'node:fs'

/** A message may hold all that a program has said: its beginning and its end tell. */
const MOST = 3_000

const [path] = process.argv.slice(2)
const report = path !== undefined && existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : { testResults: [] }
const retried = report.testResults.flatMap(({ assertionResults }) =>
  assertionResults.filter(({ status, failureMessages }) => status === 'passed' && failureMessages.length > 0),
)
if (retried.length > 0) console.log('ci: passed only when tried again:')
for (const { fullName, failureMessages } of retried) {
  console.log(`   ${fullName} (tries before: ${failureMessages.length})`)
  for (const message of failureMessages) console.log(cut(message).replaceAll(/^/gm, '      '))
}

function cut(text) {
  if (text.length <= MOST) return text
  return `${text.slice(0, MOST / 2)}\n…\n${text.slice(-MOST / 2)}`
}
