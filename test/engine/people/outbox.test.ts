import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { openFiles } from '../../../src/adapters/disk/disk-files.ts'
import { NeoError } from '../../../src/domain/home/error.ts'
import { type Notice, openOutbox } from '../../../src/engine/people/notice-outbox.ts'

const files = openFiles()
const AT = '2026-03-01T09:00:00Z'

function outboxPath(): string {
  const dir = mkdtempSync(join(tmpdir(), 'neo-outbox-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return join(dir, 'neo', 'outbox.jsonl')
}

function notice(key: string, to: readonly string[] = ['terminal']): Notice {
  return { key, kind: 'problems', text: `about ${key}`, room: 'shop', at: AT, to }
}

const keys = (notices: readonly Notice[]) => notices.map(({ key }) => key)

test('put() is pending for each of its channels, also after a restart', () => {
  const path = outboxPath()
  openOutbox(files, path).put(notice('a', ['terminal', 'telegram']))
  const outbox = openOutbox(files, path)
  expect(outbox.pending('telegram')).toEqual([notice('a', ['terminal', 'telegram'])])
  expect([keys(outbox.pending('terminal')), keys(outbox.pending('other'))]).toEqual([['a'], []])
})

test('put() takes a key once, while it waits, after it was sent, and after a restart', () => {
  const path = outboxPath()
  const outbox = openOutbox(files, path)
  expect([outbox.put(notice('a')), outbox.put(notice('a'))]).toEqual(['new', 'known'])
  outbox.receipt('a', 'terminal', AT)
  expect([outbox.put(notice('a')), openOutbox(files, path).put(notice('a'))]).toEqual(['known', 'known'])
})

test('receipt() ends it for one channel alone', () => {
  const path = outboxPath()
  const outbox = openOutbox(files, path)
  outbox.put(notice('a', ['terminal', 'telegram']))
  outbox.receipt('a', 'terminal', AT)
  expect([keys(outbox.pending('terminal')), keys(outbox.pending('telegram'))]).toEqual([[], ['a']])
  expect(keys(openOutbox(files, path).pending('telegram'))).toEqual(['a'])
})

test('receipt() writes nothing when it is doubled or about an unknown key', () => {
  const path = outboxPath()
  const outbox = openOutbox(files, path)
  outbox.put(notice('a'))
  outbox.receipt('a', 'terminal', AT)
  const size = statSync(path).size
  outbox.receipt('a', 'terminal', AT)
  outbox.receipt('b', 'terminal', AT)
  expect(statSync(path).size).toBe(size)
})

test('clear() lets the same key be told again', () => {
  const path = outboxPath()
  const outbox = openOutbox(files, path)
  outbox.put(notice('a'))
  outbox.receipt('a', 'terminal', AT)
  outbox.clear('a')
  expect(openOutbox(files, path).put(notice('a'))).toBe('new')
})

test('clear() takes back a notice that still waits', () => {
  const path = outboxPath()
  const outbox = openOutbox(files, path)
  outbox.put(notice('a'))
  outbox.clear('a')
  expect(openOutbox(files, path).pending('terminal')).toEqual([])
})

test('put() to nobody is remembered and waits for nobody', () => {
  const outbox = openOutbox(files, outboxPath())
  outbox.put(notice('a', []))
  expect([outbox.has('a'), outbox.pending('terminal')]).toEqual([true, []])
})

test('openOutbox() skips torn and foreign lines', () => {
  const path = outboxPath()
  openOutbox(files, path).put(notice('a'))
  appendFileSync(path, 'null\n{"op":"put","key":"x"}\n{"op":"put","key":"b","te')
  expect(keys(openOutbox(files, path).pending('terminal'))).toEqual(['a'])
})

test.each([
  ['ask:a-1 elsewhere', { kind: 'asks', ask: 'a-1' }],
  ['complete:t-1:1', { kind: 'results' }],
  ['fail:t-1:2', { kind: 'failures' }],
  ['block:t-1:2', { kind: 'failures' }],
  ['review:t-1:1', { kind: 'reviews' }],
  ['publish:t-1:https://forge.test/1', { kind: 'reviews' }],
  ['reply:inbox:x', { kind: 'words', isAnswer: true }],
  ['problem:rooms/shop/ROOM.md:1', { kind: 'problems' }],
])('openOutbox() finds the kind of %s in a file of version 0.1.0, which names none', (key, says) => {
  const path = outboxPath()
  const { kind: _, ...old } = notice(key)
  files.append(path, JSON.stringify({ op: 'put', ...old }))
  expect(openOutbox(files, path).waiting()).toEqual([{ ...old, ...says }])
})

test('put() lets the oldest make room when too many wait, and says how many', () => {
  const path = outboxPath()
  const outbox = openOutbox(files, path, { mostWaiting: 3 })
  for (let n = 0; n < 5; n += 1) outbox.put(notice(`k${n}`))
  expect([keys(outbox.pending('terminal')), outbox.dropped()]).toEqual([['k2', 'k3', 'k4'], 2])
  expect(keys(openOutbox(files, path, { mostWaiting: 3 }).pending('terminal'))).toEqual(['k2', 'k3', 'k4'])
})

test('the file stays bounded over many notices, and the newest keys stay known', () => {
  const path = outboxPath()
  const outbox = openOutbox(files, path, { keptKeys: 50, compactBytes: 10_000 })
  for (let n = 0; n < 300; n += 1) {
    outbox.put(notice(`k${n}`))
    outbox.receipt(`k${n}`, 'terminal', AT)
  }
  expect(statSync(path).size).toBeLessThan(20_000)
  expect(openOutbox(files, path).put(notice('k299'))).toBe('known')
})

test('put() is kept when the disk has no room to make the file smaller', () => {
  const path = outboxPath()
  const save = () => {
    throw new NeoError('disk', 'Cannot save: ENOSPC')
  }
  const outbox = openOutbox({ ...files, save }, path, { compactBytes: 1 })
  expect([outbox.put(notice('a')), outbox.put(notice('b'))]).toEqual(['new', 'new'])
  expect(keys(openOutbox(files, path).pending('terminal'))).toEqual(['a', 'b'])
})

test('a restart changes nothing after any run of calls', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'ä🚀')
  const channel = fc.constantFrom('terminal', 'telegram')
  const call = fc.oneof(
    fc.tuple(fc.constant('put' as const), key, fc.subarray(['terminal', 'telegram'])),
    fc.tuple(fc.constant('receipt' as const), key, channel),
    fc.tuple(fc.constant('clear' as const), key, fc.constant('')),
  )
  fc.assert(
    fc.property(fc.array(call, { maxLength: 40 }), (calls) => {
      const path = outboxPath()
      const outbox = openOutbox(files, path, { compactBytes: 600 })
      for (const [what, at, more] of calls) {
        if (what === 'put') outbox.put(notice(at, more))
        else if (what === 'receipt') outbox.receipt(at, more, AT)
        else outbox.clear(at)
      }
      const again = openOutbox(files, path)
      for (const name of ['terminal', 'telegram']) expect(again.pending(name)).toEqual(outbox.pending(name))
      for (const name of ['a', 'b', 'c', 'ä🚀']) expect(again.has(name)).toBe(outbox.has(name))
    }),
    { numRuns: 40 },
  )
})
