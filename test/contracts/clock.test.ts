/** What every Clock promises: the system's, and the one that tests of turns move by hand. */
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/adapters/machine.ts'
import type { Clock } from '../../src/ports/world.ts'
import { HandClock } from '../orchestrator/world.ts'

const CLOCKS: readonly (readonly [string, () => Clock])[] = [
  ['the system clock', () => systemClock()],
  ['the clock of tests', () => new HandClock()],
]
const WAIT_MS = 15

describe.each(CLOCKS)('%s', (_, open) => {
  test('after() calls once, never before it returns, and time has passed', async () => {
    const clock = open()
    const before = clock.now()
    let calls = 0
    const called = new Promise<void>((resolve) => {
      clock.after(WAIT_MS, () => {
        calls += 1
        resolve()
      })
    })
    expect(calls).toBe(0)
    await called
    await later(clock)
    expect(calls).toBe(1)
    expect(clock.now()).toBeGreaterThanOrEqual(before)
  })

  test('after() calls nothing when it was cancelled, and cancelling twice is harmless', async () => {
    const clock = open()
    let calls = 0
    const cancel = clock.after(WAIT_MS, () => {
      calls += 1
    })
    cancel()
    cancel()
    await later(clock)
    expect(calls).toBe(0)
  })

  test('two waits are independent: cancelling one leaves the other', async () => {
    const clock = open()
    const cancel = clock.after(WAIT_MS, () => expect.unreachable())
    const other = later(clock)
    cancel()
    await other
  })
})

/** A second wait of the same clock, longer than the first. */
function later(clock: Clock): Promise<void> {
  return new Promise((resolve) => void clock.after(2 * WAIT_MS, resolve))
}
