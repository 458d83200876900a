/** One HTTP request to the A2A endpoint: its head, and the JSON-RPC request in it. A2A has no batches and no notifications. */
import type { PeerAnswer, PeerIncoming } from '../../ports/peer-port.ts'
import { A2A_CODES, A2aError, errorObject } from './a2a-error.ts'
import { isRecord } from './proto-fields.ts'

export type RpcId = string | number | null

export interface A2aRequest {
  readonly id: RpcId
  readonly method: string
  readonly params: unknown
}

/** Nesting of a request; deeper ones could exhaust the stack when they are written again. */
const DEPTH = 64

/** Why the HTTP request can't hold a JSON-RPC request; null if it can. */
export function wrongHead({ method, headers }: PeerIncoming): PeerAnswer | null {
  if (method !== 'POST')
    return { status: 405, headers: { Allow: 'POST', 'Content-Type': 'text/plain' }, body: 'Use POST\n' }
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase()
  if (type === 'application/json' || type === 'application/a2a+json') return null
  return {
    status: 415,
    headers: { 'Content-Type': 'text/plain' },
    body: 'Use Content-Type: application/json\n',
  }
}

/** Throws A2aError; its answer has the id null. */
export function readRequest(body: string): A2aRequest {
  const value = parse(body)
  if (Array.isArray(value)) throw badRequest('Batches are not supported: send one request at a time')
  if (!isRecord(value)) throw badRequest('A request must be an object')
  if (isDeeper(value, DEPTH)) throw badRequest(`A request must have at most ${DEPTH} levels`)
  const { jsonrpc, id, method, params } = value
  if (jsonrpc !== '2.0') throw badRequest('jsonrpc must be "2.0"')
  if (!Object.hasOwn(value, 'id')) throw badRequest('id is missing: A2A has no notifications')
  if (!isId(id)) throw badRequest('id must be text, a number or null')
  if (typeof method !== 'string') throw badRequest('method must be text')
  return { id, method, params: params ?? {} }
}

/** Throws A2aError −32009. Without a version it is 0.3, as the specification says. */
export function checkVersion({ headers, path }: PeerIncoming): void {
  const query = new URLSearchParams(path.split('?')[1] ?? '')
  const version = headers['a2a-version']?.trim() || query.get('A2A-Version') || '0.3'
  if (/^1\.0(\.\d{1,4})?$/.test(version)) return
  throw new A2aError(
    A2A_CODES.version,
    `Version ${version.slice(0, 20)} of A2A is not supported: send the header A2A-Version: 1.0`,
    { reason: 'VERSION_NOT_SUPPORTED', metadata: { supportedVersions: '1.0' } },
  )
}

export function resultText(id: RpcId, result: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result })
}

export function errorText(id: RpcId, error: A2aError): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: errorObject(error) })
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    throw new A2aError(A2A_CODES.parse, 'Invalid JSON', { reason: 'PARSE_ERROR' })
  }
}

function badRequest(why: string): A2aError {
  return new A2aError(A2A_CODES.request, why, { reason: 'INVALID_REQUEST' })
}

function isId(id: unknown): id is RpcId {
  return typeof id === 'string' || typeof id === 'number' || id === null
}

/** Goes down level by level, so that no depth costs our own stack. */
function isDeeper(value: object, depth: number): boolean {
  let level: object[] = [value]
  for (let at = 0; level.length > 0; at++) {
    if (at === depth) return true
    level = level.flatMap((holder) => Object.values(holder).filter(isHolder))
  }
  return false
}

function isHolder(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
