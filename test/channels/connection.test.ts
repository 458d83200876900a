/** When a channel asks a service again that has refused. */
import { expect, test } from 'vitest'
import { openConnection } from '../../src/channels/connection.ts'
import type { Context } from '../../src/engine/context.ts'
import { handClock } from '../engine/hand-clock.ts'

/** A service that refuses until the test says otherwise. */
function service() {
  const clock = handClock()
  const of = { token: 'a', afterMs: undefined as number | undefined, isThere: false }
  const asked: number[] = []
  const troubles: (string | null)[] = []
  const config = () => ({ rest: { channels: { chat: { enabled: true, token: of.token } } } })
  const connection = openConnection(
    {
      name: 'chat',
      readSettings: ({ token }) => ({ token }),
      async connect() {
        asked.push(clock.now())
        if (!of.isThere) throw new Error('refused')
        return 'open'
      },
      whyNot: (error) => ({ why: (error as Error).message, afterMs: of.afterMs }),
      waits: { first: 1_000, most: 4_000 },
    },
    {
      context: { look: { config }, env: {}, world: { clock } } as unknown as Context,
      trouble: (why) => void troubles.push(why),
    },
  )
  /** Asks each second; gives the seconds at which the service was asked. */
  const during = async (seconds: number) => {
    const begin = clock.now()
    const before = asked.length
    for (let second = 0; second < seconds; second++, clock.pass(1_000)) await connection.open()
    return asked.slice(before).map((at) => (at - begin) / 1_000)
  }
  return { of, clock, connection, troubles, during }
}

test('open() asks less and less often while the service refuses, and as before once it has answered', async () => {
  const { of, connection, troubles, during } = service()
  expect(await during(16)).toEqual([0, 1, 3, 7, 11, 15])
  expect(troubles).toEqual(Array(6).fill('refused'))
  of.isThere = true
  expect(await during(4)).toEqual([3])
  expect(await connection.open()).toBe('open')
})

test('open() waits as long as the service says, whatever asks for it', async () => {
  const { of, during } = service()
  of.afterMs = 30_000
  expect(await during(61)).toEqual([0, 30, 60])
})

test('open() asks at once with other settings, and when the clock went back', async () => {
  const { of, clock, during } = service()
  of.afterMs = 3_600_000
  expect(await during(2)).toEqual([0])
  of.token = 'b'
  expect(await during(2)).toEqual([0])
  clock.pass(-86_400_000)
  expect(await during(2)).toEqual([0])
})
