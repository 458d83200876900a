import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openFiles } from '../../src/adapters/disk/disk-files.ts'
import { systemClock } from '../../src/adapters/machine.ts'
import { openProcesses } from '../../src/adapters/processes/processes.ts'
import { type Lock, type LockDeps, lockOwner, takeLock } from '../../src/engine/lock.ts'
import { MOMENT_MS } from '../wait.ts'

const deps: LockDeps = {
  files: openFiles(),
  clock: systemClock(),
  processes: openProcesses(),
  version: '1.0.0',
}
const withoutGuard: LockDeps = { ...deps, guard: async () => ({ kind: 'none' }) }
const RACER = resolve('dist/tests/lock-racer.js')

const GUARDS: readonly (readonly [string, LockDeps, string])[] = [
  ['the guard', deps, 'guard'],
  ['lock.json alone', withoutGuard, 'none'],
]

function gitDir(): string {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'neo-lock-')))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  mkdirSync(join(home, '.git'))
  return join(home, '.git')
}

async function take(dir: string, how: LockDeps = deps): Promise<Lock> {
  const lock = await takeLock(dir, how)
  onTestFinished(() => {
    if (lock.kind === 'taken') lock.release()
  })
  return lock
}

/** Starts a process that takes the lock; gives it with its line. */
async function race(
  dir: string,
  guard: string,
  holdMs: number,
): Promise<{ child: ChildProcess; line: string }> {
  const args = [RACER, dir, guard, String(holdMs)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = await once(child.stdout, 'data')
  return { child, line: String(line).trim() }
}

/** A clock whose timers are fired by the test. */
function byHand() {
  const due: (() => void)[] = []
  const after = (_ms: number, call: () => void) => {
    due.push(call)
    return () => {}
  }
  return { due, clock: { now: () => Date.now(), after } }
}

const file = (dir: string) => join(dir, 'neo', 'lock.json')

/** As a dead owner, perhaps of another machine, left it. */
function leave(dir: string, what: Readonly<Record<string, unknown>>): void {
  const at = '2020-01-01T00:00:00.000Z'
  const owner = {
    pid: 4_194_305,
    startTime: '1',
    bootId: '',
    host: hostname(),
    path: dir,
    version: '0',
    at,
    seen: at,
  }
  mkdirSync(join(dir, 'neo'), { recursive: true })
  writeFileSync(file(dir), JSON.stringify({ ...owner, ...what }))
}

describe.each(GUARDS)('takeLock() by %s', (_name, how, guard) => {
  test('names the owner, since when and where, when it is held', async () => {
    const dir = gitDir()
    await take(dir, how)
    const second = await take(dir, how)
    const home = join(dir, '..')
    expect(second).toEqual({
      kind: 'held',
      pid: process.pid,
      since: expect.stringMatching(/^20/),
      where: home,
    })
  })

  test('refuses also through a link to the home', async () => {
    const dir = gitDir()
    const link = join(gitDir(), 'link')
    symlinkSync(join(dir, '..'), link)
    await take(dir, how)
    expect(await take(join(link, '.git'), how)).toMatchObject({ kind: 'held', pid: process.pid })
  })

  test('may be taken again after the release, which leaves nothing', async () => {
    const dir = gitDir()
    const first = await take(dir, how)
    if (first.kind === 'taken') first.release()
    expect(readdirSync(join(dir, 'neo'))).toEqual([])
    expect((await take(dir, how)).kind).toBe('taken')
  })

  test('takes over at once when the owner was killed', async () => {
    const dir = gitDir()
    const { child, line } = await race(dir, guard, 600_000)
    expect([line, (await take(dir, how)).kind]).toEqual(['taken', 'held'])
    child.kill('SIGKILL')
    await once(child, 'exit')
    const start = Date.now()
    expect((await take(dir, how)).kind).toBe('taken')
    expect(Date.now() - start).toBeLessThan(MOMENT_MS)
  })

  test('refuses when the owner is stopped, as on a sleeping laptop', async () => {
    const dir = gitDir()
    const { child } = await race(dir, guard, 600_000)
    child.kill('SIGSTOP')
    expect(await take(dir, how)).toMatchObject({ kind: 'held', pid: child.pid })
  })

  test.each([
    ['its process is gone', {}],
    ['its number is used again by another process', { pid: process.pid, startTime: '1' }],
    ['the machine was started again', { pid: process.pid, bootId: 'another' }],
    ['it is on another machine and silent', { host: 'elsewhere', pid: 1 }],
    ['it holds nonsense', { pid: 'x' }],
  ])('takes over a lock when %s', async (_why, what) => {
    const dir = gitDir()
    leave(dir, what)
    expect((await take(dir, how)).kind).toBe('taken')
    expect(readdirSync(join(dir, 'neo'))).toEqual(['lock.json'])
  })

  test('refuses when an owner on another machine was seen a minute ago', async () => {
    const dir = gitDir()
    const seen = new Date(Date.now() - 60_000).toISOString()
    leave(dir, { host: 'elsewhere', seen, pid: 7, path: 'home' })
    expect(await take(dir, how)).toMatchObject({ kind: 'held', pid: 7, where: 'elsewhere:home' })
  })

  test('gives the lock to one of 20 processes when a dead owner left it', async () => {
    const dir = gitDir()
    leave(dir, {})
    const racers = await Promise.all(Array.from({ length: 20 }, () => race(dir, guard, 600_000)))
    const taken = racers.filter(({ line }) => line === 'taken')
    expect(taken).toHaveLength(1)
    const held = racers.filter(({ line }) => line === `held ${taken[0]?.child.pid}`)
    expect(held).toHaveLength(19)
  })

  test('gives the lock to one of 20 calls when a dead owner left lock and claim', async () => {
    const dir = gitDir()
    leave(dir, {})
    const claim = `lock-${deps.files.save(file(dir), Buffer.from(''), 'x').hash?.slice(0, 16)}.claim`
    writeFileSync(join(dir, 'neo', claim), readFileSync(file(dir)))
    const locks = await Promise.all(Array.from({ length: 20 }, () => take(dir, how)))
    expect(locks.filter(({ kind }) => kind === 'taken')).toHaveLength(1)
    expect(readdirSync(join(dir, 'neo'))).toEqual(['lock.json'])
  })
})

test.each(['lock.json', '.'])(
  'takeLock() refuses when %s was deleted while the owner lives',
  async (name) => {
    const dir = gitDir()
    await take(dir)
    rmSync(join(dir, 'neo', name), { recursive: true })
    expect(await take(dir)).toMatchObject({ kind: 'held', pid: process.pid, where: join(dir, '..') })
  },
)

test('takeLock() makes lock.json again when it was deleted or overwritten', async () => {
  const dir = gitDir()
  const { clock, due } = byHand()
  await take(dir, { ...deps, clock })
  for (const harm of [
    () => rmSync(join(dir, 'neo'), { recursive: true }),
    () => writeFileSync(file(dir), '{'),
  ]) {
    harm()
    due.shift()?.()
    expect(lockOwner(dir, deps)?.pid).toBe(process.pid)
  }
})

test('check() tells a lock lost when another machine has it, and leaves that one alone', async () => {
  const dir = gitDir()
  const { clock, due } = byHand()
  const lock = await take(dir, { ...withoutGuard, clock })
  leave(dir, { host: 'elsewhere', seen: new Date().toISOString() })
  due.shift()?.()
  if (lock.kind === 'taken') {
    expect(lock.check()).toBe('lost')
    lock.release()
  }
  expect(existsSync(file(dir))).toBe(true)
})

test('takeLock() throws with the path when the git dir is missing', async () => {
  await expect(takeLock(join(gitDir(), 'none'), deps)).rejects.toThrow(/Cannot take the lock in ".*none"/)
})

test('lockOwner() names the living owner, and nobody where there is none', async () => {
  const dir = gitDir()
  expect(lockOwner(dir, deps)).toBeNull()
  await take(dir)
  expect(lockOwner(dir, deps)).toMatchObject({ pid: process.pid, version: '1.0.0' })
})
