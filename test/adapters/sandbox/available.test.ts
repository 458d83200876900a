/** Whether commands can be confined, and what is said where they cannot. */
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSandbox } from '../../../src/adapters/sandbox/bubblewrap.ts'
import type { Confinement } from '../../../src/ports/sandbox-port.ts'

function program(text: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'neo-sandbox-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const path = join(dir, 'bwrap')
  writeFileSync(path, `#!/bin/sh\n${text}\n`)
  chmodSync(path, 0o755)
  return path
}

const plain: Confinement = { write: [], read: [], network: 'deny', cwd: '/', env: {} }

test('available() says what to install where bwrap is missing', async () => {
  expect(await openSandbox({ program: 'no-such-bwrap' }).available()).toEqual({
    wrong: 'bubblewrap (bwrap) is not installed',
    next: 'apt-get install bubblewrap',
  })
})

test("available() gives bwrap's own words where it does not work", async () => {
  const path = program('echo "bwrap: No permissions to create new namespace" >&2; exit 1')
  expect(await openSandbox({ program: path }).available()).toEqual({
    wrong: 'bubblewrap does not work here: No permissions to create new namespace',
    next: expect.stringContaining('namespaces'),
  })
})

test('available() does without what an older bwrap does not know', async () => {
  const path = program('case "$*" in *disable-userns*) echo "bwrap: Unknown option" >&2; exit 1;; esac')
  const sandbox = openSandbox({ program: path })
  expect(await sandbox.available()).toMatchObject({ kind: 'bubblewrap' })
  expect(sandbox.wrap(['true'], plain)).not.toContain('--disable-userns')
})

test('wrap() puts the command behind -- as it is, and no value of an unknown variable on the line', () => {
  const argv = openSandbox({ env: { DAEMON_KEY: 'hidden' } }).wrap(['sh', '-c', '--x; $(y)'], {
    ...plain,
    env: { ROOM_VALUE: 'hidden', LANG: 'C' },
  })
  expect(argv.slice(-4)).toEqual(['--', 'sh', '-c', '--x; $(y)'])
  expect(argv).not.toContain('hidden')
  expect(argv.join(' ')).toContain('--unsetenv DAEMON_KEY')
})

test('wrap() covers the home before it shows what lies in it', () => {
  const argv = openSandbox({ home: '/home/person' }).wrap(['true'], { ...plain, write: ['/home/person/a/b'] })
  const home = argv.findIndex((one, at) => one === '--tmpfs' && argv[at + 1] === '/home/person')
  const folder = argv.findIndex((one, at) => one === '--bind-try' && argv[at + 1] === '/home/person/a/b')
  expect(home).toBeGreaterThan(0)
  expect(folder).toBeGreaterThan(home)
})

test('wrap() takes ~ in read and write for the home, and nothing that a writable folder holds already', () => {
  const argv = openSandbox({ home: '/home/person' }).wrap(['true'], {
    ...plain,
    write: ['~/.tool', '~/.tool/deep'],
    read: ['~/.gitconfig', '~/.tool/x'],
  })
  const shown = (flag: string) =>
    argv.filter((_, at) => argv[at - 1] === flag && argv[at]?.includes('person'))
  expect([shown('--bind-try'), shown('--ro-bind-try')]).toEqual([
    ['/home/person/.tool'],
    ['/home/person/.gitconfig'],
  ])
})

/** `nobody` of Debian, and of most others. */
const NOBODY = 65534

test.skipIf(process.getuid?.() !== 0)('wrap() confines for a user without rights, too', () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'neo-sandbox-')))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  chownSync(dir, NOBODY, NOBODY)
  const env = { PATH: '/usr/bin:/bin', HOME: '/nonexistent' }
  const line = 'echo x > written; id -u; grep CapEff /proc/self/status; test -e /etc/passwd; ls -d /root 2>&1'
  const sandbox = openSandbox({ home: '/nonexistent', env, uid: NOBODY })
  const [program = '', ...args] = sandbox.wrap(['sh', '-c', `${line}; true`], {
    ...plain,
    write: [dir],
    cwd: dir,
    env,
  })
  const out = execFileSync(program, args, { uid: NOBODY, gid: NOBODY, env, cwd: '/', encoding: 'utf8' })
  expect(out).toMatch(/^65534\nCapEff:\t0000000000000000\nls: cannot access '\/root'/)
  expect(readFileSync(join(dir, 'written'), 'utf8')).toBe('x\n')
})
