/** The queue: accepted means on disk, a key counts once, also over restarts, torn lines and compaction. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { composeFiles } from '../../src/compose.ts'
import { NeoError } from '../../src/domain/home/error.ts'
import { openQueue, type Queue } from '../../src/store/durable-queue.ts'

function place(): string {
  const dir = mkdtempSync(join(tmpdir(), 'neo-bus-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return join(dir, 'queue.jsonl')
}

const open = (path: string, options = {}): Queue<string> => openQueue<string>(composeFiles(), path, options)
const keys = (queue: Queue<string>) => queue.waiting().map(({ key }) => key)

test('what was put waits in order after a restart, with what was noted', () => {
  const path = place()
  const queue = open(path)
  for (const key of ['a', 'b', 'c']) queue.put(key, `item ${key}`)
  queue.note('b', { sent: 2 })
  queue.done('a')
  const again = open(path)
  expect(keys(again)).toEqual(['b', 'c'])
  expect(again.get('b')).toMatchObject({ item: 'item b', note: { sent: 2 } })
})

test('a key is taken once, while it waits, when it is done and after a restart', () => {
  const path = place()
  const queue = open(path)
  expect([queue.put('a', 'one'), queue.put('a', 'two')]).toEqual(['new', 'known'])
  queue.done('a')
  expect(queue.put('a', 'three')).toBe('known')
  expect(open(path).put('a', 'four')).toBe('known')
})

test('an item stands for its other keys too', () => {
  const path = place()
  const queue = open(path)
  queue.put('a', 'digest', ['b', 'c'])
  expect([queue.put('b', 'x'), queue.has('c')]).toEqual(['known', true])
  queue.done('a')
  expect(open(path).put('c', 'x')).toBe('known')
})

test('a torn last line loses itself alone', () => {
  const path = place()
  open(path).put('a', 'one')
  appendFileSync(path, '{"op":"put","key":"b","it')
  const queue = open(path)
  expect(keys(queue)).toEqual(['a'])
  queue.put('c', 'three')
  expect(keys(open(path))).toEqual(['a', 'c'])
})

test('the file stays small, and what waits stays in it', () => {
  const path = place()
  const queue = open(path, { compactBytes: 4_000, keptKeys: 10 })
  queue.put('first', 'waits all the time')
  for (let n = 0; n < 500; n++) {
    queue.put(`k${n}`, 'x'.repeat(50))
    queue.done(`k${n}`)
  }
  expect(readFileSync(path).length).toBeLessThan(8_000)
  const again = open(path)
  expect(keys(again)).toEqual(['first'])
  expect([again.has('k499'), again.has('k1')]).toEqual([true, false])
})

test('forget fails if the disk refuses, and removes the text when it is called again', () => {
  const path = place()
  const files = composeFiles()
  const save = { works: false }
  const refusing: typeof files = {
    ...files,
    save(...of) {
      if (!save.works) throw new NeoError('disk', 'Cannot save: no space left')
      return files.save(...of)
    },
  }
  const queue = openQueue<string>(refusing, path)
  queue.put('a', 'secret')
  expect(() => queue.forget(() => true)).toThrow(/Cannot remove text/)
  save.works = true
  expect([queue.forget(() => true), readFileSync(path, 'utf8')]).toEqual([0, '{"op":"done","key":"a"}\n'])
})
