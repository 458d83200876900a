/** Without bubblewrap: every way decides a request to run commands unconfined, for those who may, and a copy of it never. */
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { neo } from '../cli/program.ts'
import { until } from '../path/home.ts'
import { servedHome } from '../servers/served-home.ts'
import { type At, atOf, homeOf, idOf, LONG_MS, requestsIn, statusOf } from './asked-rooms.ts'
import { bareWorld } from './unconfined.ts'

type Way = (at: At, served: { readonly url: string; readonly token: string }) => Promise<void>

async function decide(url: string, headers: Record<string, string>, askId: string): Promise<object> {
  const call = { jsonrpc: '2.0', id: 1, method: 'ask.decide', params: { askId, decision: 'approved' } }
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers } }
  return (await (await fetch(`${url}/rpc`, { ...init, body: JSON.stringify(call) })).json()) as object
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })

async function memberToken(
  { url, token }: { url: string; token: string },
  memberId: string,
): Promise<string> {
  const call = { jsonrpc: '2.0', id: 1, method: 'member.token', params: { memberId } }
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json', ...bearer(token) } }
  const said = await (await fetch(`${url}/rpc`, { ...init, body: JSON.stringify(call) })).json()
  return (said as { result: { token: string } }).result.token
}

/** Each decides the request of its own room; what it must not decide is tried first. */
const WAYS: Readonly<Record<string, Way>> = {
  async api({ home, path }, { url, token }) {
    const copy = `${dirname(path)}/a-copy.md`
    home.write(copy, home.read(path).replaceAll('sh ./check.sh', 'true'))
    expect(await decide(url, bearer(token), copy)).toHaveProperty('error')
    rmSync(join(home.dir, copy))
    expect(await decide(url, bearer(token), idOf(path))).toHaveProperty('result')
    expect(await decide(url, bearer(token), idOf(path))).toHaveProperty('error')
  },
  async member({ path }, served) {
    const kim = bearer(await memberToken(served, 'm-kim'))
    expect(await decide(served.url, kim, idOf(path))).toHaveProperty('error')
    const ana = bearer(await memberToken(served, 'm-ana'))
    expect(await decide(served.url, ana, idOf(path))).toHaveProperty('result')
  },
  async socket({ path }, { url, token }) {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/hub`, { headers: bearer(token) })
    await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject))
    const said = new Promise<string>((resolve) => socket.on('message', (data) => resolve(String(data))))
    const params = { askId: idOf(path), decision: 'approved' }
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ask.decide', params }))
    expect(JSON.parse(await said)).toHaveProperty('result')
    socket.close()
  },
  async command({ home, path }) {
    const copy = `${dirname(path)}/a-copy.md`
    home.write(copy, home.read(path).replaceAll('sh ./check.sh', 'true'))
    expect(await neo(['ask', 'approve', 'a-copy', '--home', home.dir])).toMatchObject({ code: 5 })
    rmSync(join(home.dir, copy))
    expect(await neo(['ask', 'approve', idOf(path), '--home', home.dir])).toMatchObject({ code: 0 })
  },
  async inside({ path, files }) {
    expect(await neo(['ask', 'approve', idOf(path)], { cwd: files })).toMatchObject({ code: 0 })
  },
}

test('every way decides what was shown, once, for those who may', async () => {
  const home = await homeOf(Object.fromEntries(Object.keys(WAYS).map((way) => [way, {}])))
  const served = servedHome({}, { home, world: await bareWorld({ home }) })
  const { url } = await served.door()
  await until(() => served.said().token !== null)
  const token = served.said().token ?? ''
  for (const way of Object.keys(WAYS)) await until(() => requestsIn(home, way).length === 1, LONG_MS)
  for (const [name, way] of Object.entries(WAYS)) await way(atOf(home, name), { url, token })
  for (const way of Object.keys(WAYS)) await until(() => statusOf(home, way) === 'completed', LONG_MS)
  await served.watching.stop()
  expect(Object.keys(WAYS).map((way) => requestsIn(home, way).length)).toEqual([1, 1, 1, 1, 1])
})

test('a command decides without a daemon, and the next run goes on; what is too long to show is never asked about', async () => {
  const home = await homeOf({ alone: {}, long: { room: [`verify: ["true ${'x'.repeat(15_000)}"]`] } })
  await home.run({ world: await bareWorld({ home }) })
  expect(statusOf(home, 'long')).toBe('review')
  expect(home.read('rooms/long/tasks/t.md')).toContain('too long')
  const [path = ''] = requestsIn(home, 'alone')
  expect(await neo(['ask', 'approve', idOf(path), '--home', home.dir])).toMatchObject({ code: 0 })
  await home.run({ world: await bareWorld({ home }) })
  expect(statusOf(home, 'alone')).toBe('completed')
})
