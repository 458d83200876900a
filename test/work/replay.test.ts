import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { World } from '../../src/ports.ts'
import type { SessionDeps } from '../../src/work/deps.ts'
import { runSession } from '../../src/work/session.ts'
import { running, text, until } from '../adapters/processes/builders.ts'
import { type Bench, bench } from './builders.ts'

const LINES = ['setup', 'one', 'two', 'three', 'check', 'cleanup']

/** A session whose every command leaves one line. */
function counted(pause: string): Bench {
  const line = (word: string) => `sleep ${pause}; echo ${word} >>"$EFFECTS"; echo ${word}`
  const lines = {
    setup: [line('setup')],
    verify: [line('check')],
    cleanup: [line('cleanup')],
    envFiles: ['.env'],
  }
  const made = bench([line('one'), `echo x >made; ${line('two')}`, line('three')], lines)
  writeFileSync(join(made.repository, 'shop', '.env'), 'A=1\n')
  return made
}

/** A world that dies at the n-th call, before or after it is done, and stays dead. */
function dying(world: SessionDeps['world'], at: number, when: 'before' | 'after'): SessionDeps['world'] {
  let calls = 0
  const dead = () => calls > at
  const die = (): never => {
    throw new Error('the daemon was killed')
  }
  const wrap = <T extends object>(part: T): T =>
    new Proxy(part, {
      get: (target, name) => {
        const call = Reflect.get(target, name)
        if (typeof call !== 'function') return call
        return (...given: unknown[]) => {
          calls += 1
          if (dead() || (calls === at && when === 'before')) die()
          const value = call.apply(target, given)
          if (calls === at) die()
          return value
        }
      },
    })
  const { files, git, processes, clock } = world as World
  return { files: wrap(files), git: wrap(git), processes: wrap(processes), clock }
}

async function ignore(promise: Promise<unknown>): Promise<void> {
  await promise.catch((error: Error) => expect(error.message).toBe('the daemon was killed'))
}

describe('runSession()', () => {
  test('runs each command once when the daemon dies at any call and starts again', async () => {
    const point = fc.tuple(fc.integer({ min: 1, max: 150 }), fc.constantFrom('before', 'after'))
    await fc.assert(
      fc.asyncProperty(point, async ([at, when]) => {
        const { record, deps, seen, entries, onBranch } = counted('0')
        await ignore(runSession(record, { ...deps, world: dying(deps.world, at, when as 'before') }))
        expect(await runSession(record, deps)).toMatchObject({
          kind: 'done',
          changed: 'yes',
          result: '3 steps and 1 check passed: three',
        })
        expect(seen().trim().split('\n')).toEqual(LINES)
        const ids = entries().map((entry) => entry['id'])
        expect(new Set(ids).size).toBe(ids.length)
        expect({ made: onBranch('shop/made'), env: onBranch('shop/.env') }).toEqual({
          made: 'x\n',
          env: null,
        })
      }),
      { numRuns: 25 },
    )
  })

  test('runs each command once when it is left and taken up again and again', async () => {
    const { record, deps, seen } = counted('0.1')
    let runs = 0
    for (let outcome: unknown = 'left'; outcome === 'left'; runs += 1) {
      const stop = new AbortController()
      setTimeout(() => stop.abort('leave'), 60)
      outcome = await runSession(record, {
        ...deps,
        signal: runs > 40 ? new AbortController().signal : stop.signal,
      })
    }
    expect(seen().trim().split('\n')).toEqual(LINES)
    expect(runs).toBeGreaterThan(3)
  })

  test('runs each command once when the process is killed with SIGKILL again and again', async () => {
    const made = counted('0.4')
    const file = join(made.root, 'record.json')
    writeFileSync(file, JSON.stringify(made.record))
    for (let life = 0; !text(join(made.deps.dirs.session, 'outcome.json')).endsWith('}\n'); life += 1) {
      const script = join(import.meta.dirname, 'daemon.ts')
      const child = spawn(process.execPath, ['--import', 'tsx', script, made.root, file], {
        stdio: 'inherit',
      })
      const lines = made.seen().split('\n').length
      const over = () => made.seen().split('\n').length > lines || child.exitCode !== null
      if (life < 6) await until(over)
      else await once(child, 'exit')
      child.kill('SIGKILL')
    }
    expect(made.seen().trim().split('\n')).toEqual(LINES)
  })

  test('does not commit what a check has written when it is replayed', async () => {
    const { record, deps, onBranch } = bench(['true'], { verify: ['echo x >written; sleep 0.3'] })
    const leave = new AbortController()
    const on = {
      ...deps.on,
      progress: (e: { kind: string }) => e.kind === 'verify' && setTimeout(() => leave.abort('leave'), 100),
    }
    expect(await runSession(record, { ...deps, on, signal: leave.signal })).toBe('left')
    expect(await runSession(record, deps)).toMatchObject({ kind: 'done', changed: 'no' })
    expect(onBranch('shop/written')).toBe(null)
  })

  test('counts the time of a step from its claim when it is taken up again', async () => {
    const { record, deps } = bench([{ script: 'sleep 60', timeoutMs: 1500 }])
    const leave = new AbortController()
    setTimeout(() => leave.abort('leave'), 1200)
    const began = Date.now()
    expect(await runSession(record, { ...deps, signal: leave.signal })).toBe('left')
    expect(await runSession(record, deps)).toMatchObject({ kind: 'failed', why: 'step' })
    expect(Date.now() - began).toBeLessThan(2600)
  })

  test('is unknown when the supervisor of a step was killed, and ends what it left', async () => {
    const word = `5432.${process.pid}`
    const { record, deps, seen } = bench([`sleep ${word}`, 'echo two >>"$EFFECTS"'])
    const done = runSession(record, deps)
    const claim = join(deps.dirs.session, 'steps', 'step-0', 'claim')
    await until(() => text(claim).endsWith('\n') && running(word) > 0)
    process.kill(JSON.parse(text(claim)).pid, 'SIGKILL')
    expect(await done).toMatchObject({
      kind: 'unknown',
      step: 'step 1',
      error: 'Step "step 1" (line 10) was cut off: it started, and nobody knows how it ended',
    })
    expect({ left: running(word), seen: seen() }).toEqual({ left: 0, seen: '' })
  })

  test('is unknown when a step is claimed by a supervisor of an earlier boot', async () => {
    const { record, deps, seen } = bench(['echo one >>"$EFFECTS"'])
    const stop = new AbortController()
    const on = { ...deps.on, progress: () => stop.abort('leave') }
    expect(await runSession(record, { ...deps, on, signal: stop.signal })).toBe('left')
    const dir = join(deps.dirs.session, 'steps', 'step-0')
    mkdirSync(dir, { recursive: true })
    writeFileSync(join(dir, 'claim'), '{"pid":1,"startTime":"1","bootId":"earlier"}\n')
    expect(await runSession(record, deps)).toMatchObject({ kind: 'unknown' })
    expect(seen()).toBe('')
  })
})
