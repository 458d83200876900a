/** Messages are worked on one at a time per key, in their order, keys beside each other. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Inbound } from '../../src/channels/channel-message.ts'
import { KeyedExecutor } from '../../src/channels/inbox/keyed-executor.ts'
import type { Waiting } from '../../src/store/durable-queue.ts'
import { MovedClock, settled } from '../moved-clock.ts'

interface Work {
  readonly key: string
  readonly signal: AbortSignal
  /** Ends it: it is over, or comes again after so many ms. */
  end(ms?: number): Promise<void>
}

function bench(most = 2) {
  const clock = new MovedClock()
  const queue: Waiting<Inbound>[] = []
  const running: Work[] = []
  const begun: string[] = []
  const executor = new KeyedExecutor({
    clock,
    waiting: () => queue,
    keyOf: ({ room, kind }) => (kind === 'command' ? null : room),
    maxRunning: () => most,
    work: ({ key }, signal) =>
      new Promise((resolve) => {
        begun.push(key)
        const end = async (ms = 0): Promise<void> => {
          running.splice(running.indexOf(work), 1)
          if (ms === 0)
            queue.splice(
              queue.findIndex((one) => one.key === key),
              1,
            )
          resolve(ms)
          await settled()
        }
        const work = { key, signal, end }
        running.push(work)
      }),
  })
  /** `a1`: the message 1 of the room a. */
  const put = (key: string, more: Partial<Inbound> = {}, note: unknown = null): void => {
    const item = { key, room: key.slice(0, 1), scope: 'one', kind: 'message', ...more } as Inbound
    queue.push({ key, item, note })
    executor.start()
  }
  const now = () => running.map(({ key }) => key)
  const end = (key: string, ms?: number) => running.find((one) => one.key === key)?.end(ms)
  return { clock, executor, begun, put, now, end, running }
}

test('a key has one at a time, in order, and others go on beside it', async () => {
  const { put, now, end, begun } = bench()
  for (const key of ['a1', 'a2', 'b1']) put(key)
  expect(now()).toEqual(['a1', 'b1'])
  await end('b1')
  expect(now()).toEqual(['a1'])
  await end('a1')
  expect([now(), begun]).toEqual([['a2'], ['a1', 'b1', 'a2']])
})

test('no more than so many run at once', async () => {
  const { put, now, end } = bench(2)
  for (const key of ['a1', 'b1', 'c1']) put(key)
  expect(now()).toEqual(['a1', 'b1'])
  await end('a1')
  expect(now()).toEqual(['b1', 'c1'])
})

test('what comes again later takes no place in the meantime, and comes first in its key', async () => {
  const { put, now, end, clock } = bench(1)
  for (const key of ['a1', 'a2', 'b1']) put(key)
  await end('a1', 5_000)
  expect(now()).toEqual(['b1'])
  await end('b1')
  await clock.move(4_999)
  expect(now()).toEqual([])
  await clock.move(1)
  expect(now()).toEqual(['a1'])
})

test('a key that is held is stopped, and starts when the last hold is released', async () => {
  const { put, now, end, executor, running } = bench()
  put('a1')
  put('a2')
  const holding = [executor.hold('a'), executor.hold('a')]
  expect(running[0]?.signal.reason).toBe('held')
  await end('a1')
  const [one, other] = await Promise.all(holding)
  put('b1')
  expect(now()).toEqual(['b1'])
  one?.()
  expect(now()).toEqual(['b1'])
  other?.()
  expect(now()).toEqual(['b1', 'a2'])
})

test('what was begun before a restart comes before what only waits', () => {
  const { put, now, executor } = bench(1)
  const release = executor.hold('a')
  put('b1', { kind: 'command' })
  put('a1')
  put('a2', {}, { with: [] })
  return release.then((go) => {
    go()
    expect(now()).toEqual(['a2'])
  })
})

test('two scopes of one key take turns', async () => {
  const { put, now, end } = bench()
  put('a1', { scope: 'one' })
  put('a2', { scope: 'one' })
  put('a3', { scope: 'two' })
  await end('a1')
  expect(now()).toEqual(['a3'])
  await end('a3')
  expect(now()).toEqual(['a2'])
})

test('a queue that can’t be read for a moment is read again', async () => {
  const clock = new MovedClock()
  let fails = true
  const begun: string[] = []
  const item = { key: 'a1', room: 'a', scope: 'one', kind: 'message' } as Inbound
  const executor = new KeyedExecutor({
    clock,
    waiting() {
      if (fails) throw new Error('the disk is away')
      return begun.length === 0 ? [{ key: 'a1', item, note: null }] : []
    },
    ...{ keyOf: ({ room }) => room, maxRunning: () => 1 },
    work: async ({ key }) => (begun.push(key) > 0 ? 0 : 0),
  })
  const release = await executor.hold('b')
  expect(release).toThrow('the disk is away')
  fails = false
  executor.start()
  await settled()
  expect(begun).toEqual(['a1'])
})

test('close() waits for what runs, and begins nothing more', async () => {
  const { put, now, end, executor, begun } = bench(1)
  put('a1')
  put('b1')
  const closed = executor.close()
  await end('a1')
  await closed
  executor.start()
  expect([now(), begun]).toEqual([[], ['a1']])
})

const STEPS = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('put' as const), room: fc.constantFrom('a', 'b', 'c') }),
    fc.record({ do: fc.constant('end' as const), at: fc.nat(3), ms: fc.constantFrom(0, 0, 500) }),
    fc.record({ do: fc.constant('move' as const), ms: fc.constantFrom(100, 500) }),
  ),
  { maxLength: 40 },
)

test('whatever comes and ends: at most so many, one of a key, each once, in order', async () => {
  await fc.assert(
    fc.asyncProperty(STEPS, async (steps) => {
      const { put, now, begun, running, clock } = bench(2)
      const over: string[] = []
      let count = 100
      for (const step of steps) {
        if (step.do === 'put') put(`${step.room}${count++}`)
        else if (step.do === 'move') await clock.move(step.ms)
        else {
          const work = running[step.at]
          if (work !== undefined && step.ms === 0) over.push(work.key)
          await work?.end(step.ms)
        }
        const rooms = now().map((key) => key.slice(0, 1))
        expect(rooms.length).toBeLessThanOrEqual(2)
        expect(new Set(rooms).size).toBe(rooms.length)
      }
      expect(new Set(over).size).toBe(over.length)
      for (const room of ['a', 'b', 'c']) {
        const own = over.filter((key) => key.startsWith(room))
        expect(own).toEqual(own.toSorted())
        expect(begun).toEqual(expect.arrayContaining(own))
      }
    }),
    { numRuns: 60 },
  )
})
