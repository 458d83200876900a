import { fileURLToPath } from 'node:url'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { MOMENT_MS } from './test/wait.ts'

/** Tests of pure code, which need no build. */
const PURE = ['test/domain/**/*.test.ts', 'test/files/**/*.test.ts']
/** Tests of what is loaded first in a process, of its memory or its children: each has a process of its own. */
const OWN = [
  'test/adapters/disk/faults.test.ts',
  'test/adapters/disk/scan.test.ts',
  'test/adapters/git/kept.test.ts',
  'test/adapters/git/living.test.ts',
  'test/adapters/watcher/large.test.ts',
  'test/servers/crowd.test.ts',
  'test/hub/timeline.test.ts',
  'test/memory/meaning.test.ts',
]
/** For git that tests start themselves; the program gives its own git settings of its own. Nothing need outlive a power cut. */
const GIT_SETTINGS = { 'core.fsync': 'none', 'gc.auto': '0', 'maintenance.auto': 'false' }
/** The others share processes, and the modules in them. */
const SHARED = { isolate: false, setupFiles: ['test/clean-slate.ts'] }

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
    testTimeout: 3 * MOMENT_MS,
    // A test that passes at the second try tells nothing: what fails is mended.
    retry: 0,
    hookTimeout: MOMENT_MS,
    expect: { poll: { timeout: MOMENT_MS } },
    // Tests wait for programs more than they compute.
    maxWorkers: Math.min(8, 2 * availableParallelism()),
    // Programs that tests start act on homes that git alone has made, and remember none in the user's own folder.
    env: {
      NEO_TRUST: '1',
      XDG_CONFIG_HOME: join(tmpdir(), 'neo-test-config'),
      GIT_CONFIG_COUNT: String(Object.keys(GIT_SETTINGS).length),
      ...Object.fromEntries(
        Object.entries(GIT_SETTINGS).flatMap(([key, value], at) => [
          [`GIT_CONFIG_KEY_${at}`, key],
          [`GIT_CONFIG_VALUE_${at}`, value],
        ]),
      ),
    },
    // The built program is loaded as it is.
    server: { deps: { external: [new RegExp(`^${ROOT.replaceAll(/[^\w/]/g, '\\$&')}dist/`)] } },
    projects: [
      { extends: true, test: { name: 'pure', include: PURE, ...SHARED } },
      { extends: true, test: { name: 'own', include: OWN } },
      {
        extends: true,
        test: {
          name: 'real',
          include: ['test/**/*.test.ts'],
          exclude: [...PURE, ...OWN],
          globalSetup: ['test/setup.ts'],
          ...SHARED,
        },
      },
    ],
  },
})
