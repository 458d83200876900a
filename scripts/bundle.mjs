/**
 * Puts the program of `dist/` into few files: `dist/main.js` and its parts in `dist/parts/`. Node spends more time on
 * finding and linking 150 small modules than most commands spend on their work.
 * Libraries stay outside. Parts that load on demand stay so; what most commands load together is one part each.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { rolldown } from 'rolldown'

/** Modules that start a part; a module belongs to the first part that reaches it without a dynamic import. */
const PARTS = {
  program: ['cli/program.ts', 'cli/system-zone.ts'],
  tasks: ['cli/task/list.ts', 'cli/task/show.ts', 'cli/room/list.ts', 'formats/config.ts'],
  daemon: ['cli/reads/ask-daemon.ts', 'cli/rpc/post.ts', 'adapters/processes/identity.ts'],
  home: [
    'cli/rpc/with-hub.ts',
    'cli/rpc/hub-client.ts',
    'cli/with-world.ts',
    'cli/status/status.ts',
    'cli/status/plan.ts',
    'cli/status/gather.ts',
    'cli/status/plan-data.ts',
    'cli/status/told.ts',
    'cli/care/log.ts',
    'cli/memory/search.ts',
    'cli/task/edit.ts',
    'cli/task/new.ts',
    'cli/task/status.ts',
    'flow/once.ts',
    'adapters/git/git.ts',
    'adapters/git/home-remote.ts',
    'adapters/git/sign.ts',
    'adapters/processes/processes.ts',
    'adapters/sqlite/stores.ts',
    'adapters/sentences/sentences.ts',
    'adapters/models/models.ts',
    'adapters/sandbox/bubblewrap.ts',
    'adapters/worktree-files/worktree-files.ts',
    'adapters/search/ripgrep.ts',
    'adapters/forges/forges.ts',
    'adapters/mcp-client/mcp-client.ts',
  ],
}

/** Libraries of many modules that nearly every command loads. */
const INSIDE = new Set(['zod', 'yaml', 'commander', 'picocolors', 'p-queue', 'p-timeout', 'eventemitter3'])

const owners = new Map()
for (const [part, roots] of Object.entries(PARTS))
  for (const root of roots) own(join('src', root), part)

function own(file, part) {
  if (owners.has(file)) return
  owners.set(file, part)
  const text = readFileSync(file, 'utf8')
  for (const [, from] of text.matchAll(/^(?:import|export) (?!type )[^;'"]*?from '(\.[^']+)'/gm))
    own(join(dirname(file), from), part)
}

const bundle = await rolldown({
  input: { main: 'src/main.ts' },
  platform: 'node',
  external: (id) => /^[\w@]/.test(id) && !INSIDE.has(id.replace(/^((?:@[^/]+\/)?[^/]+).*/, '$1')),
  checks: { ineffectiveDynamicImport: false },
})
const { output } = await bundle.write({
  dir: 'dist',
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'parts/[name].js',
  comments: { annotation: false, jsdoc: false, legal: true },
  codeSplitting: {
    groups: Object.keys(PARTS).map((name, index) => ({
      name,
      priority: 100 - index,
      test: (id) => owners.get(id.slice(process.cwd().length + 1)) === name,
    })),
  },
})
await bundle.close()

const written = new Set(output.map(({ fileName }) => fileName))
for (const name of readdirSync('dist/parts'))
  if (!written.has(`parts/${name}`)) rmSync(join('dist/parts', name), { force: true })
