/**
 * A door on a free port over a hub of its own, and requests with every header as one likes.
 * Takes what differs from the usual; gives the door, and plain ways to ask.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { composeFiles } from '../../src/compose.ts'
import type { Hub } from '../../src/hub/hub.ts'
import { openServers, type RunningServers, type ServersLimits } from '../../src/servers/open-servers.ts'

export interface Answer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
}

export interface Asking {
  readonly verb?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

export interface OpenedDoor extends RunningServers {
  readonly port: number
  /** With the token, unless `authorization` says otherwise ('' for none). */
  ask(path: string, asking?: Asking): Promise<Answer>
  /** One call of `/rpc`; the whole answer. */
  rpc(message: unknown): Promise<unknown>
}

export interface Given {
  readonly token?: () => string | null
  readonly memberOf?: (hash: string) => string | null
  readonly now?: () => number
  readonly limits?: Partial<ServersLimits>
  /** Its folder, for what shows files. */
  readonly home?: string
}

/** Says what it was called with; has channels of no use. */
export function echoHub(): Hub {
  return {
    call: async (principal, method, params) => ({ principal, method, params }),
    subscribe: async ({ kind }, { channel }, on) => {
      await on({ channel, seq: 1, data: { snapshot: kind } })
      return () => {}
    },
  }
}

/** Of its own, away after the test. */
export function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'neo-door-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

export async function makeDoor(hub: Hub = echoHub(), given: Given = {}): Promise<OpenedDoor> {
  const door = await openServers({
    hub,
    files: composeFiles(),
    home: given.home ?? folder(),
    now: given.now ?? Date.now,
    host: '127.0.0.1',
    port: 0,
    otherwise: 'fail',
    token: given.token ?? (() => null),
    about: {
      version: 'test',
      startedAt: '2026-03-01T00:00:00Z',
      uptimeMs: () => 1,
      paths: { rooms: 'rooms' },
    },
    reads: (name, params) => hub.call({ kind: 'human' }, name, params),
    ...(given.memberOf === undefined ? {} : { memberOf: given.memberOf }),
    ...(given.limits === undefined ? {} : { limits: given.limits }),
  })
  onTestFinished(() => door.close())
  const port = Number(new URL(door.url).port)
  const ask = (path: string, { verb = 'GET', headers = {}, body }: Asking = {}) =>
    request({ port, path, verb, headers: { authorization: `Bearer ${door.token()}`, ...headers }, body })
  return {
    ...door,
    port,
    ask,
    async rpc(message) {
      const { text } = await ask('/rpc', {
        verb: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(message),
      })
      return text === '' ? null : JSON.parse(text)
    },
  }
}

interface Sent {
  readonly port: number
  readonly path: string
  readonly verb: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | undefined
}

/** A header that is '' is not sent. */
function request({ port, path, verb, headers, body }: Sent): Promise<Answer> {
  const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''))
  return new Promise((resolve, reject) => {
    const asked = http.request(
      { host: '127.0.0.1', port, path, method: verb, headers: sent, agent: false },
      (answer) => {
        let text = ''
        answer.setEncoding('utf8')
        answer.on('data', (chunk: string) => (text += chunk))
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }))
        answer.on('error', reject)
      },
    )
    asked.on('error', reject)
    asked.end(body)
  })
}
