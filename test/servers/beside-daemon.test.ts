/** ServerParts beside a daemon: where they open, what is said where they cannot, and that work goes on. */
import { existsSync, statSync } from 'node:fs'
import net from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { PORT } from '../../src/servers/beside-daemon.ts'
import { composeWorld } from '../../src/compose.ts'
import { freePort } from '../free-port.ts'
import { makeHome, until } from '../path/home.ts'
import { MOMENT_MS } from '../wait.ts'
import { servedHome } from './served-home.ts'

const RUN = '# Run\n\n```sh\ntrue\n```\n'
const config = (http: string) => ({ 'neo.yaml': `daemon: { settle: 0s, rescan: 1s }\nhttp: ${http}\n` })

/** Takes a port away; gives its number. */
async function taken(port = 0): Promise<number> {
  const server = net.createServer()
  onTestFinished(() => void server.close())
  const held = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => resolve(true))
  })
  return held ? (server.address() as net.AddressInfo).port : port
}

test('daemon.json says where the hub is, for its owner alone, and is gone afterwards', async () => {
  const served = servedHome()
  const { url } = await served.door()
  const path = join(served.home.dir, '.neo/daemon.json')
  await until(() => served.said().url === url)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const answer = await fetch(`${url}/status`, { headers: { authorization: `Bearer ${served.said().token}` } })
  expect(await answer.json()).toMatchObject({
    version: 'test',
    paths: { state: '.git/neo' },
    index: { failures: 0, lastError: '' },
  })
  const begun = performance.now()
  await served.watching.stop()
  expect(performance.now() - begun).toBeLessThan(MOMENT_MS)
  expect(existsSync(path)).toBe(false)
  await expect(fetch(`${url}/healthz`)).rejects.toThrow()
})

test('the daemon ends at once though clients hold their lines open', async () => {
  const served = servedHome()
  const { url } = await served.door()
  await until(() => served.said().token !== null)
  const headers = { authorization: `Bearer ${served.said().token}` }
  const stream = await fetch(`${url}/events?channel=asks`, { headers })
  const begun = performance.now()
  await served.watching.stop()
  expect(performance.now() - begun).toBeLessThan(MOMENT_MS)
  await stream.text().catch(() => {})
})

test('a port that nobody asked for is left to who has it: another one is taken', async () => {
  await taken(PORT)
  const { url } = await servedHome().door()
  expect(Number(new URL(url).port)).not.toBe(PORT)
})

test('a port that was asked for and is taken is a trouble that is said; work goes on', async () => {
  const port = await taken()
  const served = servedHome(config(`{ port: ${port} }`))
  await until(() => served.said().troubles.length > 0)
  expect(served.said()).toMatchObject({
    url: null,
    token: null,
    troubles: [{ part: 'server', why: expect.stringContaining(`cannot listen on 127.0.0.1:${port}`) }],
  })
  served.home.task('a', RUN)
  await until(() => served.home.status('a') === 'completed', 60_000)
  await until(() => served.home.git('status', '--porcelain') === '')
})

test('a start that fails once the port is taken gives it back, and the next try has it', async () => {
  const port = await freePort()
  const home = makeHome(config(`{ port: ${port} }`))
  const world = await composeWorld(home.dir)
  const clock = {
    ...world.clock,
    after: (ms: number, call: () => void) => world.clock.after(Math.min(ms, 50), call),
  }
  let full = true
  const served = servedHome(
    {},
    {
      ...{ home, world: { ...world, clock } },
      health: (own) => ({
        trouble: (...of) => own.trouble(...of),
        well: (...of) => own.well(...of),
        served(at) {
          if (at !== null && full) {
            full = false
            throw new Error('no space left on device')
          }
          own.served(at)
        },
      }),
    },
  )
  expect((await served.door()).url).toBe(`http://127.0.0.1:${port}`)
  expect(full).toBe(false)
  await until(() => served.said().troubles.length === 0)
})

test('a token that could be guessed opens no door', async () => {
  const served = servedHome(config('{ port: 0, token: secret }'))
  await until(() => served.said().troubles.length > 0)
  expect(served.said().troubles[0]?.why).toContain('at least 16 characters')
})

test('the configured token counts, and another one at once when neo.yaml is saved', async () => {
  const [first, second] = ['a'.repeat(20), 'b'.repeat(20)]
  const served = servedHome(config(`{ token: ${first} }`))
  const { url } = await served.door()
  const status = async (token: string) =>
    (await fetch(`${url}/sessions`, { headers: { authorization: `Bearer ${token}` } })).status
  expect(await status(first)).toBe(200)
  served.home.write('neo.yaml', config(`{ token: ${second} }`)['neo.yaml'])
  await until(() => served.said().token === second)
  expect(await status(second)).toBe(200)
  expect(await status(first)).toBe(401)
})

test('routes of administration tell what is there, and refuse clearly what is not', async () => {
  const served = servedHome()
  const { url } = await served.door()
  await until(() => served.said().token !== null)
  const headers = { authorization: `Bearer ${served.said().token}` }
  const ask = async (path: string, method = 'GET') => {
    const answer = await fetch(`${url}${path}`, { method, headers })
    return [answer.status, await answer.json()] as const
  }
  for (const path of ['/sessions', '/sessions-with-counts', '/policy/status'])
    expect(await ask(path)).toEqual([200, []])
  for (const act of ['clear', 'distill', 'purge?confirm=us'])
    expect(await ask(`/sessions/us/${act}`, 'POST')).toMatchObject([404, { error: { code: -32002 } }])
  expect(await ask('/sessions/us/purge?confirm=them', 'POST')).toMatchObject([
    400,
    { error: { code: -32602 } },
  ])
  const [, lines] = await ask('/events/tail?lines=2')
  expect(lines).toMatchObject([
    { who: 'human' },
    { who: 'human', method: 'subscribe', about: { channel: 'audit' } },
  ])
  expect(await ask('/events/tail?lines=none')).toMatchObject([400, { error: { code: -32602 } }])
  expect(await ask('/transcripts/tail?scopeId=s-zzzzzz')).toMatchObject([404, { error: { code: -32002 } }])
  expect(await ask('/transcripts/tail')).toMatchObject([400, { error: { code: -32602 } }])
  expect(await ask('/events?channel=room:nowhere:state')).toMatchObject([404, { error: { code: -32002 } }])
})
