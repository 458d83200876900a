/** For how long a chat shows that an answer is being made. */
import { expect, test } from 'vitest'
import { showTyping } from '../../src/channels/channel.ts'

function stage() {
  let now = 0
  let due: { at: number; run: () => void } | null = null
  const state = { shown: false, isWorked: true }
  const clock = {
    now: () => now,
    after(ms: number, run: () => void) {
      const mine = { at: now + ms, run }
      due = mine
      return () => {
        if (due === mine) due = null
      }
    },
  }
  const pass = (ms: number) => {
    const until = now + ms
    for (let next = due; next !== null && next.at <= until; next = due) {
      now = next.at
      due = null
      next.run()
    }
    now = until
  }
  const end = showTyping({
    clock,
    isWorked: () => state.isWorked,
    show: () => {
      state.shown = true
      return () => {
        state.shown = false
      }
    },
  })
  return { state, pass, end, isWaiting: () => due !== null }
}

test('it is shown while somebody works, and ends with the answer', () => {
  const { state, pass, end, isWaiting } = stage()
  pass(120_000)
  expect(state.shown).toBe(true)
  end()
  expect([state.shown, isWaiting()]).toEqual([false, false])
})

test.each([
  ['nobody works on it any more', 120_000, false],
  ['it takes longer than anybody sits and waits', 20 * 60_000, true],
])('it ends by itself when %s', (_, ms, isWorked) => {
  const { state, pass, isWaiting } = stage()
  state.isWorked = isWorked
  pass(ms)
  expect([state.shown, isWaiting()]).toEqual([false, false])
})
