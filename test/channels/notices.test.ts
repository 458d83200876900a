/** Notices on their way from the outbox to the delivery queue: told once, and again when the same thing happens again. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/adapters/machine.ts'
import type { Outbound } from '../../src/channels/channel-message.ts'
import { openNotices } from '../../src/channels/delivery/notice-queue.ts'
import { Sending } from '../../src/channels/delivery/outbound.ts'
import { composeFiles } from '../../src/compose.ts'
import { openOutbox } from '../../src/engine/people/notice-outbox.ts'
import { openQueue } from '../../src/store/durable-queue.ts'

const ROOMS = new Map([['shop', { notify: ['test:5'] }]]) as unknown as Parameters<
  ReturnType<typeof openNotices>['handOver']
>[0]
const NOTICE = { key: 'problem:a', kind: 'problems', text: 'Broken.', room: 'shop', to: ['test:5'] } as const
const AT = '2026-03-01T09:00:00Z'

function opened(dir: string) {
  const files = composeFiles()
  const clock = systemClock()
  const outbox = openOutbox(files, join(dir, 'outbox.jsonl'))
  const queue = openQueue<Outbound>(files, join(dir, 'outbound.jsonl'))
  const sending = new Sending({ queue, clock, trouble: () => {}, over: () => {} })
  const open = () => openNotices({ outbox, sending, clock, timezone: () => 'UTC', members: () => [] })
  return { outbox, queue, notices: open() }
}

function place(): string {
  const dir = mkdtempSync(join(tmpdir(), 'neo-notices-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

test('a notice that is handed over is in the queue alone, once, also after a restart', () => {
  const dir = place()
  const { outbox, queue, notices } = opened(dir)
  outbox.put({ ...NOTICE, at: AT })
  notices.handOver(ROOMS)
  expect([outbox.pending('test:5').length, queue.waiting().length]).toEqual([0, 1])
  const again = opened(dir)
  again.notices.handOver(ROOMS)
  expect([again.outbox.pending('test:5').length, again.queue.waiting().length]).toEqual([0, 1])
})

test('a notice whose receipt was lost in a kill is not sent twice', () => {
  const dir = place()
  const { outbox, queue, notices } = opened(dir)
  outbox.put({ ...NOTICE, at: AT })
  outbox.receipt = () => {
    throw new Error('killed')
  }
  expect(() => notices.handOver(ROOMS)).toThrow('killed')
  for (const { key } of queue.waiting()) queue.done(key)
  const again = opened(dir)
  again.notices.handOver(ROOMS)
  expect([again.outbox.pending('test:5').length, again.queue.waiting().length]).toEqual([0, 0])
})

test('what was mended and happens again is told again', () => {
  const { outbox, queue, notices } = opened(place())
  outbox.put({ ...NOTICE, at: AT })
  notices.handOver(ROOMS)
  for (const { key } of queue.waiting()) queue.done(key)
  outbox.clear(NOTICE.key)
  outbox.put({ ...NOTICE, at: '2026-03-01T10:00:00Z' })
  notices.handOver(ROOMS)
  expect(queue.waiting().length).toBe(1)
})

test('a notice that version 0.1.0 had queued gets its receipt and is not queued again', () => {
  const dir = place()
  const { outbox, queue } = opened(dir)
  outbox.put({ ...NOTICE, at: AT })
  const key = 'notice:problem:a@test:5'
  const notices = [{ key: NOTICE.key, channel: 'test:5' }]
  queue.put(key, { key, channel: 'test', chatId: '5', content: 'Broken.', notices })
  const again = opened(dir)
  again.notices.handOver(ROOMS)
  expect(again.queue.waiting().map((one) => one.key)).toEqual([key])
})
