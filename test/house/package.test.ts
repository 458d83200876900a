/** What `npm install` of the published package must give: settings of the checkout do not reach there. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const json = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>

test('package.json has no overrides, since npm ignores those of a dependency', () => {
  expect(json('package.json')['overrides']).toBeUndefined()
})

test('no locked package that is always installed refuses Node 20.19', () => {
  const packages = json('package-lock.json')['packages'] as Record<string, { engines?: { node?: string } }>
  const refusing = Object.entries(packages).filter(([, { engines }]) => least(engines?.node) > 20)
  expect(refusing.map(([path]) => path)).toEqual([])
})

test('the package holds its documents', () => {
  expect(json('package.json')['files']).toEqual(expect.arrayContaining(['docs', 'README.md', 'CHANGELOG.md']))
})

test('the packed files are a whole program: it makes a home, looks at it and prints its own path', () => {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const [packed] = JSON.parse(execFileSync('npm', args, { encoding: 'utf8', stdio: 'pipe' }))
  const files = (packed as { files: { path: string }[] }).files.map(({ path }) => path)
  const root = mkdtempSync(join(tmpdir(), 'neo-packed-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const [at, home] = [join(root, 'package'), join(root, 'home')]
  for (const path of files) cpSync(path, join(at, path))
  symlinkSync(resolve('node_modules'), join(at, 'node_modules'))
  const env = {
    ...process.env,
    XDG_CONFIG_HOME: join(root, 'config'),
    GIT_AUTHOR_NAME: 'A',
    GIT_AUTHOR_EMAIL: 'a@localhost',
  }
  const neo = (...words: string[]) =>
    execFileSync(process.execPath, [join(at, 'dist/main.js'), ...words], {
      cwd: root,
      env,
      encoding: 'utf8',
      stdio: 'pipe',
    })
  neo('init', 'home')
  expect(neo('room', 'list', '--home', home)).toContain('lobby')
  expect(neo('status', '--home', home)).toContain('Needs you')
  expect(neo('mcp', '--print-config', 'claude', '--home', home)).toContain(join(at, 'dist/main.js'))
  expect(files).toEqual(expect.arrayContaining(['dist/page/index.html', 'dist/page/sign-in.html']))
  expect(
    files.filter((path) => /^(?:src|test)\//.test(path) || /^dist\/(?!main\.js$|parts\/|page\/)/.test(path)),
  ).toEqual([])
})

/** The lowest major version that a range of engines allows; 0 where it names none. */
function least(range: string | undefined): number {
  const majors = (range ?? '')
    .split('||')
    .map((one) => Number(/(?:>=|\^|~|^)\s*v?(\d+)/.exec(one.trim())?.[1] ?? 0))
  return Math.min(...majors)
}
