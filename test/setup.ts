/**
 * Runs once before the whole test run. On Debian, as root, it installs the programs that some tests need; where they
 * cannot be had, it says what is skipped. If a chosen file runs the program, it builds `dist/` when that is missing or
 * older than `src/`, and puts what else tests run as processes into few files.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { rolldown } from 'rolldown'
import type { TestProject } from 'vitest/node'

/** Two folders deep, as the modules of `src/` are that look for what lies beside it. */
const BUNDLES = 'dist/tests'

/** What tests need, any one of these programs; Debian packages that have one, in the order they are tried; what is skipped without. */
const PROGRAMS = [
  [['bwrap'], ['bubblewrap'], 'tests of confined commands'],
  [
    ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'],
    ['chromium-headless-shell', 'chromium'],
    'tests of the page in a browser',
  ],
  [['git-lfs'], ['git-lfs'], 'tests of files that a filter of git keeps elsewhere'],
  [['ip'], ['iproute2'], 'networks of their own in the test of two machines'],
] as const

/** What tests run as processes of their own beside the program: `dist/tests/NAME.js` of each file. */
const PROCESSES = {
  'engine-process': 'test/path/engine-process.mjs',
  'dying-process': 'test/path/dying-process.mjs',
  'distilling-process': 'test/memory/distilling-process.mjs',
  'lock-racer': 'test/engine/lock-racer.ts',
  'session-process': 'test/runner/session-process.ts',
} as const

export async function setup(project: TestProject): Promise<void> {
  install()
  const chosen = (project.vitest as { readonly filenamePattern?: string[] }).filenamePattern
  const { testFiles } = await project.globTestFiles(chosen)
  const seen = new Set<string>()
  if (!testFiles.some((path) => runsProgram(path, seen))) return
  build()
  await bundle()
}

const IMPORTED = /from '(\.[^']+)'|import\('(\.[^']+)'\)/g

/** Whether a file, or a file of test/ that it imports, names what is built: the program, or the page that servers send. */
function runsProgram(path: string, seen: Set<string>): boolean {
  if (seen.has(path) || !existsSync(path)) return false
  seen.add(path)
  const text = readFileSync(path, 'utf8')
  if (/\bdist\b|open-servers\.ts/.test(text) || path.startsWith(resolve('test/page'))) return true
  const imports = [...text.matchAll(IMPORTED)].map(([, one, other]) =>
    resolve(dirname(path), one ?? other ?? ''),
  )
  return imports.some((to) => to.startsWith(resolve('test')) && runsProgram(to, seen))
}

/** As `scripts/bundle.mjs` makes the program: a process that loads 300 modules does little else. */
async function bundle(): Promise<void> {
  const sources = Math.max(newest('src'), newest('test'))
  const made = Object.keys(PROCESSES).map((name) => join(BUNDLES, `${name}.js`))
  if (made.every((path) => existsSync(path) && statSync(path).mtimeMs >= sources)) return
  const bundled = await rolldown({
    input: Object.fromEntries(Object.entries(PROCESSES).map(([name, path]) => [name, resolve(path)])),
    platform: 'node',
    external: (id) => /^[\w@]/.test(id),
    checks: { ineffectiveDynamicImport: false },
  })
  await bundled.write({
    dir: BUNDLES,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'part-[name].js',
  })
  await bundled.close()
}

function build(): void {
  const built = join('dist', 'main.js')
  if (existsSync(built) && statSync(built).mtimeMs >= newest('src')) return
  try {
    execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
  } catch (error) {
    // A slip in one file keeps nobody from testing another: the compiler has written the program all the same.
    if (process.env['CI'] !== undefined || !existsSync(built)) throw error
    process.stderr.write('test: the types of src do not hold; the program was built all the same\n')
  }
}

function install(): void {
  const missing = PROGRAMS.filter(([programs]) => !programs.some(isThere))
  if (missing.length === 0) return
  if (process.getuid?.() === 0 && existsSync('/etc/debian_version') && isThere('apt-get')) {
    process.stderr.write(`test: installing ${missing.map(([, [name]]) => name).join(', ')}\n`)
    apt('update', '-qq')
    for (const [programs, packages] of missing)
      for (const name of packages)
        if (!programs.some(isThere)) apt('install', '-y', '-qq', '--no-install-recommends', name)
  }
  for (const [programs, [name], skipped] of missing)
    if (!programs.some(isThere)) process.stderr.write(`test: ${name} is not there: ${skipped} are skipped\n`)
}

function apt(...args: readonly string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  spawnSync('apt-get', args, { env, stdio: 'ignore', timeout: INSTALL_MS })
}

const INSTALL_MS = 4 * 60_000

function isThere(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((dir) => existsSync(join(dir, program)))
}

function newest(dir: string): number {
  const times = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs)
  return Math.max(...times)
}
