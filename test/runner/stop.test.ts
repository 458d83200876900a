import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runSession, stopSession } from '../../src/runner/run-session.ts'
import { running, until } from '../adapters/processes/builders.ts'
import { bench } from './builders.ts'

let count = 0

/** A session that was left while its step runs, with a child that has left its group. */
async function leftRunning() {
  count += 1
  const word = `${6000 + count}.${process.pid}`
  const made = bench([`setsid sleep ${word} & sleep ${word}`, 'echo two >>"$EFFECTS"'])
  const leave = new AbortController()
  const run = runSession(made.record, { ...made.deps, signal: leave.signal })
  await until(() => running(word) === 2)
  leave.abort('leave')
  expect(await run).toBe('left')
  return { ...made, word }
}

describe('stopSession()', () => {
  test('ends the processes of a session whose daemon is gone', async () => {
    const { deps, word } = await leftRunning()
    expect(await stopSession(deps.world, deps.dirs.session, 'by hand')).toBe(0)
    expect(running(word)).toBe(0)
  })

  test('leaves the outcome to the next daemon, which runs nothing more', async () => {
    const { record, deps, seen } = await leftRunning()
    await stopSession(deps.world, deps.dirs.session, 'by hand')
    expect(await runSession(record, deps)).toMatchObject({ kind: 'stopped', why: 'by hand' })
    expect(seen()).toBe('')
  })

  test('ends a session whose runner is here, with its reason', async () => {
    const word = `7000.${process.pid}`
    const { record, deps } = bench([`sleep ${word}`])
    const run = runSession(record, deps)
    await until(() => running(word) === 1)
    await stopSession(deps.world, deps.dirs.session, 'by hand')
    expect(await run).toMatchObject({ kind: 'stopped', why: 'by hand' })
  })

  test('lets an outcome stand', async () => {
    const { record, deps } = bench(['true'])
    const outcome = await runSession(record, deps)
    await stopSession(deps.world, deps.dirs.session, 'late')
    expect(await runSession(record, deps)).toEqual(outcome)
  })

  test('stops a session of which no step has begun', async () => {
    const { record, deps, seen } = bench(['echo one >>"$EFFECTS"'])
    expect(await stopSession(deps.world, deps.dirs.session, 'early')).toBe(0)
    expect(await runSession(record, deps)).toMatchObject({ kind: 'stopped', why: 'early' })
    expect(seen()).toBe('')
    expect(deps.world.files.names(join(deps.dirs.session, 'steps'))).toEqual([])
  })
})
