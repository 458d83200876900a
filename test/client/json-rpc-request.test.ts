/** Calls over HTTP: what is known of a call that got no answer. */
import { expect, test } from 'vitest'
import { hubErrorOf, openConnection } from '../../src/client/json-rpc-request.ts'
import { HUB_CODES } from '../../src/hub/hub.ts'
import { type Answering, errorOf, httpDaemon, resultOf } from './http-daemon.ts'

const LIMIT = { limitMs: 60_000 }
const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

async function answered(answering: Answering, limitMs = LIMIT.limitMs) {
  const daemon = await httpDaemon(() => answering)
  return await openConnection(daemon).ask('task.list', { roomId: 'shop' }, { limitMs })
}

test.each<[string, Answering, object]>([
  ['a result', resultOf([1]), { kind: 'result', result: [1] }],
  ['no result, which is null', resultOf(null), { kind: 'result', result: null }],
  ['an error', errorOf(-32002, { next: 'x' }), { kind: 'error', code: -32002, data: { next: 'x' } }],
  ['text', { body: 'Hello' }, { kind: 'cut', why: 'its answer is not JSON-RPC' }],
  ['JSON of another kind', { body: '[1]' }, { kind: 'cut' }],
  ['null', { body: 'null' }, { kind: 'cut' }],
  ['another status', { status: 503, body: '' }, { kind: 'unheard', why: 'it answers 503' }],
])('ask() tells %s', async (_, answering, wanted) => {
  expect(await answered(answering)).toMatchObject(wanted)
})

test('ask() says that nobody knows the end if the connection is cut, and keeps no timer', async () => {
  const before = timers()
  expect(await answered('cuts')).toMatchObject({ kind: 'cut' })
  expect(timers()).toBeLessThanOrEqual(before)
})

test('ask() says that nobody knows the end if no answer comes in time', async () => {
  expect(await answered('waits', 1)).toEqual({
    kind: 'cut',
    why: 'it did not answer within 0.001 seconds',
  })
})

test('ask() sends the method, the parameters and the token', async () => {
  const daemon = await httpDaemon(({ method, params }) => resultOf({ method, params }))
  const connection = openConnection(daemon)
  expect(await connection.ask('a.b', { c: 1 }, LIMIT)).toEqual({
    kind: 'result',
    result: { method: 'a.b', params: { c: 1 } },
  })
})

test('ask() sends nothing to a daemon that is not well, and does not try it again at once', async () => {
  const daemon = await httpDaemon(() => resultOf(1), 500)
  const connection = openConnection(daemon)
  for (let round = 0; round < 3; round++)
    expect(await connection.ask('a.b', {}, LIMIT)).toEqual({ kind: 'unheard', why: 'it answers 500' })
  expect(daemon.asked).toEqual([])
  expect(daemon.healthAsked()).toBe(1)
})

test.each([
  ['nobody listens', { url: 'http://127.0.0.1:1', token: 'a' }],
  ['the address is none', { url: 'nonsense', token: 'a' }],
])('ask() has not reached the daemon if %s', async (_, at) => {
  expect((await openConnection(at).ask('a.b', {}, LIMIT)).kind).toBe('unheard')
})

test('ask() has not sent a call whose token can be no header', async () => {
  const daemon = await httpDaemon(() => resultOf(1))
  const connection = openConnection({ ...daemon, token: 'a\nb' })
  expect((await connection.ask('a.b', {}, LIMIT)).kind).toBe('unheard')
  expect(daemon.asked).toEqual([])
})

test('hubErrorOf() keeps codes of the hub, and takes others as internal', () => {
  const error = { kind: 'error', message: 'No', data: { a: 1 } } as const
  for (const code of Object.values(HUB_CODES))
    expect(hubErrorOf({ ...error, code })).toMatchObject({ code, message: 'No', data: { a: 1 } })
  expect(hubErrorOf({ ...error, code: 1 }).code).toBe(HUB_CODES.internal)
})
