/**
 * fast-check with one seed for all property tests: vitest.config.ts puts this file in the place of the package.
 * `NEO_SEED` gives another seed, `NEO_RUNS` another share of each property's runs; `npm run torture` draws a seed, prints
 * it, and does all runs.
 */
import fc from '../node_modules/fast-check/lib/fast-check.js'

const SHARE = Number(process.env['NEO_RUNS'] ?? 0.3)
/** What fast-check does where a property says nothing; fewer find too little. */
const LEAST = 100

fc.configureGlobal({ seed: Number(process.env['NEO_SEED'] ?? 20_260_301) })

/** The property is run a share of `numRuns` times. */
export function assert(property, parameters = {}) {
  const { numRuns = LEAST } = parameters
  return fc.assert(property, {
    ...parameters,
    numRuns: Math.max(Math.min(numRuns, LEAST), Math.round(numRuns * SHARE)),
  })
}

export * from '../node_modules/fast-check/lib/fast-check.js'
const all = { ...fc, assert }
// biome-ignore lint/style/noDefaultExport: the package has one
export default all
