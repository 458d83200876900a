/** Commands that only read: they need no write access, and change no file of the home. */
import { execFile, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Home, makeHome, MAIN, RUNBOOK } from './program.ts'

/** Each opens the home in a way of its own. */
const COMMANDS = [
  ...['status', 'plan', 'log shop', 'task list', 'task show shop/hello', 'room list', 'search hello'],
  ...['session list', 'review list', 'schedule list', 'usage', 'memory log', 'doctor'],
]
const AT_ONCE = 4

/** Makes the folder in $0 read-only for one command, in a mount namespace of its own. */
const MOUNT =
  'mount --make-rprivate / && mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" "$0" && exec "$@"'

const execute = promisify(execFile)

let home: Home
beforeAll(() => {
  home = makeHome({ 'rooms/shop/tasks/hello.md': `---\ntitle: Hello\nstatus: draft\n---\n${RUNBOOK}` })
})

function canMount(): boolean {
  const dir = mkdtempSync(join(tmpdir(), 'neo-mount-'))
  const tried = spawnSync('unshare', [
    '-m',
    'sh',
    '-c',
    MOUNT,
    dir,
    'sh',
    '-c',
    `! touch ${dir}/x 2>/dev/null`,
  ])
  rmSync(dir, { recursive: true, force: true })
  return tried.status === 0
}

/** What every file is, by path; caches may be deleted at any time and are none of it. */
function filesOf(dir: string): Record<string, string> {
  const names = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(join(dir, '.neo')))
  return Object.fromEntries(
    names.map((path) => {
      const hash = createHash('sha256').update(readFileSync(path)).digest('hex')
      return [path, `${statSync(path).mtimeMs} ${hash}`]
    }),
  )
}

/** Runs it for all commands, a few at a time; gives what it said of those that it said something of. */
async function eachOf(run: (typed: string) => Promise<string | null>): Promise<readonly string[]> {
  const left = [...COMMANDS]
  const said: string[] = []
  const lane = async () => {
    for (let typed = left.shift(); typed !== undefined; typed = left.shift()) {
      const wrong = await run(typed)
      if (wrong !== null) said.push(`${typed}: ${wrong}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  return said
}

test.skipIf(!canMount())(
  'every reading command answers on a read-only home, and leaves nothing behind (needs root and unshare)',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'neo-read-only-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const env = { ...process.env, NEO_TRUST: '1', TMPDIR: folder, XDG_CONFIG_HOME: folder }
    const failed = await eachOf(async (typed) => {
      const words = [...typed.split(' '), '--home', home.dir]
      const argv = ['-m', 'sh', '-c', MOUNT, home.dir, process.execPath, MAIN, ...words]
      return await execute('unshare', argv, { env }).then(
        () => null,
        (error: { code?: unknown; stderr?: unknown }) => `${String(error.code)} ${String(error.stderr)}`,
      )
    })
    expect(failed).toEqual([])
    expect(readdirSync(folder).filter((name) => name.startsWith('neo-git-'))).toEqual([])
  },
)

test.skipIf(!canMount())(
  'a reading command answers where the temporary folder is read-only too (needs root and unshare)',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'neo-read-only-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const env = { ...process.env, NEO_TRUST: '1', TMPDIR: home.dir, XDG_CONFIG_HOME: folder }
    const argv = ['-m', 'sh', '-c', MOUNT, home.dir, process.execPath, MAIN, 'log', '--home', home.dir]
    expect((await execute('unshare', argv, { env })).stdout).toMatch(/\d{4}-\d{2}-\d{2} .* Ana/)
  },
)

test('no reading command changes a file of the home', async () => {
  await home.neo('status')
  const before = filesOf(home.dir)
  expect(
    await eachOf(async (typed) => ((await home.neo(...typed.split(' '))).code === 0 ? null : 'failed')),
  ).toEqual([])
  expect(filesOf(home.dir)).toEqual(before)
})
