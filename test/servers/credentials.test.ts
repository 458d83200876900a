/** Codes and cookies: each holder has their own room for them, and nobody signs anybody else out. */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { echoHub, folder, makeDoor, type OpenedDoor } from './door.ts'

const QUIET = { known: { burst: 1e6, perSecond: 1e6 }, unknown: { burst: 1e6, perSecond: 1e6 } }
const JSON_TYPE = { 'content-type': 'application/json' }
const OTHERS = ['ana', 'kim']

async function served() {
  const byHash = new Map(
    OTHERS.map((id) => [createHash('sha256').update(`token-of-${id}`).digest('hex'), id]),
  )
  const memberOf = (hash: string) => byHash.get(hash) ?? null
  const door = await makeDoor(echoHub(), { memberOf, limits: { rates: QUIET } })
  const code = async (token: string) => {
    const headers = { ...JSON_TYPE, authorization: `Bearer ${token}` }
    const { text } = await door.ask('/codes', { verb: 'POST', headers, body: '{}' })
    return (JSON.parse(text) as { readonly code: string }).code
  }
  const signIn = async (of: string) => {
    const body = JSON.stringify({ code: of })
    const { status, headers } = await door.ask('/sign-in', {
      verb: 'POST',
      headers: { ...JSON_TYPE, authorization: '' },
      body,
    })
    return { status, cookie: (headers['set-cookie']?.[0] ?? '').split(';')[0] ?? '' }
  }
  const me = async (cookie: string) =>
    (await door.ask('/me', { headers: { authorization: '', cookie } })).status
  return { door, code, signIn, me }
}

test('a member who signs in without end signs out nobody else, and takes no code of anybody else', async () => {
  const { door, code, signIn, me } = await served()
  const [owner, ana] = [await signIn(await code(door.token())), await signIn(await code('token-of-ana'))]
  const waiting = door.link().split('#code=')[1] ?? ''
  const first = await signIn(await code('token-of-kim'))
  let last = first
  for (let n = 0; n < 101; n++) last = await signIn(await code('token-of-kim'))
  for (let n = 0; n < 101; n++) await code('token-of-kim')
  expect([await me(owner.cookie), await me(ana.cookie), await me(last.cookie)]).toEqual([200, 200, 200])
  expect(await me(first.cookie)).toBe(401)
  expect((await signIn(waiting)).cookie).not.toBe('')
})

/** Sign-ins of a process that ends, in the folder that the next one gets. */
async function signedInAt(home: string, token: () => string | null) {
  const door = await makeDoor(echoHub(), { home, token, limits: { rates: QUIET } })
  const code = door.link().split('#code=')[1] ?? ''
  const { headers } = await door.ask('/sign-in', {
    verb: 'POST',
    headers: { ...JSON_TYPE, authorization: '' },
    body: JSON.stringify({ code }),
  })
  return { door, value: (headers['set-cookie']?.[0] ?? '').split(';')[0]?.split('=')[1] ?? '' }
}

function meAt(door: OpenedDoor, value: string): Promise<number> {
  const cookie = `neo_${door.port}=${value}`
  return door.ask('/me', { headers: { authorization: '', cookie } }).then(({ status }) => status)
}

test('a browser stays signed in when the daemon starts again, and signs out for good', async () => {
  const home = folder()
  const { value } = await signedInAt(home, () => null)
  const second = await makeDoor(echoHub(), { home })
  expect(await meAt(second, value)).toBe(200)
  expect(readFileSync(join(home, '.neo/sign-ins.json'), 'utf8')).not.toContain(value)
  const cookie = `neo_${second.port}=${value}`
  await second.ask('/sign-out', {
    verb: 'POST',
    headers: { authorization: '', cookie, origin: second.url },
  })
  expect(await meAt(await makeDoor(echoHub(), { home }), value)).toBe(401)
})

test.each([
  ['another token', () => 'another-token-of-the-home'],
  ['no token', () => null],
])('a sign-in under a configured token ends with %s', async (_, next) => {
  const home = folder()
  const { value } = await signedInAt(home, () => 'the-token-of-the-home')
  expect(await meAt(await makeDoor(echoHub(), { home, token: () => 'the-token-of-the-home' }), value)).toBe(
    200,
  )
  expect(await meAt(await makeDoor(echoHub(), { home, token: next }), value)).toBe(401)
})

test.each(['', '[', '[]', '{"token":null,"cookies":[1,["a"],["b",{"until":1e99,"of":7}]]}'])(
  'a damaged file of sign-ins (%s) signs nobody in, and stops nothing',
  async (text) => {
    const home = folder()
    mkdirSync(join(home, '.neo'))
    writeFileSync(join(home, '.neo/sign-ins.json'), text)
    const { door, value } = await signedInAt(home, () => null)
    expect(await meAt(door, value)).toBe(200)
  },
)

test('a person ends their other sign-ins and waiting links, and nobody else’s', async () => {
  const { door, code, signIn, me } = await served()
  const [owner, kim] = [await signIn(await code(door.token())), await signIn(await code('token-of-kim'))]
  const other = await signIn(await code('token-of-kim'))
  const waiting = await code('token-of-kim')
  const headers = { authorization: '', cookie: kim.cookie, origin: door.url }
  const { text } = await door.ask('/sign-out-others', { verb: 'POST', headers })
  expect(JSON.parse(text)).toEqual({ ended: 1 })
  expect([await me(kim.cookie), await me(owner.cookie), await me(other.cookie)]).toEqual([200, 200, 401])
  expect((await signIn(waiting)).status).toBe(401)
})
