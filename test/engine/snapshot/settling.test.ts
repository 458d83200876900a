/** When a file counts, and when a deletion does. */
import { expect, test } from 'vitest'
import { openSettling } from '../../../src/engine/snapshot/settling.ts'

const PATH = 'rooms/shop/tasks/a.md'
const at = (now: number, mtimeMs = now) => ({ now, mtimeMs })

test('settling.seen() takes a file that was quiet long enough at once', () => {
  expect(openSettling(() => 2000).seen(PATH, 'h1', at(10_000, 7000))).toBe(true)
})

test('settling.seen() takes any file at once when nothing has to settle', () => {
  expect(openSettling(() => 0).seen(PATH, 'h1', at(10_000))).toBe(true)
})

test('settling.seen() waits until a fresh file has been quiet', () => {
  const settling = openSettling(() => 2000)
  expect(settling.seen(PATH, 'h1', at(10_000))).toBe(false)
  expect(settling.seen(PATH, 'h1', at(11_999, 10_000))).toBe(false)
  expect(settling.seen(PATH, 'h1', at(12_000, 10_000))).toBe(true)
})

test('settling.seen() begins to wait anew at each new content', () => {
  const settling = openSettling(() => 2000)
  settling.seen(PATH, 'h1', at(10_000))
  expect(settling.seen(PATH, 'h2', at(11_500))).toBe(false)
  expect(settling.seen(PATH, 'h2', at(13_000, 11_500))).toBe(false)
  expect(settling.seen(PATH, 'h2', at(13_500, 11_500))).toBe(true)
})

test('settling.seen() is not held back by a time of change in the future', () => {
  const settling = openSettling(() => 2000)
  settling.seen(PATH, 'h1', at(10_000, 99_000_000))
  expect(settling.seen(PATH, 'h1', at(12_000, 99_000_000))).toBe(true)
})

test('settling.missing() counts a deletion at the second look after the settling time', () => {
  const settling = openSettling(() => 2000)
  expect(settling.missing(PATH, 10_000)).toBe(false)
  expect(settling.missing(PATH, 11_000)).toBe(false)
  expect(settling.missing(PATH, 12_000)).toBe(true)
})

test('settling.missing() starts over when the file came back or the branch changed', () => {
  const settling = openSettling(() => 2000)
  settling.missing(PATH, 10_000)
  settling.clear(PATH)
  expect(settling.missing(PATH, 13_000)).toBe(false)
  settling.forgetMissing()
  expect(settling.missing(PATH, 16_000)).toBe(false)
})

test('settling waits its time, and no longer, after the clock went back', () => {
  const settling = openSettling(() => 2000)
  settling.seen(PATH, 'h1', at(99_000_000))
  settling.missing('gone', 99_000_000)
  expect([settling.seen(PATH, 'h1', at(10_000)), settling.missing('gone', 10_000)]).toEqual([false, false])
  expect([settling.seen(PATH, 'h1', at(12_000)), settling.missing('gone', 12_000)]).toEqual([true, true])
})

test('settling.due() copes with more files than a call takes arguments', () => {
  const settling = openSettling(() => 2000)
  for (let n = 0; n < 200_000; n++) settling.seen(`rooms/shop/tasks/${n}.md`, 'h', at(10_000 + n))
  expect(settling.due(11_000).wakeAt).toBe(12_000)
})

test('settling.due() names what settles next and asks for a rescan for what has gone', () => {
  const settling = openSettling(() => 2000)
  settling.seen(PATH, 'h1', at(10_000))
  settling.missing('rooms/shop/tasks/b.md', 11_000)
  expect(settling.due(11_000)).toEqual({ paths: [], rescan: false, wakeAt: 12_000 })
  expect(settling.due(13_000)).toEqual({ paths: [PATH], rescan: true, wakeAt: 12_000 })
})
