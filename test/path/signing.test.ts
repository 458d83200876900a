/** Commits of Neo are signed if the person's git settings ask for it; a failure is named and holds nothing up, unless told. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Home, makeHome, runbook, until } from './home.ts'

const NO_SSH = spawnSync('ssh-keygen', ['-?']).error !== undefined
const NO_GPG = spawnSync('gpg', ['--version']).error !== undefined

let keys = ''

beforeAll(() => {
  keys = mkdtempSync(join(tmpdir(), 'neo-keys-'))
})

afterAll(() => rmSync(keys, { recursive: true, force: true, maxRetries: 5 }))

/** A key pair of this name; its path. */
function sshKey(name: string, passphrase = ''): string {
  const path = join(keys, name)
  if (!existsSync(path))
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', passphrase, '-C', name, '-f', path])
  return path
}

/** The user's own git configuration while the test runs. */
function userSettings(lines: Readonly<Record<string, string>>): void {
  const file = join(mkdtempSync(join(keys, 'config-')), 'gitconfig')
  writeFileSync(file, '')
  for (const [key, value] of Object.entries(lines))
    execFileSync('git', ['config', '--file', file, key, value])
  const before = process.env['GIT_CONFIG_GLOBAL']
  process.env['GIT_CONFIG_GLOBAL'] = file
  onTestFinished(() => {
    if (before === undefined) delete process.env['GIT_CONFIG_GLOBAL']
    else process.env['GIT_CONFIG_GLOBAL'] = before
  })
}

function homeThatSigns(files: Readonly<Record<string, string>> = {}): Home {
  const home = makeHome(files)
  home.git('config', '--unset', 'commit.gpgsign')
  return home
}

/** Subjects and git's verdicts on the commits since the first one. */
function verdicts(home: Home, ...args: readonly string[]): readonly string[] {
  const log = home.git(...args, 'log', '--format=%G? %s', '--grep=begin', '--invert-grep', '--branches')
  return [...new Set(log.split('\n').map((line) => line.slice(0, 1)))]
}

const ssh = (key: string, more: Readonly<Record<string, string>> = {}) => ({
  'commit.gpgsign': 'true',
  'gpg.format': 'ssh',
  'user.signingkey': key,
  ...more,
})

describe.skipIf(NO_SSH)('with ssh-keygen (skipped where it is not installed)', () => {
  test.each<[string, (key: string) => void, Readonly<Record<string, string>>]>([
    ['the user asks for it', (key) => userSettings(ssh(key)), {}],
    [
      'neo.yaml asks for it',
      (key) => userSettings({ ...ssh(key), 'commit.gpgsign': 'false' }),
      { git: 'required' },
    ],
  ])('every commit is signed where %s, of sessions and merges too', async (_, set, { git }) => {
    const key = sshKey('plain')
    set(key)
    const config = `daemon: { settle: 0s, rescan: 1s }\n${git === undefined ? '' : `git: { sign: ${git} }\n`}`
    const home = homeThatSigns({ 'neo.yaml': config })
    home.task('a', runbook(['echo hi > hi.txt']))
    await home.run()
    expect(home.status('a')).toBe('completed')
    const signers = join(keys, 'signers')
    writeFileSync(signers, `* ${readFileSync(`${key}.pub`, 'utf8')}`)
    const verify = ['-c', 'gpg.format=ssh', '-c', `gpg.ssh.allowedSignersFile=${signers}`]
    expect(verdicts(home, ...verify)).toEqual(['G'])
    home.git(...verify, 'verify-commit', 'HEAD')
    expect(home.git('fsck', '--strict', '--no-dangling')).toBe('')
  })

  test('a key that is locked holds nothing up: commits are unsigned, and it is said once', async () => {
    userSettings(ssh(sshKey('locked', 'secret words')))
    const home = homeThatSigns()
    home.task('a', runbook(['echo hi > hi.txt']))
    const { events } = await home.run()
    expect(home.status('a')).toBe('completed')
    expect(verdicts(home)).toEqual(['N'])
    const troubles = events.filter(({ kind }) => kind === 'trouble').map(({ text }) => text)
    expect(troubles).toEqual([expect.stringMatching(/commits are not signed.*the key is locked/)])
  })

  test('git.sign: never makes no signature, and required no commit without one', async () => {
    userSettings(ssh(join(keys, 'no-such-key')))
    const never = homeThatSigns({ 'neo.yaml': 'daemon: { settle: 0s }\ngit: { sign: never }\n' })
    never.task('a', runbook(['true']))
    const quiet = await never.run()
    expect([never.status('a'), quiet.events.filter(({ kind }) => kind === 'trouble')]).toEqual([
      'completed',
      [],
    ])
    const required = homeThatSigns({ 'neo.yaml': 'daemon: { settle: 0s }\ngit: { sign: required }\n' })
    required.task('a', runbook(['true']))
    const { events, stop } = required.watch()
    await until(() => events.some(({ text }) => /commits are held back.*no-such-key/s.test(text)))
    await stop()
    expect(required.git('log', '--format=%s')).toBe('begin')
  })

  test('a signing program that the repository names is not started', async () => {
    const mark = join(keys, 'started')
    const program = join(keys, 'program')
    writeFileSync(program, `#!/bin/sh\ntouch ${mark}\nexit 1\n`)
    chmodSync(program, 0o755)
    userSettings(ssh(sshKey('plain')))
    const home = homeThatSigns()
    home.git('config', 'gpg.ssh.program', program)
    home.git('config', 'gpg.program', program)
    home.task('a', runbook(['true']))
    await home.run()
    expect([home.status('a'), existsSync(mark)]).toEqual(['completed', false])
    expect(home.git('cat-file', 'commit', 'HEAD')).toContain('\ngpgsig -----BEGIN SSH SIGNATURE-----')
  })
})

test('a signing program that is missing is named', async () => {
  userSettings({ 'commit.gpgsign': 'true', 'user.signingkey': 'ABCD', 'gpg.program': '/no/such/gpg' })
  const home = homeThatSigns()
  home.task('a', runbook(['true']))
  const { events } = await home.run()
  expect(home.status('a')).toBe('completed')
  expect(events.map(({ text }) => text)).toContainEqual(
    expect.stringContaining('/no/such/gpg is not installed'),
  )
})

test.skipIf(NO_GPG)(
  'OpenPGP signs by the identity where no key is named (skipped where gpg is not installed)',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'neo-gpg-'))
    chmodSync(folder, 0o700)
    const before = process.env['GNUPGHOME']
    process.env['GNUPGHOME'] = folder
    onTestFinished(() => {
      spawnSync('gpgconf', ['--kill', 'gpg-agent'])
      if (before === undefined) delete process.env['GNUPGHOME']
      else process.env['GNUPGHOME'] = before
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    })
    const ident = 'Person <person@localhost>'
    execFileSync(
      'gpg',
      ['--batch', '--quiet', '--passphrase', '', '--quick-gen-key', ident, 'ed25519', 'sign'],
      {
        stdio: 'ignore',
      },
    )
    userSettings({ 'commit.gpgsign': 'true' })
    const home = homeThatSigns()
    home.task('a', runbook(['true']))
    await home.run()
    expect([home.status('a'), verdicts(home)]).toEqual(['completed', ['G']])
  },
)
