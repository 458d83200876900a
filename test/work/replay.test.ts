import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { World } from '../../src/ports.ts'
import type { SessionDeps } from '../../src/work/deps.ts'
import { runSession } from '../../src/work/session.ts'
import { bench, counted, LINES } from './builders.ts'

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
      { numRuns: 20 },
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
})
