import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openProcesses } from '../../../src/adapters/processes/processes.ts'
import type { CommandResult } from '../../../src/domain/session/session.ts'
import type { StepResult } from '../../../src/ports/process-port.ts'
import { folder, never, request, running, text, until } from './builders.ts'

const processes = openProcesses()

function result(value: StepResult): CommandResult {
  if (value.kind === 'unknown') throw new Error('The step is unknown')
  return value.result
}

describe('step()', () => {
  test('gives exit code and output when the command ends', async () => {
    const { exitCode, ended, tail } = result(await processes.step(request('echo hello; exit 7'), never()))
    expect({ exitCode, ended, tail }).toEqual({ exitCode: 7, ended: 'exit', tail: 'hello\n' })
  })

  test.each([
    ['a command that is missing', 'no-such-command', 127],
    ['a command that a signal ends', 'kill -9 $$', 137],
    ['stdin, which is empty', 'cat; read -r line || exit 9', 9],
  ])('gives the exit code of %s', async (_name, script, exitCode) => {
    expect(result(await processes.step(request(script), never())).exitCode).toBe(exitCode)
  })

  test('gives 126 and names the folder when the working folder is missing', async () => {
    const { exitCode, tail } = result(await processes.step(request('true', { cwd: '/no/such' }), never()))
    expect({ exitCode, names: tail.includes('/no/such') }).toEqual({ exitCode: 126, names: true })
  })

  test('gives the command nothing but the requested environment and the mark', async () => {
    const env = { PATH: process.env['PATH'] ?? '', A: 'b  c\n"d"' }
    const step = request('env -0 | sort -z | tr "\\0" "\\n" | grep -v ^_=', { env, session: 's-env' })
    const names = result(await processes.step(step, never())).tail.match(/^\w+(?==)/gm)
    expect(names?.filter((name) => !['PWD', 'OLDPWD', 'SHLVL'].includes(name))).toEqual([
      'A',
      'NEO_SESSION',
      'PATH',
    ])
  })

  test('passes arguments byte for byte', async () => {
    const odd = ['a b', '$(x)', "it's", '', '-n', 'two\nlines', '*']
    const argv = ['/usr/bin/printf', '<%s>', ...odd] as const
    const { tail } = result(await processes.step(request('', { argv: [...argv] }), never()))
    expect(tail).toBe(odd.map((value) => `<${value}>`).join(''))
  })

  test('holds a claim of a living supervisor while the command runs', async () => {
    const step = request('cat ../claim 2>/dev/null || cat "$1"', { cwd: '/' })
    const shown = { ...step, argv: ['/bin/cat', join(step.dir, 'claim')] as const }
    const { tail } = result(await processes.step(shown, never()))
    expect(JSON.parse(tail)).toMatchObject({ bootId: text('/proc/sys/kernel/random/boot_id').trim() })
  })

  test('runs the command once when 20 callers race', async () => {
    const step = request('echo ran >>effect; sleep 0.1')
    const results = await Promise.all(Array.from({ length: 20 }, () => processes.step(step, never())))
    expect(results.map((value) => result(value).exitCode)).toEqual(Array(20).fill(0))
    expect(text(join(step.cwd, 'effect'))).toBe('ran\n')
  })

  test('does not run an ended step again', async () => {
    const step = request('echo ran >>effect; exit 3')
    await processes.step(step, never())
    expect(result(await processes.step(step, never())).exitCode).toBe(3)
    expect(text(join(step.cwd, 'effect'))).toBe('ran\n')
  })

  test('is unknown when the claim has neither exit code nor supervisor', async () => {
    const step = request('echo ran >>effect')
    mkdirSync(step.dir, { recursive: true })
    writeFileSync(join(step.dir, 'claim'), '{"pid":1,"startTime":"1","bootId":"gone"}\n')
    expect(await processes.step(step, never())).toEqual({ kind: 'unknown' })
    expect(text(join(step.cwd, 'effect'))).toBe('')
  })

  test.each(['', '{"pid":', 'rubbish'])(
    'is unknown when the claim is %j and nobody fills it',
    async (claim) => {
      const step = request('echo ran >>effect')
      mkdirSync(step.dir, { recursive: true })
      writeFileSync(join(step.dir, 'claim'), claim)
      expect(await processes.step(step, never())).toEqual({ kind: 'unknown' })
    },
  )

  test('is unknown when the supervisor is killed under it', async () => {
    const step = request('sleep 30')
    const done = processes.step(step, never())
    await until(() => text(join(step.dir, 'claim')).endsWith('\n'))
    process.kill(JSON.parse(text(join(step.dir, 'claim'))).pid, 'SIGKILL')
    expect(await done).toEqual({ kind: 'unknown' })
    expect(await processes.killSession(step.session, [step.dir])).toBe(0)
  })

  test('waits for a supervisor that has not filled its claim yet', async () => {
    const step = request('echo ran >>effect')
    mkdirSync(step.dir, { recursive: true })
    writeFileSync(join(step.dir, 'claim'), '')
    const late = `sleep 0.4; echo 5 >"$1/exit"`
    spawn('/bin/sh', ['-c', late, 'neo-step', step.dir], { stdio: 'ignore' })
    expect(result(await processes.step(step, never())).exitCode).toBe(5)
    expect(text(join(step.cwd, 'effect'))).toBe('')
  })

  test('starts nothing when the deadline is over', async () => {
    const step = request('echo ran >>effect', { deadline: Date.now() - 1 })
    expect(result(await processes.step(step, never())).ended).toBe('timeout')
    expect(text(join(step.cwd, 'effect'))).toBe('')
  })

  test('throws when the claim cannot be made', async () => {
    const step = request('echo ran >>effect')
    mkdirSync(join(step.dir, 'claim'), { recursive: true })
    await expect(processes.step(step, never())).rejects.toThrow(/^Cannot claim step in /)
    expect(text(join(step.cwd, 'effect'))).toBe('')
  })

  test('throws with the folder in the text when it cannot be made', async () => {
    const root = folder()
    writeFileSync(join(root, 'file'), '')
    const step = request('true', { dir: join(root, 'file', 'step-0') })
    await expect(processes.step(step, never())).rejects.toThrow(join(root, 'file'))
  })

  test('keeps at most 4 KiB of output, cut between characters', async () => {
    const step = request("i=0; while [ $i -lt 3000 ]; do printf '\u20ac\u00e9'; i=$((i+1)); done")
    const { tail } = result(await processes.step(step, never()))
    expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(4096)
    expect(tail).toMatch(/^\u00e9?(\u20ac\u00e9)+$/u)
  })

  test('leaves at once and writes nothing when the signal says so', async () => {
    const step = request('sleep 0.3; echo late')
    const stop = new AbortController()
    const done = processes.step(step, stop.signal)
    await until(() => running(step.dir) > 0)
    stop.abort('leave')
    expect(await done).toEqual({ kind: 'unknown' })
    expect(text(join(step.dir, 'stopped'))).toBe('')
    expect(result(await processes.step(step, never())).tail).toBe('late\n')
  })

  test('starts nothing when the signal is aborted before', async () => {
    const step = request('echo ran >>effect')
    expect(await processes.step(step, AbortSignal.abort('leave'))).toEqual({ kind: 'unknown' })
    expect(result(await processes.step(step, AbortSignal.abort('stop'))).ended).toBe('stopped')
    expect(text(join(step.cwd, 'effect'))).toBe('')
  })
})
