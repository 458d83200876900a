import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SUPERVISOR, SUPERVISOR_EXITS } from '../../../src/adapters/processes/supervisor.ts'
import { folder, text } from './builders.ts'

const SHELLS = [['/bin/sh'], ['/bin/dash'], ['/bin/bash'], ['/bin/bash', '--posix']].filter(([path]) =>
  existsSync(path ?? ''),
)

/** Runs the supervisor in a shell over a step's folder; gives its exit code. */
function supervise(shell: readonly string[], dir: string, ...argv: readonly string[]): number | null {
  const [path = '', ...options] = shell
  const args = [...options, '-c', SUPERVISOR, 'neo-step', dir, '/', ...argv]
  return spawnSync(path, args, { stdio: 'ignore', env: {} }).status
}

describe.each(SHELLS)('the supervisor in %s %s', (...shell) => {
  test('writes claim, output and exit code', () => {
    const dir = folder()
    expect(supervise(shell, dir, '/bin/sh', '-c', 'echo out; echo err >&2; exit 9')).toBe(0)
    expect(text(join(dir, 'claim'))).toMatch(/^\{"pid":\d+,"startTime":"\d+","bootId":"[0-9a-f-]{36}"\}\n$/)
    expect({ out: text(join(dir, 'out')), exit: text(join(dir, 'exit')) }).toEqual({
      out: 'out\nerr\n',
      exit: '9\n',
    })
  })

  test('leaves a step alone that is claimed', () => {
    const dir = folder()
    writeFileSync(join(dir, 'claim'), 'theirs')
    expect(supervise(shell, dir, '/bin/echo', 'ran')).toBe(SUPERVISOR_EXITS.claimed)
    expect({ claim: text(join(dir, 'claim')), out: text(join(dir, 'out')) }).toEqual({
      claim: 'theirs',
      out: '',
    })
  })

  test('runs nothing when the stop is written before', () => {
    const dir = folder()
    writeFileSync(join(dir, 'stopped'), 'stopped\n')
    expect(supervise(shell, dir, '/bin/echo', 'ran')).toBe(SUPERVISOR_EXITS.stopped)
    expect({ out: text(join(dir, 'out')), exit: existsSync(join(dir, 'exit')) }).toEqual({
      out: '',
      exit: false,
    })
  })

  test('claims nothing where the folder is missing', () => {
    const dir = join(folder(), 'missing')
    expect(supervise(shell, dir, '/bin/echo', 'ran')).not.toBe(0)
    expect(existsSync(dir)).toBe(false)
  })

  test('says nothing of its own in the output when a signal ends the command', () => {
    const dir = folder()
    supervise(shell, dir, '/bin/sh', '-c', 'kill -KILL $$')
    expect({ out: text(join(dir, 'out')), exit: text(join(dir, 'exit')) }).toEqual({ out: '', exit: '137\n' })
  })

  test('uses no program of the command’s PATH that the system has', () => {
    const dir = join(folder(), 'step')
    mkdirSync(dir)
    writeFileSync(join(dir, '..', 'sync'), `#!/bin/sh\necho mine >>"${dir}/out"\n`, { mode: 0o755 })
    const env = { PATH: `${join(dir, '..')}:/usr/bin:/bin` }
    const args = ['-c', SUPERVISOR, 'neo-step', dir, '/', 'true']
    expect(spawnSync(shell[0] ?? '', [...shell.slice(1), ...args], { env, stdio: 'ignore' }).status).toBe(0)
    expect(text(join(dir, 'out'))).toBe('')
  })
})

test('the supervisor lets one of 50 win', async () => {
  const dir = folder()
  const args = ['-c', SUPERVISOR, 'neo-step', dir, '/', '/bin/sh', '-c', 'echo ran']
  const all = Array.from({ length: 50 }, () => once(spawn('/bin/sh', args, { stdio: 'ignore' }), 'exit'))
  const codes = (await Promise.all(all)).map(([code]) => code)
  expect(codes.sort()).toEqual([0, ...Array(49).fill(SUPERVISOR_EXITS.claimed)])
  expect(text(join(dir, 'out'))).toBe('ran\n')
})

test('the supervisor waits with the exit code until the disk has room', async () => {
  const dir = folder()
  mkdirSync(join(dir, 'exit'))
  const child = spawn('/bin/sh', ['-c', SUPERVISOR, 'neo-step', dir, '/', 'true'], { stdio: 'ignore' })
  setTimeout(() => execFileSync('rmdir', [join(dir, 'exit')]), 300)
  await once(child, 'exit')
  expect(text(join(dir, 'exit'))).toBe('0\n')
})
