/**
 * Puts the program of `dist/` into few files: `dist/main.js` and its parts in `dist/parts/`. Node spends more time on
 * finding and linking 150 small modules than most commands spend on their work.
 * Libraries stay outside. Parts that load on demand stay so; what most commands load together is one part each.
 */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { rolldown } from 'rolldown'

/** Modules that start a part; a module belongs to the first part that reaches it without a dynamic import. */
const PARTS = {
  program: ['cli/program.ts', 'cli/time-zone.ts'],
  tasks: [
    'cli/task/show-tasks.ts',
    'cli/room/show-rooms.ts',
    'cli/specs/work-specs.ts',
    'cli/specs/talk-specs.ts',
    'cli/specs/run-specs.ts',
    'files/config/read-config.ts',
  ],
  daemon: ['client/hub-client.ts', 'client/json-rpc-request.ts', 'cli/with-hub.ts', 'adapters/processes/process-table.ts'],
  shown: [
    'cli/status/show-status.ts',
    'cli/status/gather.ts',
    'cli/status/daemon-state.ts',
    'cli/commands/log-command.ts',
    'cli/commands/memory-commands.ts',
    'cli/task/change-tasks.ts',
  ],
  home: [
    'client/local-hub.ts',
    'cli/with-world.ts',
    'adapters/git/git.ts',
    'adapters/git/remote/home-remote.ts',
    'adapters/git/commit/sign.ts',
    'adapters/processes/processes.ts',
    'adapters/sqlite/stores.ts',
    'adapters/sentences/sentence-model.ts',
    'adapters/models/models.ts',
    'adapters/sandbox/bubblewrap.ts',
    'adapters/worktree-files/worktree-files.ts',
    'adapters/search/ripgrep.ts',
    'adapters/forges/forges.ts',
    'adapters/mcp-client/mcp-client.ts',
    'adapters/peer-wire/peer-wire.ts',
  ],
  changes: ['hub/methods/task-methods.ts', 'hub/methods/task-status.ts'],
}

/** Libraries of many modules that nearly every command loads. */
const INSIDE = new Set(['zod', 'yaml', 'commander', 'picocolors', 'p-queue', 'p-timeout', 'eventemitter3'])

const PARTS_DIR = 'dist/parts'
/** Libraries that few commands use, and that would take a tenth of a bare start of node: they load at their first use. */
const LATE = ['node-cron', 'node:child_process', 'node:crypto', 'node:http', 'node:zlib', 'node:worker_threads']
const REQUIRED = new RegExp(
  `^\\t?(?:let|const) (\\w+) = require\\("(${LATE.join('|')})"\\);\\n(?:\\1 = (\\w+\\.__toESM)\\(\\1(.*?)\\);\\n)?`,
  'gm',
)

/** What is left of `import()` loads libraries; code that is kept must ask the loader for them. */
const IMPORT = /(?<![\w.$'"`])import\((?=["\w])/g

/** A text of one-byte characters is taken as it is, not decoded. Tagged templates would see the escapes; there are none. */
const NOT_ASCII = /[^\0-\x7f]/g

const START = `#!/usr/bin/env node
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

createRequire(import.meta.url)('./parts/loader.cjs').load(fileURLToPath(new URL('./parts/main.cjs', import.meta.url)))
`

/** Their code is kept. The first makes the home in which the others run. */
const COMMANDS = ['init', 'task new --title Try', 'task list', 'status', 'plan', 'log', 'search try', 'task edit try --priority low']

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
  plugins: [{ name: 'import-of-loader', renderChunk: (code) => code.replaceAll(IMPORT, 'importModule(') }],
})
// V8 knows its code by the length of the text alone: the name of the build parts it from code of another.
rmSync(PARTS_DIR, { recursive: true, force: true })
await bundle.write({
  dir: PARTS_DIR,
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name].cjs',
  comments: { annotation: false, jsdoc: false, legal: true },
  banner: `// build ${randomBytes(8).toString('hex')}`,
  codeSplitting: {
    groups: Object.keys(PARTS).map((name, index) => ({
      name,
      priority: 100 - index,
      test: (id) => owners.get(id.slice(process.cwd().length + 1)) === name,
    })),
  },
})
await bundle.close()

for (const name of readdirSync(PARTS_DIR)) {
  const file = join(PARTS_DIR, name)
  writeFileSync(file, late(readFileSync(file, 'utf8')).replaceAll(NOT_ASCII, escaped))
}

/** `let x = require("library")` becomes a function, and each use of `x` a call of it. */
function late(code) {
  const names = [...code.matchAll(REQUIRED)].map(([, name]) => name)
  const declared = code.replaceAll(REQUIRED, (_, name, library, toModule = '', more = '') => {
    return `let ${name}$;\nconst ${name}$$ = () => (${name}$ ??= ${toModule}(require("${library}")${more}));\n`
  })
  const called = (text, name) => text.replaceAll(new RegExp(`\\b${name}\\b(?!\\$)`, 'g'), `(${name}$$$$())`)
  return names.reduce(called, declared)
}

function escaped(character) {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

copyFileSync('scripts/loader.cjs', join(PARTS_DIR, 'loader.cjs'))
writeFileSync('dist/main.js', START, { mode: 0o755 })
keepCode()

/** Runs what people run most, in a home of its own, so that the code of it is kept. Without it the program works as well. */
function keepCode() {
  const dir = mkdtempSync(join(tmpdir(), 'neo-build-'))
  const env = { ...process.env, NEO_TRUST: '1', XDG_CONFIG_HOME: dir, NODE_OPTIONS: '' }
  const script = join(process.cwd(), 'scripts/keep-code.mjs')
  for (const command of COMMANDS) spawnSync(process.execPath, [script, ...command.split(' ')], { cwd: dir, env })
  rmSync(dir, { recursive: true, force: true })
}
