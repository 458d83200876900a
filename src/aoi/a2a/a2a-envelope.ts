/** The JSON-RPC request in an HTTP request to the A2A endpoint. A2A has no batches and no notifications. */
import { isMap, jsonIn } from '../../domain/text/is-map.ts'
import type { PeerIncoming } from '../../ports/peer-port.ts'
import { isTooDeep, RPC_LIMITS } from '../../servers/shared/json-rpc.ts'
import { A2A_CODES, A2aError, errorObject } from './a2a-error.ts'

export type RpcId = string | number | null

export interface A2aRequest {
  readonly id: RpcId
  readonly method: string
  readonly params: unknown
}

/** Throws A2aError; its answer has the id null. */
export function readRequest(body: string): A2aRequest {
  const value = jsonIn(body)
  if (value === null && body.trim() !== 'null')
    throw new A2aError(A2A_CODES.parse, 'Invalid JSON', { reason: 'PARSE_ERROR' })
  if (Array.isArray(value)) throw badRequest('Batches are not supported: send one request at a time')
  if (!isMap(value)) throw badRequest('A request must be an object')
  if (isTooDeep(value)) throw badRequest(`A request must have at most ${RPC_LIMITS.depth} levels`)
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

function badRequest(why: string): A2aError {
  return new A2aError(A2A_CODES.request, why, { reason: 'INVALID_REQUEST' })
}

function isId(id: unknown): id is RpcId {
  return typeof id === 'string' || typeof id === 'number' || id === null
}
