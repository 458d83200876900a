/** Codes and cookies: each holder has their own room for them, and nobody signs anybody else out. */
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { echoHub, makeDoor } from './door.ts'

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
