/**
 * Adds up what ran and prints the last line of a run: `N passed, N failed`.
 *
 *   node scripts/count.mjs EXIT_CODE VITEST.json [CHECKS.json]
 *
 * EXIT_CODE is that of vitest. A file that could not be loaded, a report that is missing and an error outside any
 * test count as one failure each. Exit code 1 when anything failed.
 */
import { existsSync, readFileSync } from 'node:fs'

const [exitCode, tests, checks] = process.argv.slice(2)
const parts = [ofTests(readJson(tests), Number(exitCode)), ofChecks(readJson(checks))]
const passed = parts.reduce((sum, part) => sum + part.passed, 0)
const failed = parts.reduce((sum, part) => sum + part.failed, 0)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0

function ofTests(report, code) {
  if (report === null) return { passed: 0, failed: 1 }
  const unloaded = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  )
  const failures = report.numFailedTests + unloaded.length
  return { passed: report.numPassedTests, failed: failures === 0 && code !== 0 ? 1 : failures }
}

function ofChecks(report) {
  return report ?? { passed: 0, failed: 1 }
}

function readJson(path) {
  if (path === undefined || !existsSync(path)) return null
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}
