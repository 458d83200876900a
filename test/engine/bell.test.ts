/** What wakes the daemon's loop, and that no wake is lost. */
import { expect, test } from 'vitest'
import { openBell, pause } from '../../src/engine/bell.ts'
import { handClock } from './hand-clock.ts'

const quiet = new AbortController().signal

/** Whether a promise has settled by now. */
async function isOver(promise: Promise<unknown>): Promise<boolean> {
  const open = Symbol()
  return (await Promise.race([promise, new Promise((resolve) => setImmediate(resolve, open))])) !== open
}

test('bell.wait() gives the paths that rang while nobody waited, once', async () => {
  const bell = openBell(handClock())
  bell.ring('a')
  bell.ring('b')
  bell.ring('a')
  expect(await bell.wait(null, quiet)).toEqual(new Set(['a', 'b']))
  const next = bell.wait(null, quiet)
  expect(await isOver(next)).toBe(false)
  bell.ring()
  expect(await next).toEqual(new Set())
})

test('bell.wait() ends at a ring, and leaves no timer behind', async () => {
  const clock = handClock()
  const bell = openBell(clock)
  const woken = bell.wait(clock.now() + 60_000, quiet)
  bell.ring('a')
  expect(await woken).toEqual(new Set(['a']))
  expect(clock.waiting()).toBe(0)
})

test.each([
  ['a ring for everything', (bell: ReturnType<typeof openBell>) => bell.ringAll()],
  [
    'more than 500 paths',
    (bell: ReturnType<typeof openBell>) => {
      for (let n = 0; n <= 500; n++) bell.ring(`rooms/shop/tasks/${n}.md`)
    },
  ],
])('bell.wait() asks for a full look after %s, and only for one', async (_what, ring) => {
  const bell = openBell(handClock())
  bell.ring('a')
  ring(bell)
  expect(await bell.wait(null, quiet)).toBe('all')
  bell.ring('b')
  expect(await bell.wait(null, quiet)).toEqual(new Set(['b']))
})

test('bell.wait() ends at its time, at once if that is over', async () => {
  const clock = handClock()
  const bell = openBell(clock)
  const later = bell.wait(clock.now() + 1_000, quiet)
  clock.pass(999)
  expect(await isOver(later)).toBe(false)
  clock.pass(1)
  expect(await later).toEqual(new Set())
  const past = bell.wait(clock.now() - 5, quiet)
  clock.pass(0)
  expect(await past).toEqual(new Set())
})

test.each(['before', 'during'])('bell.wait() ends when its signal aborts %s it', async (when) => {
  const clock = handClock()
  const abort = new AbortController()
  if (when === 'before') abort.abort()
  const waited = openBell(clock).wait(clock.now() + 60_000, abort.signal)
  abort.abort()
  expect(await waited).toEqual(new Set())
  expect(clock.waiting()).toBe(0)
})

test('pause() without a time ends only by its signal or its call', async () => {
  let wake = () => {}
  const woken = pause(handClock(), null, { signal: quiet, onWake: (call) => (wake = call) })
  expect(await isOver(woken)).toBe(false)
  wake()
  expect(await isOver(woken)).toBe(true)
})
