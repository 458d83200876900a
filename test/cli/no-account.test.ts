/** A user id without an account, as in a container that is started with `--user 4242`: commands work there too. */
import { execFile, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { MAIN } from './program.ts'

const UID = 4242
const execute = promisify(execFile)

/** Why it can't be tried here; null: it can. */
function hindrance(): string | null {
  if (process.getuid?.() !== 0) return 'needs root'
  const tried = spawnSync('setpriv', ['--reuid', String(UID), '--clear-groups', process.execPath, MAIN, '-V'])
  return tried.status === 0 ? null : 'needs setpriv, and a program that another user may read'
}

const why = hindrance()

/** A folder of that user's. */
function own(): string {
  const dir = mkdtempSync(join(tmpdir(), 'neo-no-account-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  chownSync(dir, UID, UID)
  return dir
}

function runner(more: NodeJS.ProcessEnv) {
  const temporary = own()
  const env = { PATH: process.env['PATH'], LANG: 'C.UTF-8', TMPDIR: temporary, ...more }
  return async (...words: string[]): Promise<string> => {
    const who = ['--reuid', String(UID), '--regid', String(UID), '--clear-groups']
    const argv = [...who, process.execPath, MAIN, ...words]
    const { stdout } = await execute('setpriv', argv, { cwd: temporary, env })
    return stdout
  }
}

test.skipIf(why !== null).each([
  ['no HOME', {}],
  ['HOME of root, which it may not write', { HOME: '/' }],
  ['a HOME of its own', 'own'],
] as const)(
  `commands work for a user id without an account, with %s (${why ?? 'as root'})`,
  async (_, home) => {
    const neo = runner(home === 'own' ? { HOME: own() } : home)
    const dir = join(own(), 'home')
    await neo('init', dir)
    const made = await neo('task', 'new', 'Mend the pump', '--status', 'draft', '--home', dir)
    expect(made).toMatch(/^rooms\/lobby\/tasks\//)
    expect(await neo('log', '--home', dir)).toContain('user-4242')
    expect(await neo('status', '--home', dir)).toContain('Needs you')
  },
)

test.skipIf(why !== null)(
  `what somebody else put in the place of its folder is not trusted (${why ?? 'as root'})`,
  async () => {
    const temporary = own()
    const planted = join(temporary, `neo-user-${UID}`)
    mkdirSync(join(planted, 'neo'), { recursive: true })
    writeFileSync(join(planted, 'neo/trusted.json'), '{"v": 1, "homes": {}}')
    chmodSync(planted, 0o755)
    const neo = runner({ TMPDIR: temporary })
    await expect(neo('init', join(temporary, 'home'))).rejects.toMatchObject({
      stderr: expect.stringContaining('is not your private folder'),
    })
  },
)
