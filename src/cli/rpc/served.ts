/**
 * The hub of the daemon that runs, as `.neo/daemon.json` says it is served.
 * Takes an open home; gives what calls it, or null where none is served here. Leaves to doors/: the other side.
 * Invariant 1: a file that a killed daemon left is told by its process, and nothing is sent to whoever listens there now.
 */
import { NeoError } from '../../core/model/error.ts'
import { HUB_CODES, HubError } from '../../hub/hub.ts'
import type { Opened } from '../with-world.ts'
import { servedAt } from './daemon-file.ts'

export interface Served {
  /** Without a slash at its end. */
  readonly url: string
  readonly token: string
  /** Throws HubError, or NeoError `failed` where the daemon goes away meanwhile. */
  callAny(method: string, params: unknown): Promise<unknown>
  /** The page's address with a code for one sign-in. */
  link(): Promise<string>
}

export function servedHub({ home, world }: Pick<Opened, 'home' | 'world'>): Served | null {
  const at = servedAt(home, world.files, world.processes.alive)
  if (at === null) return null
  const { url, token } = at
  return {
    url,
    token,
    async callAny(method, params) {
      const answer = await post({ url, token }, '/rpc', { jsonrpc: '2.0', id: 1, method, params })
      return resultOf(answer)
    },
    async link() {
      const { code } = (await post({ url, token }, '/codes', {})) as { readonly code: string }
      return `${url}/#code=${code}`
    },
  }
}

async function post(at: Pick<Served, 'url' | 'token'>, path: string, body: unknown): Promise<unknown> {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${at.token}` }
  try {
    const answer = await fetch(`${at.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    const said: unknown = await answer.json()
    if (answer.ok || answer.status === 400) return said
    throw new Error(`it answers ${answer.status}`)
  } catch (error) {
    const { message, cause } = error as Error
    throw new NeoError('failed', `Cannot reach the daemon at ${at.url}`, {
      why: cause instanceof Error ? cause.message : message,
      next: 'neo status says whether it runs',
      cause: error,
    })
  }
}

function resultOf(answer: unknown): unknown {
  const { result, error } = answer as {
    readonly result?: unknown
    readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
  }
  if (error === undefined) return result ?? null
  const known = Object.values(HUB_CODES).find((code) => code === error.code)
  throw new HubError(known ?? HUB_CODES.internal, error.message, error.data)
}
