/** A message in parts: what is noted when, and what is sent again. */
import { expect, test } from 'vitest'
import type { Progress } from '../../src/channels/channel.ts'
import { type PartSent, requestSignal, sendParts } from '../../src/channels/delivery/send-parts.ts'
import { MovedClock } from '../moved-clock.ts'

const SENT: PartSent = { kind: 'sent' }

async function sent(
  before: Partial<Progress>,
  answers: readonly PartSent[],
  signal = new AbortController().signal,
) {
  const notes: string[] = []
  const progress: Progress = {
    ...{ sent: 0, unsure: false, ...before },
    begin: (part) => void notes.push(`begin ${part}`),
    undone: (part) => void notes.push(`undone ${part}`),
    did: (part) => void notes.push(`did ${part}`),
  }
  const outcome = await sendParts({ progress, signal }, 3, async (part, isUnsure) => {
    notes.push(`send ${part}${isUnsure ? '?' : ''}`)
    return answers[part] ?? SENT
  })
  return { outcome, notes: notes.join(', ') }
}

test.each([
  ['all go', {}, [], 'begin 0, send 0, did 0, begin 1, send 1, did 1, begin 2, send 2, did 2'],
  ['two had left', { sent: 2 }, [], 'begin 2, send 2, did 2'],
  ['all had left', { sent: 3 }, [], ''],
  [
    'one may have left: it alone says so',
    { sent: 1, unsure: true },
    [],
    'begin 1, send 1?, did 1, begin 2, send 2, did 2',
  ],
] as const)('%s', async (_, before, answers, notes) => {
  expect(await sent(before, answers)).toEqual({ outcome: SENT, notes })
})

test.each([
  [{ kind: 'later', why: 'refused' }, 'begin 0, send 0, did 0, begin 1, send 1, undone 1'],
  [{ kind: 'never', why: 'blocked' }, 'begin 0, send 0, did 0, begin 1, send 1, undone 1'],
  [{ kind: 'later', why: 'no answer', mayHaveLeft: true }, 'begin 0, send 0, did 0, begin 1, send 1'],
] as const)('%j ends it, and only what certainly did not leave is taken back', async (answer, notes) => {
  const { kind, why } = answer
  expect(await sent({}, [SENT, answer])).toEqual({ outcome: { kind, why }, notes })
})

test('nothing is begun once the channel closes', async () => {
  expect(await sent({}, [], AbortSignal.abort())).toEqual({
    outcome: { kind: 'later', why: 'closing' },
    notes: '',
  })
})

test.each([
  ['is cut off after its time', 60_000, false, true],
  ['is left alone before', 59_999, false, false],
  ['has three seconds after the close', 2_999, true, false],
  ['and no more', 3_000, true, true],
])('a request %s', async (_, ms, closes, isCut) => {
  const [clock, closing] = [new MovedClock(), new AbortController()]
  const { signal } = requestSignal(clock, closing.signal)
  if (closes) closing.abort()
  await clock.move(ms)
  await new Promise((resolve) => setImmediate(resolve))
  expect(signal.aborted).toBe(isCut)
})

test('an answer that came while the process was busy is read before its request is cut off', async () => {
  const over: (() => void)[] = []
  const after = (_: number, call: () => void) => {
    over.push(call)
    return () => {}
  }
  const { signal } = requestSignal({ after }, new AbortController().signal)
  for (const call of over) call()
  expect(signal.aborted).toBe(false)
  await new Promise((resolve) => setImmediate(resolve))
  expect(signal.aborted).toBe(true)
})

test('a request that has ended leaves no timer, and one of a closed channel has its three seconds too', async () => {
  const clock = new MovedClock()
  const { signal, forget } = requestSignal(clock, AbortSignal.abort())
  await clock.move(2_999)
  expect([signal.aborted, clock.waiting]).toEqual([false, 2])
  forget()
  expect(clock.waiting).toBe(0)
})
