/**
 * fast-check with one seed for all property tests: vitest.config.ts puts this file in the place of the package.
 * `NEO_SEED` gives another seed; `npm run torture` draws one and prints it.
 */
import fc from '../node_modules/fast-check/lib/fast-check.js'

fc.configureGlobal({ seed: Number(process.env['NEO_SEED'] ?? 20_260_301) })

export * from '../node_modules/fast-check/lib/fast-check.js'
export { fc as default }
