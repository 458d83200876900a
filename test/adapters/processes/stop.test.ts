import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openProcesses } from '../../../src/adapters/processes/processes.ts'
import type { StepRequest } from '../../../src/ports/process-port.ts'
import { MOMENT_MS } from '../../wait.ts'
import { never, request, running, text, until } from './builders.ts'

const processes = openProcesses()
let marks = 0

/** A number for `sleep` that no other process has in its command line. */
function seconds(): string {
  marks += 1
  return `${3000 + marks}.${process.pid}`
}

/** Starts a step, waits until `count` processes hold `word`, stops it; gives the milliseconds that the stop took. */
async function stopAfter(step: StepRequest, word: string, count: number): Promise<number> {
  const stop = new AbortController()
  const done = processes.step(step, stop.signal)
  await until(() => running(word) >= count)
  const began = performance.now()
  stop.abort('by hand')
  expect(await done).toMatchObject({ kind: 'ended', result: { ended: 'stopped', exitCode: null } })
  return performance.now() - began
}

describe('step() leaves no process after a stop when the command', () => {
  const time = seconds()
  test.each([
    ['has 24 background children', `for i in $(seq 24); do sleep ${time}1 & done; wait`, `${time}1`, 24],
    ['ignores SIGTERM', `trap '' TERM; sleep ${time}2 & wait; sleep ${time}2; sleep ${time}2`, `${time}2`, 1],
    ['daemonises with setsid', `setsid sleep ${time}3 & sleep ${time}3`, `${time}3`, 2],
    [
      'forks twice and its parent ends',
      `(setsid sh -c 'sleep ${time}4 & exit' &); sleep ${time}4`,
      `${time}4`,
      2,
    ],
    ['cleans the environment', `env -i /bin/sleep ${time}5 & sleep ${time}5`, `${time}5`, 2],
    [
      'cleans the environment and leaves the group',
      `env -i setsid /bin/sleep ${time}6 & wait`,
      `${time}6`,
      1,
    ],
    ['is stopped itself', `sleep ${time}7 & sleep 0.1; kill -STOP $!; kill -STOP $$`, `${time}7`, 1],
    ['reads from a pipe that never ends', `sleep ${time}8 | cat`, `${time}8`, 1],
  ])('%s', async (_name, script, word, count) => {
    expect(await stopAfter(request(script), word, count)).toBeLessThan(MOMENT_MS)
    expect(running(word)).toBe(0)
  })
})

describe('step()', () => {
  test('ends 24 children that ignore SIGTERM when the deadline passes', async () => {
    const time = seconds()
    const script = `trap '' TERM; for i in $(seq 24); do sleep ${time} & done; wait`
    const step = request(script, { deadline: Date.now() + 700 })
    expect(await processes.step(step, never())).toMatchObject({
      result: { ended: 'timeout', exitCode: null },
    })
    expect(Date.now() - step.deadline).toBeLessThan(MOMENT_MS)
    expect(running(time)).toBe(0)
  })

  test('ends a flood at the limit and gives the space back', async () => {
    const step = request('yes', { outputLimit: 100_000 })
    const done = await processes.step(step, never())
    expect(done).toMatchObject({ kind: 'ended', result: { ended: 'output-limit' } })
    expect(statSync(join(step.dir, 'out')).size).toBe(100_000)
  })

  test('holds the deadline for a step that it picks up', async () => {
    const step = request(`sleep ${seconds()}`)
    const leave = new AbortController()
    const first = processes.step(step, leave.signal)
    await until(() => text(join(step.dir, 'claim')) !== '')
    leave.abort('leave')
    await first
    const second = await processes.step({ ...step, deadline: Date.now() + 200 }, never())
    expect(second).toMatchObject({ result: { ended: 'timeout' } })
  })

  test('ends a command at its own limit, never before it has run for so long', async () => {
    const limitMs = 400
    const step = request('sleep 600', { limitMs })
    expect(await processes.step(step, never())).toMatchObject({ result: { ended: 'timeout' } })
    const at = (name: string) => statSync(join(step.dir, name)).mtimeMs
    const ran = at('stopped') - at('began')
    expect(ran).toBeGreaterThan(limitMs - 10)
    expect(ran).toBeLessThan(limitMs + MOMENT_MS)
  })

  test('holds the limit of a command that it picks up from its start on', async () => {
    const step = request(`sleep ${seconds()}`, { limitMs: 60_000 })
    const leave = new AbortController()
    const first = processes.step(step, leave.signal)
    await until(() => text(join(step.dir, 'claim')) !== '')
    leave.abort('leave')
    await first
    const second = await processes.step({ ...step, limitMs: 1 }, never())
    expect(second).toMatchObject({ result: { ended: 'timeout' } })
  })

  test('gives every caller of a stopped step the same reason', async () => {
    const step = request('sleep 600', { deadline: Date.now() + 300 })
    const first = processes.step(step, never())
    const second = processes.step({ ...step, deadline: Date.now() + 60_000 }, never())
    expect(
      (await Promise.all([first, second])).map((value) => value.kind === 'ended' && value.result.ended),
    ).toEqual(['timeout', 'timeout'])
    expect(await processes.step(step, never())).toMatchObject({ result: { ended: 'timeout' } })
  })

  test('finishes a stop that was written but not carried out', async () => {
    const time = seconds()
    const step = request(`sleep ${time}`)
    const leave = new AbortController()
    const first = processes.step(step, leave.signal)
    await until(() => running(time) > 0)
    leave.abort('leave')
    await first
    writeFileSync(join(step.dir, 'stopped'), 'timeout\n')
    expect(await processes.step(step, never())).toMatchObject({ result: { ended: 'timeout' } })
    expect(running(time)).toBe(0)
  })

  test('never starts a step whose stop is written', async () => {
    const step = request('echo ran >>effect')
    mkdirSync(step.dir, { recursive: true })
    writeFileSync(join(step.dir, 'stopped'), 'stopped\n')
    expect(await processes.step(step, never())).toMatchObject({ result: { ended: 'stopped' } })
    expect(text(join(step.cwd, 'effect'))).toBe('')
  })

  test.each([0, 1, 2, 4, 6, 8, 10, 15])(
    'never looks unknown when stopped %d ms after its start',
    async (ms) => {
      const time = seconds()
      const step = request(`sleep ${time}`)
      const stop = new AbortController()
      setTimeout(() => stop.abort('early'), ms)
      expect(await processes.step(step, stop.signal)).toMatchObject({ result: { ended: 'stopped' } })
      expect(await processes.step(step, never())).toMatchObject({ result: { ended: 'stopped' } })
      expect(running(time)).toBe(0)
    },
  )
})

describe('killSession()', () => {
  test('ends a running step, which is stopped from then on', async () => {
    const time = seconds()
    const step = request(`setsid sleep ${time} & sleep ${time}`)
    const done = processes.step(step, never())
    await until(() => running(time) > 1)
    expect(await processes.killSession(step.session, [step.dir])).toBe(0)
    expect(await done).toMatchObject({ result: { ended: 'stopped' } })
    expect(running(time)).toBe(0)
  })

  test('leaves the other sessions alone', async () => {
    const time = seconds()
    const step = request(`sleep ${time}`)
    const stop = new AbortController()
    const done = processes.step(step, stop.signal)
    await until(() => running(time) > 0)
    expect(await processes.killSession(`${step.session}0`, [])).toBe(0)
    expect(running(time)).toBeGreaterThan(0)
    stop.abort('over')
    await done
  })

  test('leaves a stranger alone that has the number of a dead supervisor', async () => {
    const time = seconds()
    const step = request(`sleep ${time}`)
    const stop = new AbortController()
    const done = processes.step(step, stop.signal)
    await until(() => text(join(step.dir, 'claim')).endsWith('\n') && running(time) > 0)
    const other = request('true')
    mkdirSync(other.dir, { recursive: true })
    const claim = { ...JSON.parse(text(join(step.dir, 'claim'))), startTime: '1' }
    writeFileSync(join(other.dir, 'claim'), `${JSON.stringify(claim)}\n`)
    expect(await processes.killSession(other.session, [other.dir])).toBe(0)
    expect(running(time)).toBeGreaterThan(0)
    stop.abort('over')
    await done
  })
})

describe('alive()', () => {
  const own = processes.self()
  test.each([
    ['this process', own, true],
    ['another start time', { ...own, startTime: '1' }, false],
    ['another boot', { ...own, bootId: 'x' }, false],
    ['a pid that nobody has', { ...own, pid: 2 ** 22 + 1 }, false],
    ['a pid where the platform has no start time', { ...own, startTime: '', bootId: '' }, true],
  ])('tells %s', (_name, id, expected) => {
    expect(processes.alive(id)).toBe(expected)
  })
})
