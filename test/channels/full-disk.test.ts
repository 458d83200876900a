/** A disk that is full for a moment ends nothing: what waits is sent once, the heart goes on, memory is kept up again. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { KeyedExecutor } from '../../src/channels/inbox/keyed-executor.ts'
import type { Outbound } from '../../src/channels/channel-message.ts'
import { Sending } from '../../src/channels/delivery/outbound.ts'
import { openQueue } from '../../src/store/durable-queue.ts'
import { composeFiles } from '../../src/compose.ts'
import { until } from '../path/home.ts'
import { said, taker } from './bus-home.ts'

const FULL = new Error('ENOSPC: no space left on device')

/** Throws at these calls, by their number from 1. */
function failing<A extends readonly unknown[], R>(at: readonly number[], call: (...args: A) => R) {
  let n = 0
  return (...args: A): R => {
    n += 1
    if (at.includes(n)) throw FULL
    return call(...args)
  }
}

/** Rejections that nobody handles end the daemon. */
function unhandled(): unknown[] {
  const seen: unknown[] = []
  const on = (error: unknown): void => void seen.push(error)
  process.on('unhandledRejection', on)
  onTestFinished(() => void process.off('unhandledRejection', on))
  return seen
}

/** Timers run at once, so that no pause is waited for. */
const clock = {
  now: () => Date.now(),
  after(_ms: number, call: () => void) {
    const timer = setImmediate(call)
    return () => clearImmediate(timer)
  },
}

const message = (n: number): Outbound => ({ key: `m-${n}`, channel: 'test', chatId: '7', content: `${n}` })

test.each([
  ['over', [1, 2], []],
  ['done', [], [2, 3]],
  ['both', [2], [1]],
])('where %s cannot be noted, each message is sent once, in order, and it is said', async (_, over, done) => {
  const seen = unhandled()
  const dir = mkdtempSync(join(tmpdir(), 'neo-full-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const queue = openQueue<Outbound>(composeFiles(), join(dir, 'out.jsonl'))
  queue.done = failing(done, queue.done.bind(queue))
  const troubles: (string | null)[] = []
  const sending = new Sending({
    queue,
    clock: clock as unknown as ConstructorParameters<typeof Sending>[0]['clock'],
    trouble: (channel, why) => {
      troubles.push(why)
      if (why !== null) throw new Error(`${channel}: no space for this either`)
    },
    over: failing(over, () => {}),
  })
  const channel = taker()
  sending.attach(channel)
  for (const n of [1, 2, 3, 4]) sending.put(message(n))
  await until(() => sending.waiting() === 0)
  await sending.close()
  expect(channel.sent.map(({ content }) => content)).toEqual(['1', '2', '3', '4'])
  expect(troubles).toContain(FULL.message)
  expect(seen).toEqual([])
})

test('the executor resumes after what waits could not be read for a moment', async () => {
  const seen = unhandled()
  const heard: string[] = []
  const all = [said(1), said(2), said(3)]
  const executor = new KeyedExecutor({
    clock: clock as unknown as ConstructorParameters<typeof KeyedExecutor>[0]['clock'],
    waiting: () =>
      all
        .filter(({ key }) => !heard.includes(key))
        .map((item) => ({ key: item.key, item, note: null, also: [] })),
    keyOf: failing([4, 5, 7], ({ scope }: { readonly scope: string }) => scope),
    maxRunning: () => 1,
    work: async ({ key }) => {
      heard.push(key)
      return 0
    },
  })
  executor.start()
  await until(() => heard.length === 3)
  await executor.close()
  expect(seen).toEqual([])
})
