/** How long a session has waited for people: counted once for waits side by side, and over a restart. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openFiles } from '../../src/adapters/disk/disk-files.ts'
import { openWaited } from '../../src/runner/waiting-time.ts'
import { handClock } from '../engine/hand-clock.ts'

function desk() {
  const dir = join(mkdtempSync(join(tmpdir(), 'neo-waited-')), 'neo')
  onTestFinished(() => rmSync(join(dir, '..'), { recursive: true, force: true }))
  const clock = handClock()
  const open = () => openWaited({ files: openFiles(), clock }, dir)
  /** A wait that the test ends. */
  const wait = (waited = open()) => {
    let end = () => {}
    const over = waited.during(() => new Promise<void>((resolve) => (end = resolve)))
    return async () => {
      end()
      await over
    }
  }
  return { dir, clock, open, wait }
}

test('waited.total() counts a wait while it lasts, and nothing beside', async () => {
  const { clock, open, wait } = desk()
  const waited = open()
  clock.pass(500)
  const end = wait(waited)
  clock.pass(1_000)
  expect(waited.total()).toBe(1_000)
  await end()
  clock.pass(1_000)
  expect(waited.total()).toBe(1_000)
})

test('waits side by side count once, until the last one ends', async () => {
  const { clock, open, wait } = desk()
  const waited = open()
  const first = wait(waited)
  clock.pass(100)
  const second = wait(waited)
  clock.pass(100)
  await first()
  clock.pass(100)
  await second()
  clock.pass(100)
  expect(waited.total()).toBe(300)
})

test('a wait that a restart cut off counts from its beginning, and ends with the next one', async () => {
  const { clock, open, wait } = desk()
  const first = open()
  await (await (async () => wait(first))())()
  wait(first)
  clock.pass(1_000)
  const after = open()
  clock.pass(1_000)
  expect(after.total()).toBe(2_000)
  await wait(after)()
  clock.pass(1_000)
  expect([after.total(), open().total()]).toEqual([2_000, 2_000])
})

test('a wait that a restart cut off ends when the next run works again, though it waits for nothing', () => {
  const { clock, open, wait } = desk()
  wait(open())
  clock.pass(1_000)
  const after = open()
  expect(after.total()).toBe(1_000)
  clock.pass(60_000)
  expect([after.total(), open().total()]).toEqual([1_000, 1_000])
})

test.each(['{', '[]', '{"ms":-5,"since":"x"}', 'null'])(
  'waited.total() is 0 where the file says %s',
  async (text) => {
    const { dir, open, wait } = desk()
    await wait()()
    writeFileSync(join(dir, 'waited.json'), text)
    expect(open().total()).toBe(0)
  },
)
