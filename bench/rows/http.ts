import http from 'node:http'
import { startResident } from '../resident.ts'
import { inMs, type Line, type Row } from '../row.ts'
import { inTurn, timed, until } from '../time.ts'

/** Clients that ask at the same time, each the next when it has its answer. */
const LANES = 16
const LEAST = 0.8
const SUBSCRIBERS = 1_000
const MOST_MS = 100

export const httpRow: Row = {
  name: 'http',
  measures: 'small calls over HTTP beside a bare hono server; 1,000 subscribers hear of a change',
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

async function subscribe(
  { url, token }: Target,
  subscribers: number,
  heard: (at: number) => void,
): Promise<{ end(): void }> {
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
