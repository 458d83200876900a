import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/domain/agent/model-message.ts'
import { type Failure, type Failures, withFailures } from '../../../src/domain/plan/plan-neo.ts'

const failure = (input: JsonObject, reason = 'denied', name = 'update_room'): Failure => ({
  name,
  input,
  reason,
})

/** The failure that is reported after each of these replies. */
function after(replies: readonly (readonly Failure[])[]): readonly (string | null)[] {
  let counts: Failures = new Map()
  return replies.map((reply) => {
    const next = withFailures(counts, reply)
    counts = next.counts
    return next.stuck?.reason ?? null
  })
}

test('the same failing call is reported the third time', () => {
  const call = [failure({ a: 1, b: { c: 2, d: 3 } })]
  const turned = [failure({ b: { d: 3, c: 2 }, a: 1 })]
  expect(after([call, turned, call])).toEqual([null, null, 'denied'])
})

test('lists count as they are ordered', () => {
  const list = (...of: string[]) => [failure({ of }, of.join())]
  expect(after([list('a', 'b'), list('a', 'b'), list('b', 'a'), list('a', 'b')])).toEqual([
    null,
    null,
    null,
    'a,b',
  ])
})

test('small changes of the call do not hide that it fails for the same reason', () => {
  const reply = (id: string) => [failure({ id }, `There is no task "${id}" in 12 tasks`)]
  expect(after([reply('t-aaaa1'), reply('t-bbbb2'), reply('x')])[2]).toContain('no task')
})

test('many failures of one reply count once', () => {
  const reply = [failure({ a: 1 }), failure({ a: 1 }), failure({ a: 1 })]
  expect(after([reply, reply])).toEqual([null, null])
})

test('different reasons are not the same failure', () => {
  expect(after([[failure({ a: 1 }, 'x')], [failure({ a: 2 }, 'y')], [failure({ a: 3 }, 'z')]])).toEqual([
    null,
    null,
    null,
  ])
})
