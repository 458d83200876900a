/** Calls of hub methods over HTTP. Each call is one request, so a call also works while the live connection is down. */
import { plainly } from './refusals.ts'
import { signOutHere } from './session.ts'

/** A refusal of the hub. `code` and `data` are described in docs/api.md. */
export class RpcError extends Error {
  readonly code: number
  readonly data: Readonly<Record<string, unknown>>

  constructor(message: string, code: number, data: unknown) {
    super(message)
    this.name = 'RpcError'
    this.code = code
    this.data = typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {}
  }
}

/** JSON-RPC codes of docs/api.md. */
export const CODES = { denied: -32001, missing: -32002, busy: -32004 } as const

let lastId = 0

/** @throws RpcError if the hub refuses; Error if the daemon can't be reached */
export async function call<T = unknown>(
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  signal?: AbortSignal,
): Promise<T> {
  lastId += 1
  const answer = await request(JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params }), signal)
  if (answer.status === 401) {
    signOutHere()
    throw new Error("You're signed out. Sign in again.")
  }
  if (answer.status === 429)
    throw new RpcError('Too many requests. Wait a moment and try again.', CODES.busy, null)
  const { result, error } = (await answer.json()) as Answer<T>
  if (error !== undefined) throw new RpcError(plainly(error), error.code, error.data)
  return result as T
}

interface Answer<T> {
  readonly result?: T
  readonly error?: { readonly message: string; readonly code: number; readonly data?: unknown }
}

async function request(body: string, signal: AbortSignal | undefined): Promise<Response> {
  const headers = { 'Content-Type': 'application/json' }
  try {
    return await fetch('/rpc', { method: 'POST', headers, body, ...(signal === undefined ? {} : { signal }) })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new Error("Can't reach Neo. It may have been stopped; try again in a moment.", { cause: error })
  }
}
