import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { World } from '../../src/ports/world.ts'
import type { SessionDeps } from '../../src/runner/deps.ts'
import { runSession } from '../../src/runner/run-session.ts'
import { until } from '../adapters/processes/builders.ts'
import { bench, counted, LINES } from './builders.ts'
import { MOMENT_MS } from '../wait.ts'

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
    expect(runs).toBeGreaterThan(1)
  })

  test('does not commit what a check has written when it is replayed', async () => {
    const check = 'echo x >written; while ! test -e "$EFFECTS"; do sleep 0.02; done'
    const { record, deps, effects, onBranch } = bench(['true'], { verify: [check] })
    const leave = new AbortController()
    const first = runSession(record, { ...deps, signal: leave.signal })
    await until(() => existsSync(join(deps.dirs.worktree, 'shop/written')))
    leave.abort('leave')
    expect(await first).toBe('left')
    writeFileSync(effects, '')
    expect(await runSession(record, deps)).toMatchObject({ kind: 'done', changed: 'no' })
    expect(onBranch('shop/written')).toBe(null)
  })

  test('counts the time of a step from its claim when it is taken up again', async () => {
    const { record, deps } = bench([{ script: 'sleep 600', timeoutMs: 2 * MOMENT_MS }])
    const leave = new AbortController()
    const first = runSession(record, { ...deps, signal: leave.signal })
    const steps = join(deps.dirs.session, 'steps')
    const begun = () =>
      readdirSync(steps)
        .map((name) => join(steps, name, 'began'))
        .filter((path) => existsSync(path))
    await until(() => existsSync(steps) && begun().length === 1)
    leave.abort('leave')
    expect(await first).toBe('left')
    for (const path of begun()) utimesSync(path, 1, 1)
    const began = Date.now()
    expect(await runSession(record, deps)).toMatchObject({ kind: 'failed', why: 'step' })
    expect(Date.now() - began).toBeLessThan(MOMENT_MS)
  })
})
