import { fileURLToPath } from 'node:url'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

const ROOT = fileURLToPath(new URL('./', import.meta.url))

export default defineConfig({
  // Property tests draw the same values in every run: test/fast-check.mjs sets the seed.
  resolve: {
    alias: [{ find: /^fast-check$/, replacement: fileURLToPath(new URL('test/fast-check.mjs', import.meta.url)) }],
  },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 180_000,
    // A test that passes at the second try tells nothing: what fails is mended.
    retry: 0,
    hookTimeout: 120_000,
    // Tests wait for programs more than they compute.
    maxWorkers: Math.min(8, 2 * availableParallelism()),
    // Programs that tests start act on homes that git alone has made, and remember none in the user's own folder.
    env: { NEO_TRUST: '1', XDG_CONFIG_HOME: join(tmpdir(), 'neo-test-config') },
    // The built program is loaded as it is.
    server: { deps: { external: [new RegExp(`^${ROOT.replaceAll(/[^\w/]/g, '\\$&')}dist/`)] } },
    globalSetup: ['test/setup.ts'],
  },
})
