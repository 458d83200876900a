import http from 'node:http'
import { canWeigh, type Resident, startResident } from '../resident.ts'
import { inMs, type Line, type Row } from '../row.ts'
import { inTurn, pause, timed, until } from '../time.ts'

/** Clients that ask at the same time, each the next when it has its answer. */
const LANES = 16
const LEAST = 0.8
const SUBSCRIBERS = 1_000
const MOST_MS = 100
const MOST_MB = 60
/** Subscribers that come first, so that what the first ones load is not counted to the others. */
const FIRST = 20
/** What an arrival leaves to clear away is over by then. */
const REST_MS = 3_000

export const httpRow: Row = {
  name: 'http',
  measures:
    'small calls over HTTP beside a bare hono server; 1,000 subscribers hear of a change, and what memory they take',
  async run({ quick }) {
    const [floor, door] = await Promise.all([
      startResident(['node', 'bench/floors/http.mjs'], /ready http/),
      startResident(['node', 'bench/http-door.mjs'], /ready http/),
    ])
    try {
      const [bare, ours] = [targetOf(floor.said()), targetOf(door.said())]
      const calls = quick ? 500 : 4_000
      const times = await inTurn(
        { bare: () => manyCalls(bare, calls), ours: () => manyCalls(ours, calls) },
        quick ? 3 : 15,
      )
      return [
        callsLine(calls, times.bare.p50, times.ours.p50),
        await heardLine(ours, quick ? 100 : SUBSCRIBERS, quick ? 5 : 30),
        ...(canWeigh() ? [await memoryLine(quick ? 100 : SUBSCRIBERS, quick ? 2 : 10)] : []),
      ]
    } finally {
      await Promise.all([floor.end(), door.end()])
    }
  },
}

interface Target {
  readonly url: URL
  readonly token: string
}

function targetOf(said: string): Target {
  const [, url = '', token = ''] = /ready (\S+) (\S+)/.exec(said) ?? []
  return { url: new URL(url), token }
}

async function manyCalls(target: Target, calls: number): Promise<number> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: LANES })
  const started = performance.now()
  let left = calls
  const lane = async (): Promise<void> => {
    while (left-- > 0) await call(target, agent, 'room.get')
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  const ms = performance.now() - started
  agent.destroy()
  return ms
}

function call({ url, token }: Target, agent: http.Agent, method: string): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { roomId: 'room-1' } })
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    Authorization: `Bearer ${token}`,
  }
  return new Promise((resolve, reject) => {
    const asked = http.request(
      { host: url.hostname, port: url.port, path: '/rpc', method: 'POST', agent, headers },
      (answer) => {
        if (answer.statusCode !== 200) reject(new Error(`It answers ${answer.statusCode}`))
        answer.resume()
        answer.on('end', resolve)
      },
    )
    asked.on('error', reject)
    asked.end(body)
  })
}

function callsLine(calls: number, bareMs: number, oursMs: number): Line {
  const share = bareMs / oursMs
  const perSecond = (ms: number) => `${Math.round((1000 * calls) / ms)} a second`
  return {
    work: 'small calls over HTTP, with token and all checks',
    goal: `≥ ${LEAST} × bare hono`,
    floor: perSecond(bareMs),
    measured: `${perSecond(oursMs)} = ${share.toFixed(2)} ×`,
    verdict: share >= LEAST ? 'ok' : 'over',
  }
}

/** From the moment it is published to the moment each subscriber has it, over all subscribers and changes. */
async function heardLine(target: Target, subscribers: number, changes: number): Promise<Line> {
  const delays: number[] = []
  const crowd = await subscribe(target, subscribers, (at) => {
    delays.push(performance.timeOrigin + performance.now() - at)
  })
  const agent = new http.Agent()
  for (let change = 1; change <= changes; change++) {
    await call(target, agent, 'tell')
    await until('all have heard', () => delays.length >= change * subscribers || null)
  }
  crowd.end()
  const sorted = delays.toSorted((a, b) => a - b)
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN
  return {
    work: `a change → ${subscribers} subscribers have it, p99`,
    goal: `≤ ${MOST_MS} ms`,
    floor: '',
    measured: `${inMs(p99)} (p50 ${inMs(timed(delays).p50)})`,
    verdict: p99 <= MOST_MS ? 'ok' : 'over',
  }
}

/** A door of its own: one that has answered thousands of calls holds freed memory that subscribers would fill unseen. */
async function memoryLine(subscribers: number, changes: number): Promise<Line> {
  const door = await startResident(['node', 'bench/http-door.mjs'], /ready http/)
  try {
    const target = targetOf(door.said())
    const [first, before] = await weighed(door, target, { subscribers: FIRST, changes })
    const [crowd, after] = await weighed(door, target, { subscribers, changes })
    first.end()
    crowd.end()
    const mb = after - before
    return {
      work: `${subscribers} subscribers: memory of the door beyond what it has without them`,
      goal: `≤ ${MOST_MB} MB`,
      floor: `${before.toFixed(0)} MB`,
      measured: `${mb.toFixed(1)} MB more`,
      verdict: mb <= MOST_MB ? 'ok' : 'over',
    }
  } finally {
    await door.end()
  }
}

/** Lets so many come and hear of changes; gives them, and the memory of the door then. */
async function weighed(
  door: Pick<Resident, 'memory'>,
  target: Target,
  { subscribers, changes }: { readonly subscribers: number; readonly changes: number },
): Promise<[Crowd, number]> {
  let heard = 0
  const crowd = await subscribe(target, subscribers, () => void heard++)
  const agent = new http.Agent()
  for (let change = 1; change <= changes; change++) {
    await call(target, agent, 'tell')
    await until('all have heard', () => heard >= change * subscribers || null)
  }
  await pause(REST_MS)
  return [crowd, door.memory()]
}

interface Crowd {
  end(): void
}

async function subscribe(
  { url, token }: Target,
  subscribers: number,
  heard: (at: number) => void,
): Promise<Crowd> {
  const agent = new http.Agent({ maxSockets: Number.POSITIVE_INFINITY })
  const headers = { Authorization: `Bearer ${token}` }
  let open = 0
  const hear = (text: string): void => {
    if (text.includes('"snapshot"')) open++
    for (const [, at] of text.matchAll(/"change":\{"at":([\d.]+)\}/g)) heard(Number(at))
  }
  const asked = Array.from({ length: subscribers }, () =>
    http
      .get(
        { host: url.hostname, port: url.port, path: '/events?channel=bench', agent, headers },
        (answer) => {
          answer.setEncoding('utf8')
          answer.on('error', () => {})
          answer.on('data', hear)
        },
      )
      .on('error', () => {}),
  )
  await until('all have subscribed', () => open === subscribers || null)
  return { end: () => asked.forEach((one) => void one.destroy()) }
}
