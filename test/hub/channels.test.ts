/** Channels: snapshot first, then every change in order; who comes back misses nothing or is told to begin anew. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openChannels } from '../../src/hub/subscriptions/channels.ts'
import type { HubEvent } from '../../src/hub/hub.ts'
import { withChange } from '../../page/store/apply-change.ts'
import { changeBetween, type State } from '../../src/hub/subscriptions/state-change.ts'
import { until } from '../path/home.ts'

const LIMITS = { remembered: 3, waiting: 4, idle: 1 }
const channels = () => openChannels(() => 100, LIMITS)

function listen(to: ReturnType<typeof channels>, since?: number): HubEvent[] {
  const seen: HubEvent[] = []
  const from = since === undefined ? {} : { since }
  to.subscribe({ channel: 'c', ...from, state: () => 'now', on: (event) => void seen.push(event) })
  return seen
}

test('subscribe() gives the state, then each change with the next number', async () => {
  const hub = channels()
  const seen = listen(hub)
  hub.publish('c', 1)
  hub.publish('c', 2)
  await until(() => seen.length === 3)
  expect(seen.map(({ seq, data }) => [seq, data])).toEqual([
    [100, { snapshot: 'now' }],
    [101, { change: 1 }],
    [102, { change: 2 }],
  ])
})

test.each([
  [102, [{ change: 3 }]],
  [100, [{ change: 1 }, { change: 2 }, { change: 3 }]],
  [103, []],
  [99, [{ resync: true, snapshot: 'now' }]],
  [900, [{ resync: true, snapshot: 'now' }]],
])('subscribe() since %i gives what came after, or a fresh snapshot', async (since, wanted) => {
  const hub = channels()
  listen(hub)
  for (const change of [1, 2, 3]) hub.publish('c', change)
  const seen = listen(hub, since)
  await until(() => seen.length === wanted.length)
  expect(seen.map(({ data }) => data)).toEqual(wanted)
})

test('subscribe() since a number that is no longer remembered gives a fresh snapshot', async () => {
  const hub = channels()
  listen(hub)
  for (const change of [1, 2, 3, 4]) hub.publish('c', change)
  const seen = listen(hub, 100)
  await until(() => seen.length === 1)
  expect(seen[0]?.data).toEqual({ resync: true, snapshot: 'now' })
})

test('a subscriber that does not keep up is told to resync, and holds up nobody', async () => {
  const hub = channels()
  const fast = listen(hub)
  const slow: unknown[] = []
  let release: () => void = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  hub.subscribe({
    channel: 'c',
    state: () => 'now',
    on: async ({ data }) => {
      slow.push(data)
      await held
    },
  })
  for (let change = 1; change <= 9; change++) {
    hub.publish('c', change)
    await until(() => fast.length === change + 1)
  }
  release()
  await until(() => slow.length === 2)
  hub.publish('c', 10)
  await until(() => slow.length === 3)
  expect(slow).toEqual([{ snapshot: 'now' }, { resync: true, snapshot: 'now' }, { change: 10 }])
})

test('a subscriber that throws ends its own subscription alone', async () => {
  const hub = channels()
  const seen = listen(hub)
  hub.subscribe({
    channel: 'c',
    state: () => 'now',
    on: () => {
      throw new Error('gone')
    },
  })
  hub.publish('c', 1)
  await until(() => seen.length === 2)
})

test('nothing comes after the end of a subscription', async () => {
  const hub = channels()
  const seen: unknown[] = []
  const end = hub.subscribe({ channel: 'c', state: () => 'now', on: (event) => void seen.push(event) })
  await until(() => seen.length === 1)
  const other = listen(hub)
  end()
  hub.publish('c', 1)
  await until(() => other.length === 2)
  expect(seen.length).toBe(1)
})

const anyState: fc.Arbitrary<State> = fc.dictionary(
  fc.constantFrom('tasks', 'asks', 'rooms'),
  fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.jsonValue({ maxDepth: 1 })),
)
const full = (state: State): State => ({ tasks: {}, asks: {}, rooms: {}, ...state })

test('applying the change to the old state gives the new one, and no change is no difference', () => {
  fc.assert(
    fc.property(anyState.map(full), anyState.map(full), (before, now) => {
      const change = changeBetween(before, now)
      const after = change === null ? before : withChange(before, change)
      expect(JSON.parse(JSON.stringify(after))).toEqual(JSON.parse(JSON.stringify(now)))
    }),
  )
})
