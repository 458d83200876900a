/**
 * HTTP answers, with the headers that all of them carry. Invariant 1: nothing is cached, framed or sniffed, and no script
 * runs but our own. Invariant 2: a body that nobody wants is read for a moment only.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { HUB_CODES } from '../../hub/hub.ts'
import type { Refusal } from './entry.ts'
import type { RpcError } from './json-rpc.ts'

export interface Reply {
  readonly status: number
  readonly text: string
  /** In place of the text. */
  readonly bytes?: Buffer
  readonly headers?: Readonly<Record<string, string>>
}

/** Of every answer. */
export const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
}

/** Of what a browser shows and runs. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
}

const JSON_HEADERS = { 'Content-Type': 'application/json; charset=utf-8' }
/** How long a body that nobody wants is read away, so that the client gets to read why. */
const PATIENCE_MS = 500

export function jsonReply(value: unknown, status = 200): Reply {
  return jsonTextReply(JSON.stringify(value), status)
}

export function jsonTextReply(text: string, status = 200): Reply {
  return { status, text, headers: JSON_HEADERS }
}

export function refusalReply({ status, says }: Refusal): Reply {
  return jsonReply({ error: { code: CODES[status], message: says } }, status)
}

const CODES: Readonly<Record<Refusal['status'], number>> = {
  400: HUB_CODES.request,
  401: HUB_CODES.denied,
  403: HUB_CODES.denied,
  404: HUB_CODES.missing,
  405: HUB_CODES.request,
  413: HUB_CODES.request,
  415: HUB_CODES.request,
  426: HUB_CODES.request,
  429: HUB_CODES.busy,
}

/** What the hub refuses, on a route. */
export function errorReply(error: RpcError): Reply {
  return jsonReply({ error }, STATUS[error.code] ?? 500)
}

const STATUS: Readonly<Record<number, number>> = {
  [HUB_CODES.params]: 400,
  [HUB_CODES.denied]: 403,
  [HUB_CODES.missing]: 404,
  [HUB_CODES.busy]: 409,
  [HUB_CODES.method]: 501,
}

export function send(incoming: IncomingMessage, outgoing: ServerResponse, reply: Reply): void {
  if (outgoing.headersSent || outgoing.destroyed) return
  const unread = !incoming.complete && mayHaveBody(incoming)
  const body = reply.bytes ?? reply.text
  const headers: Record<string, string | number> = { ...HEADERS, ...reply.headers }
  if (reply.status !== 204) headers['Content-Length'] = Buffer.byteLength(body)
  if (unread) headers['Connection'] = 'close'
  outgoing.writeHead(reply.status, headers)
  outgoing.end(body)
  if (unread) setTimeout(() => incoming.destroy(), PATIENCE_MS).unref()
}

function mayHaveBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
