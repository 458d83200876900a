/**
 * Whether a request may come in at all: for this host, from our own page or from no page, small enough. Pure. Used for
 * routes and for the WebSocket upgrade alike. Invariant 1: a page of another origin gets nothing, whatever it knows; a
 * name that was rebound to us gets nothing.
 */
import { isIP } from 'node:net'

export interface Place {
  /** As it was asked to listen on. */
  readonly host: string
  readonly port: number
}

export interface Head {
  readonly verb: string
  /** Without the query. */
  readonly path: string
  header(name: string): string | undefined
}

export interface Refusal {
  readonly status: 400 | 401 | 403 | 404 | 405 | 413 | 415 | 426 | 429
  readonly says: string
}

/** Bytes of a body. */
export const MOST_BODY = 1024 * 1024

/** The checks that need no credential, in order. */
export function guard(head: Head, place: Place): Refusal | null {
  const host = head.header('host')
  if (host === undefined || !isOurHost(host.toLowerCase(), place))
    return { status: 403, says: 'unknown Host header: use the address that neo open prints' }
  if (!isOurOrigin(head, host)) return { status: 403, says: 'cross-origin requests are not allowed' }
  return bodyRefusal(head)
}

/** The origin of our own page as this request knows us. */
export function ownOrigin(head: Pick<Head, 'header'>): string {
  return `http://${head.header('host') ?? ''}`.toLowerCase()
}

/** Whether it comes from our own page by what browsers alone can say. */
export function isFromOwnPage(head: Pick<Head, 'header'>): boolean {
  return head.header('origin')?.toLowerCase() === ownOrigin(head)
}

function isOurHost(host: string, place: Place): boolean {
  const [, name = '', port = '80'] = /^(\[[0-9a-f:.]+\]|[^:]+)(?::(\d{1,5}))?$/.exec(host) ?? []
  if (Number(port) !== place.port) return false
  const own = place.host.toLowerCase()
  if (name === '127.0.0.1' || name === 'localhost' || name === own || name === `[${own}]`) return true
  if (name === '[::1]') return isEverywhere(own)
  // A rebound name is a name; an address can only be reached as itself.
  return isEverywhere(own) && isIP(name.replace(/^\[|\]$/g, '')) !== 0
}

function isEverywhere(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

function isOurOrigin(head: Head, host: string): boolean {
  const origin = head.header('origin')
  if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`) return false
  const site = head.header('sec-fetch-site')
  if (site === undefined || site === 'same-origin' || site === 'none') return true
  return isFollowedLink(head)
}

/** A link to the page somewhere else: it shows the sign-in page, since no cookie comes along. */
function isFollowedLink(head: Head): boolean {
  return (
    head.verb === 'GET' &&
    head.path === '/' &&
    head.header('sec-fetch-mode') === 'navigate' &&
    head.header('sec-fetch-dest') === 'document'
  )
}

function bodyRefusal(head: Head): Refusal | null {
  const said = head.header('content-length')
  const length = said === undefined ? 0 : Number(said)
  if (!(length <= MOST_BODY))
    return { status: 413, says: `the body is too large: at most ${MOST_BODY} bytes` }
  const takesNone = head.verb !== 'POST'
  if (takesNone && (length > 0 || head.header('transfer-encoding') !== undefined))
    return { status: 413, says: 'this request must not have a body' }
  return null
}
