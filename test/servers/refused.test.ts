/** Every route, and every way to come in that is not allowed: all refused, and the hub is never asked. */
import http from 'node:http'
import { describe, expect, test } from 'vitest'
import { composeFiles } from '../../src/compose.ts'
import type { Hub } from '../../src/hub/hub.ts'
import type { Route } from '../../src/servers/http/app.ts'
import { routesOf } from '../../src/servers/open-servers.ts'
import { Credentials } from '../../src/servers/shared/credentials.ts'
import { MOST_UPLOAD, openEntry } from '../../src/servers/shared/entry.ts'
import { openEventStreams, STREAM_LIMITS } from '../../src/servers/sse/events.ts'
import { type Asking, echoHub, makeDoor, type OpenedDoor } from './door.ts'

const QUIET = { rates: { known: { burst: 1e6, perSecond: 1e6 }, unknown: { burst: 1e6, perSecond: 1e6 } } }
const hub = echoHub()
const about = { version: 'test', startedAt: '', uptimeMs: () => 0, paths: {} }
const credentials = new Credentials({
  port: 1,
  configured: () => null,
  memberOf: () => null,
  now: Date.now,
})
const entry = openEntry({ place: { host: '127.0.0.1', port: 1 }, credentials, now: Date.now, ...QUIET })
const ROUTES: readonly Route[] = routesOf(
  { hub, about, files: composeFiles(), entry, reads: async () => null },
  {
    credentials,
    streams: openEventStreams({ hub, entry, limits: STREAM_LIMITS }),
    mcp: { answer: async () => 'taken', tick: () => {}, close: async () => {} },
  },
)
const BIG = 2 * 1024 * 1024
const VERBS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'TRACE', 'PROPFIND']
const get = (...paths: readonly string[]) => paths.map((path) => `GET ${path}`)
const ICONS = ['/manifest.webmanifest', '/icon.svg', '/icon-needs-you.svg']
/** They say nothing about the home: the sign-in page, icons, the trade of a code, and a sign of life. */
const NEEDS_NONE = [...get('/healthz', '/sign-in', ...ICONS), 'POST /sign-in']
const LISTS = 'rooms schedules memory agents activity settings chat'.split(' ').map((view) => `/${view}`)
const OF = 'room task session review request commit chat file settings activity'
const THINGS = OF.split(' ').map((of) => `/${of}/*`)
/** They answer 401 with the sign-in page, or with nothing, to who isn't signed in. */
const SHOWS_SIGN_IN = get('/', '/assets/:name', ...LISTS, ...THINGS)

interface Counted {
  readonly door: OpenedDoor
  readonly asked: string[]
}

async function counted(token?: () => string, memberOf?: () => string | null): Promise<Counted> {
  const asked: string[] = []
  const spy: Hub = {
    call: async (_, method) => void asked.push(method),
    subscribe: async (_, { channel }) => {
      asked.push(channel)
      return () => {}
    },
  }
  const given = {
    limits: QUIET,
    ...(token === undefined ? {} : { token }),
    ...(memberOf === undefined ? {} : { memberOf }),
  }
  return { door: await makeDoor(spy, given), asked }
}

const pathOf = ({ path }: Route) => path.replace(':scopeId', 'x')
const nameOf = (route: Route) => `${route.verb} ${route.path}`
const bodyFor = ({ verb }: Route): Asking =>
  verb === 'POST' ? { verb, headers: { 'content-type': 'application/json' }, body: '{}' } : { verb }

function ask({ door }: Counted, route: Route, asking: Asking = {}): ReturnType<OpenedDoor['ask']> {
  const usual = bodyFor(route)
  return door.ask(pathOf(route), { ...usual, ...asking, headers: { ...usual.headers, ...asking.headers } })
}

test('only the sign of life and the sign-in are for everyone', () => {
  const open = ROUTES.filter(({ who }) => who === 'open' || who === 'anyone').map(nameOf)
  expect(open.toSorted()).toEqual([...NEEDS_NONE, ...SHOWS_SIGN_IN].toSorted())
  expect(ROUTES.length).toBeGreaterThan(16)
})

describe.each(ROUTES.map((route) => [nameOf(route), route] as const))('%s', (name, route) => {
  const needsNone = NEEDS_NONE.includes(name)

  test('without a good token nothing is told', async () => {
    let token = 'r'.repeat(32)
    const given = await counted(() => token)
    const revoked = `Bearer ${token}`
    token = 'n'.repeat(32)
    const wrong = [
      '',
      'Bearer wrong',
      `Basic ${token}`,
      `Bearer ${token}x`,
      `Bearer  ${token}`,
      token,
      revoked,
    ]
    for (const authorization of wrong) {
      const answer = await ask(given, route, { headers: { authorization } })
      if (!needsNone) expect([authorization, answer.status]).toEqual([authorization, 401])
    }
    const inQuery = await given.door.ask(`${pathOf(route)}?token=${token}&access_token=${token}`, {
      ...bodyFor(route),
      headers: { ...bodyFor(route).headers, authorization: '', cookie: `neo_${given.door.port}=${token}` },
    })
    if (!needsNone) expect(inQuery.status).toBe(401)
    expect(given.asked).toEqual([])
  })

  test('a member’s token that was taken back, and a cookie that was had for it, tell nothing', async () => {
    let holder: string | null = 'kim'
    const given = await counted(undefined, () => holder)
    const signIn = await given.door.ask('/codes', {
      verb: 'POST',
      headers: { authorization: 'Bearer own', 'content-type': 'application/json' },
      body: '{}',
    })
    const traded = await given.door.ask('/sign-in', {
      verb: 'POST',
      headers: { authorization: '', 'content-type': 'application/json' },
      body: signIn.text,
    })
    const [cookie = ''] = traded.headers['set-cookie'] ?? []
    holder = null
    const origin = `http://127.0.0.1:${given.door.port}`
    const heads = [
      { authorization: 'Bearer own' },
      { authorization: '', cookie: cookie.split(';')[0] ?? '', origin },
    ]
    for (const headers of heads) {
      const answer = await ask(given, route, { headers })
      if (!needsNone) expect([headers, answer.status]).toEqual([headers, 401])
    }
    expect([cookie !== '', given.asked]).toEqual([true, []])
  })

  test('another host, another origin and another site are refused, token or not', async () => {
    const given = await counted()
    const { port } = given.door
    const heads: readonly Record<string, string>[] = [
      { host: `evil.example:${port}` },
      { host: '127.0.0.1:1' },
      { host: '127.0.0.1' },
      { host: `127.0.0.1.evil.example:${port}` },
      { host: `0.0.0.0:${port}` },
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { origin: `http://127.0.0.1:${port + 1}` },
      { origin: `https://127.0.0.1:${port}` },
      { origin: `http://localhost:${port}` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' },
    ]
    for (const headers of heads) {
      const answer = await ask(given, route, { headers })
      expect([headers, answer.status]).toEqual([headers, 403])
    }
    expect(given.asked).toEqual([])
  })

  test('every other verb is refused', async () => {
    const given = await counted()
    const own = new Set(ROUTES.filter(({ path }) => path === route.path).map(({ verb }) => verb as string))
    for (const verb of VERBS.filter((one) => !own.has(one))) {
      const known = await given.door.ask(pathOf(route), { verb })
      expect([verb, known.status]).toEqual([verb, 405])
      const unknown = await given.door.ask(pathOf(route), { verb, headers: { authorization: '' } })
      expect([verb, unknown.status]).toEqual([verb, 401])
    }
    expect(given.asked).toEqual([])
  })

  test('a body that is too large is refused, said or not', async () => {
    const given = await counted()
    const takesFiles = route.path === '/chat-files/:room'
    const body = Buffer.alloc(takesFiles ? MOST_UPLOAD + 1 : BIG, 'x')
    const type = takesFiles ? { 'content-type': 'application/octet-stream' } : {}
    const sent = (header: Readonly<Record<string, string>>) =>
      ask(given, route, { headers: { ...type, ...header }, body }).catch(() => null)
    expect((await sent({ 'content-length': String(body.length) }))?.status ?? 413).toBe(413)
    const chunked = await sent({ 'transfer-encoding': 'chunked' })
    const reads = takesFiles || ['/rpc', '/sign-in'].includes(route.path) || route.verb === 'GET'
    if (reads) expect(chunked?.status ?? 413).toBe(413)
    expect(given.asked).toEqual([])
  })

  test('every answer carries the headers that keep it from caches, frames and foreign scripts', async () => {
    const given = await counted()
    const { headers } = await ask(given, route, { headers: { authorization: '' } })
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    })
    if (headers['content-type']?.startsWith('text/'))
      expect(headers).toMatchObject({ 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer' })
    const csp = String(headers['content-security-policy'])
    expect(csp).toContain("default-src 'none'")
    expect(csp).toContain("frame-ancestors 'none'")
    expect(csp).not.toContain('unsafe')
    expect(headers['access-control-allow-origin']).toBeUndefined()
  })
})

test('an unknown path is told to nobody unknown', async () => {
  const { door } = await counted()
  expect((await door.ask('/nowhere')).status).toBe(404)
  expect((await door.ask('/nowhere', { headers: { authorization: '' } })).status).toBe(401)
  expect((await door.ask('/../../etc/passwd')).status).toBe(404)
})

test('what is told on the same machine only is not told through a proxy', async () => {
  const given = await counted()
  const local = ROUTES.filter(({ from }) => from === 'loopback')
  expect(local.map(({ path }) => path)).toEqual([
    '/sessions/:scopeId/purge',
    '/events/tail',
    '/transcripts/tail',
    '/reads',
  ])
  for (const route of local) {
    const answer = await ask(given, route, { headers: { 'x-forwarded-for': '192.0.2.1' } })
    expect(answer.status).toBe(403)
  }
  expect(given.asked).toEqual([])
})

test('who guesses is slowed down, who holds the token is not', async () => {
  const door = await makeDoor(echoHub(), {
    limits: { rates: { known: { burst: 1e3, perSecond: 1 }, unknown: { burst: 5, perSecond: 0.001 } } },
  })
  const guess = () => door.ask('/status', { headers: { authorization: 'Bearer guess' } })
  const statuses: number[] = []
  for (let round = 0; round < 8; round++) statuses.push((await guess()).status)
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429])
  expect((await door.ask('/nowhere')).status).toBe(404)
})

interface Upgraded {
  readonly status: number
}

function upgrade(
  { door }: Counted,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<Upgraded> {
  const usual = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': Buffer.alloc(16).toString('base64'),
    authorization: `Bearer ${door.token()}`,
  }
  const sent = Object.fromEntries(
    Object.entries({ ...usual, ...headers }).filter(([, value]) => value !== ''),
  )
  return new Promise((resolve, reject) => {
    const asked = http.get({ host: '127.0.0.1', port: door.port, path, headers: sent, agent: false })
    asked.on('upgrade', (_, socket) => {
      socket.destroy()
      resolve({ status: 101 })
    })
    asked.on('response', (answer) => {
      answer.resume()
      resolve({ status: answer.statusCode ?? 0 })
    })
    asked.on('error', reject)
  })
}

test('a WebSocket is refused wherever a route would be', async () => {
  const given = await counted()
  const { port } = given.door
  const wanted: readonly (readonly [string, Record<string, string>, number])[] = [
    ['/hub', {}, 101],
    ['/hub', { origin: `http://127.0.0.1:${port}` }, 101],
    ['/hub', { authorization: '' }, 401],
    ['/hub', { authorization: 'Bearer wrong' }, 401],
    [`/hub?token=${given.door.token()}`, { authorization: '' }, 401],
    ['/hub', { origin: 'http://evil.example' }, 403],
    ['/hub', { origin: 'null' }, 403],
    ['/hub', { host: `evil.example:${port}` }, 403],
    ['/hub', { 'sec-fetch-site': 'cross-site' }, 403],
    ['/hub', { upgrade: 'h2c' }, 426],
    ['/hub', { 'sec-websocket-version': '7' }, 400],
    ['/hub', { 'sec-websocket-key': 'short' }, 400],
    ['/rpc', {}, 404],
    ['/', { upgrade: 'h2c' }, 404],
  ]
  for (const [path, headers, status] of wanted) {
    const answer = await upgrade(given, path, headers)
    expect([path, headers, answer.status]).toEqual([path, headers, status])
  }
  expect(given.asked).toEqual([])
})
