/**
 * The hub of the daemon that runs, as `.neo/daemon.json` says it is served. Invariant 1: a file that a killed daemon
 * left is told by its process, and nothing is sent to whoever listens there now.
 */
import { NeoError } from '../../domain/home/error.ts'
import { HUB_CODES, HubError } from '../../hub/hub.ts'
import type { Opened } from '../with-world.ts'
import { type ServedAt, servedAt } from './daemon-file.ts'
import { type Answered, openLine } from './post.ts'

export interface Served {
  /** Without a slash at its end. */
  readonly url: string
  readonly token: string
  /** What came of it, also where the daemon has not taken it. */
  ask(method: string, params: unknown): Promise<Answered>
  /** Throws HubError, or NeoError `failed` where the daemon cannot be reached, or goes away meanwhile. */
  callAny(method: string, params: unknown): Promise<unknown>
  /** The page's address with a code for one sign-in. */
  link(): Promise<string>
}

/** A conversation that a model folds, or facts that one makes: what takes longest of all calls. */
const ANSWER_MS = 600_000
const LINK_MS = 10_000

export function servedHub({ home, world }: Pick<Opened, 'home' | 'world'>): Served | null {
  const at = servedAt(home, world.files, world.processes.alive)
  if (at === null) return null
  const { url, token } = at
  const line = openLine(at, ANSWER_MS)
  return {
    url,
    token,
    ask: (method, params) => line.ask(method, params),
    async callAny(method, params) {
      const said = await line.ask(method, params)
      if (said.kind === 'result') return said.result
      if (said.kind === 'error') throw hubErrorOf(said)
      throw unreachable(url, said.why)
    },
    async link() {
      const { code } = (await post({ url, token }, '/codes', {})) as { readonly code: string }
      return `${url}/#code=${code}`
    },
  }
}

async function post(at: ServedAt, path: string, body: unknown): Promise<unknown> {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${at.token}` }
  try {
    const signal = AbortSignal.timeout(LINK_MS)
    const answer = await fetch(`${at.url}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal,
    })
    const said: unknown = await answer.json()
    if (answer.ok) return said
    throw new Error(`it answers ${answer.status}`)
  } catch (error) {
    const { message, cause } = error as Error
    throw unreachable(at.url, cause instanceof Error ? cause.message : message)
  }
}

function unreachable(url: string, why: string): NeoError {
  return new NeoError('failed', `Cannot reach the daemon at ${url}`, {
    why,
    next: 'neo status says whether it runs',
  })
}

/** The error as the hub threw it. */
export function hubErrorOf({ code, message, data }: Extract<Answered, { kind: 'error' }>): HubError {
  const known = Object.values(HUB_CODES).find((one) => one === code)
  return new HubError(known ?? HUB_CODES.internal, message, data)
}
