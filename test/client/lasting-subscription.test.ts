/** Subscriptions of `neo mcp` over daemons that come and go. Time is moved by hand. */
import { expect, test } from 'vitest'
import { lastingSubscription, type Source } from '../../src/client/lasting-hub.ts'
import { HUB_CODES, type Hub, HubError } from '../../src/hub/hub.ts'

const HUB: Hub = { call: async () => null, subscribe: async () => () => {} }
const busy = () => new HubError(HUB_CODES.busy, 'Cannot reach the daemon')
const settled = () => new Promise<void>((resolve) => void setImmediate(resolve))

/** What each try to subscribe meets, in turn; the last is met from then on. */
function scene(tries: readonly (HubError | 'holds')[]) {
  const waits: { readonly ms: number; readonly run: () => void }[] = []
  const seen: (number | undefined)[] = []
  let over = (): void => {}
  let ended = 0
  const next = (): HubError | 'holds' => tries[Math.min(seen.length - 1, tries.length - 1)] ?? 'holds'
  return {
    waits,
    seen,
    gone: () => over(),
    ended: () => ended,
    begin: () =>
      lastingSubscription({
        source: async (): Promise<Source> => ({
          hub: HUB,
          closed: new Promise<void>((resolve) => {
            over = resolve
          }),
        }),
        async subscribe(_, had) {
          seen.push(had.since)
          const met = next()
          if (met !== 'holds') throw met
          had.since = seen.length
          return () => void ended++
        },
        isEnded: () => false,
        after: (ms, run) => waits.push({ ms, run }),
      }),
  }
}

test('lastingSubscription() tries again with growing waits until it holds, and goes on from the last event', async () => {
  const at = scene(['holds', busy(), busy(), 'holds'])
  await at.begin()
  at.gone()
  for (const ms of [200, 400]) {
    await settled()
    expect(at.waits.at(-1)?.ms).toBe(ms)
    at.waits.at(-1)?.run()
  }
  await settled()
  expect([at.seen, at.waits.length]).toEqual([[undefined, 1, 1, 1], 2])
})

test('lastingSubscription() gives up what is gone for good', async () => {
  const at = scene(['holds', new HubError(HUB_CODES.missing, 'Cannot find the room')])
  await at.begin()
  at.gone()
  await settled()
  expect([at.seen.length, at.waits.length]).toEqual([2, 0])
})

test('lastingSubscription() stops trying when it is ended while it waits', async () => {
  const at = scene(['holds', busy()])
  const end = await at.begin()
  at.gone()
  await settled()
  end()
  at.waits[0]?.run()
  await settled()
  expect([at.seen.length, at.waits.length, at.ended()]).toEqual([2, 1, 1])
})

test('lastingSubscription() lets its caller hear that a first one fails', async () => {
  await expect(scene([busy()]).begin()).rejects.toThrow('Cannot reach the daemon')
})
