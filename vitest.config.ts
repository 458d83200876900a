import { fileURLToPath } from 'node:url'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** Tests of pure code, which nothing outlives: those of one worker share a process and the modules in it. */
const PURE = ['test/core/**/*.test.ts', 'test/formats/**/*.test.ts']
/** Except for what learns secrets, which a process keeps. */
const LEARNING = [
  'test/core/redact.test.ts',
  'test/core/rules/known-secrets.test.ts',
  'test/formats/config.test.ts',
  'test/formats/kinds.test.ts',
  'test/formats/schemas.test.ts',
]

const ROOT = fileURLToPath(new URL('./', import.meta.url))

export default defineConfig({
  // Property tests draw the same values in every run: test/fast-check.mjs sets the seed.
  resolve: {
    alias: [
      { find: /^fast-check$/, replacement: fileURLToPath(new URL('test/fast-check.mjs', import.meta.url)) },
    ],
  },
  test: {
    // Bounds that show that a test ends: a busy machine was seen to take nine times as long.
    testTimeout: 300_000,
    // A test that passes at the second try tells nothing: what fails is mended.
    retry: 0,
    hookTimeout: 240_000,
    // Tests wait for programs more than they compute.
    maxWorkers: Math.min(8, 2 * availableParallelism()),
    // Programs that tests start act on homes that git alone has made, and remember none in the user's own folder.
    env: { NEO_TRUST: '1', XDG_CONFIG_HOME: join(tmpdir(), 'neo-test-config') },
    // The built program is loaded as it is.
    server: { deps: { external: [new RegExp(`^${ROOT.replaceAll(/[^\w/]/g, '\\$&')}dist/`)] } },
    projects: [
      { extends: true, test: { name: 'pure', include: PURE, exclude: LEARNING, isolate: false } },
      { extends: true, test: { name: 'learning', include: LEARNING } },
      {
        extends: true,
        test: { name: 'real', include: ['test/**/*.test.ts'], exclude: PURE, globalSetup: ['test/setup.ts'] },
      },
    ],
  },
})
