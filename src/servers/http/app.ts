/**
 * What a route is, and the routes behind the entry. Invariant 1: no route answers before the entry has let the request in;
 * clients without a credential don't learn which paths exist. Invariant 2: an error that a route throws ends that request
 * alone. Invariant 3: never more than MOST_BODY bytes of a body are kept, whatever the headers say.
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { type Context, Hono } from 'hono'
import type { Principal } from '../../domain/policy/policy-acts.ts'
import type { Credential } from '../shared/credentials.ts'
import {
  type Entered,
  type Entry,
  isFromHere,
  MOST_BODY,
  type Refusal,
  type RequestHead,
  requestHead,
} from '../shared/entry.ts'
import { errorReply, type Reply, refusalReply, send } from '../shared/http-reply.ts'
import { rpcErrorOf } from '../shared/json-rpc.ts'

type Env = { Bindings: HttpBindings }
export type App = Hono<Env>

const VERBS = ['GET', 'POST'] as const

/** @param page for people who are signed in and follow an address that doesn't exist */
export function makeApp(routes: readonly Route[], entry: Entry, page: () => Reply): App {
  const app = new Hono<Env>()
  for (const route of routes) app.on(route.verb, route.path, (c) => carry(route, entry, c))
  app.notFound((c) => {
    const allow = VERBS.filter((verb) => app.router.match(verb, c.req.path)[0].length > 0).join(', ')
    return allow === ''
      ? missing(c, entry, page)
      : refuse(c, entry, { status: 405, says: `method not allowed: use ${allow}`, allow })
  })
  app.onError((error, c) => answer(c, errorReply(rpcErrorOf(error))))
  return app
}

async function carry(route: Route, entry: Entry, c: Context<Env>): Promise<Response> {
  const { incoming, outgoing } = c.env
  const head = requestHead(incoming)
  // hono gives HEAD to the routes of GET.
  if (head.verb !== route.verb)
    return refuse(c, entry, { status: 405, says: `method not allowed: use ${route.verb}`, allow: route.verb })
  const entered = route.who === 'open' ? open(entry, head) : entry.enter(head)
  const refusal = refusalOf(route, head, entered)
  if (refusal !== null) return answer(c, refusalReply(refusal))
  const asked: AskedRoute = {
    head,
    credential: entered.kind === 'known' ? entered.credential : null,
    incoming,
    outgoing,
    param: (name) => c.req.param(name) ?? '',
    queries: (name) => c.req.queries(name) ?? [],
  }
  try {
    const reply = await route.answer(asked)
    return reply === 'taken' ? RESPONSE_ALREADY_SENT : answer(c, reply)
  } catch (error) {
    return answer(c, errorReply(rpcErrorOf(error)))
  }
}

function open(entry: Entry, head: RequestHead): Entered {
  const refusal = entry.pass(head)
  return refusal === null ? { kind: 'unknown' } : { kind: 'refused', refusal }
}

function refusalOf(route: Route, head: RequestHead, entered: Entered): Refusal | null {
  if (entered.kind === 'refused') return entered.refusal
  if (route.from === 'loopback' && !isFromHere(head))
    return { status: 403, says: 'this route only answers requests from the same machine' }
  if (route.who === 'open' || route.who === 'anyone') return null
  if (entered.kind === 'unknown') return UNKNOWN
  if (route.who === 'token' && entered.credential.by !== 'token')
    return { status: 403, says: 'this route needs the token; a cookie is not enough' }
  return null
}

const UNKNOWN: Refusal = { status: 401, says: 'authentication required: run neo open to sign in' }

function missing(c: Context<Env>, entry: Entry, page: () => Reply): Response {
  const isBrowser = c.req.method === 'GET' && c.req.header('accept')?.includes('text/html')
  return isBrowser && entry.enter(requestHead(c.env.incoming)).kind === 'known'
    ? answer(c, page())
    : refuse(c, entry, { status: 404, says: 'not found' })
}

/** For unknown paths: only clients with a credential learn why. */
function refuse(c: Context<Env>, entry: Entry, why: Refusal & { readonly allow?: string }): Response {
  const entered = entry.enter(requestHead(c.env.incoming))
  if (entered.kind === 'refused') return answer(c, refusalReply(entered.refusal))
  if (entered.kind === 'unknown') return answer(c, refusalReply(UNKNOWN))
  const reply = refusalReply(why)
  const allow = why.allow === undefined ? {} : { Allow: why.allow }
  return answer(c, { ...reply, headers: { ...reply.headers, ...allow } })
}

function answer(c: Context<Env>, reply: Reply): Response {
  send(c.env.incoming, c.env.outgoing, reply)
  return RESPONSE_ALREADY_SENT
}

export interface Route {
  readonly verb: 'GET' | 'POST'
  /** As hono writes it: `/sessions/:scopeId/clear`. */
  readonly path: string
  /**
   * `open`: the guard alone; `anyone`: counted; `known`: with a credential; `token`: with the token itself, so that no
   * page can.
   */
  readonly who: 'open' | 'anyone' | 'known' | 'token'
  /** From this machine alone. */
  readonly from?: 'loopback'
  /** `taken`: it writes the answer itself. */
  readonly answer: (asked: AskedRoute) => Promise<Reply | 'taken'> | Reply | 'taken'
}

export interface AskedRoute {
  readonly head: RequestHead
  /** Null if nobody has to say who they are, and has not. */
  readonly credential: Credential | null
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  /** A part of the path by its name; '' without it. */
  param(name: string): string
  /** All values of a query parameter. */
  queries(name: string): readonly string[]
}

/** Who asks; a route that nobody unknown reaches has one. */
export function whoIs(credential: Credential | null): Principal {
  if (credential === null) throw new Error('a route for known callers was reached by an unknown one')
  return credential.who
}

type Body = { readonly text: string } | { readonly refusal: Refusal }

/** Null without a body, or if it can be skipped; rejects if the client goes away in the meantime. */
export async function unreadBody(incoming: IncomingMessage): Promise<Refusal | null> {
  const { headers } = incoming
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return null
  const body = await readJsonBody(incoming)
  return 'refusal' in body ? body.refusal : null
}

/** Rejects if the client goes away in the meantime. */
export async function readJsonBody(incoming: IncomingMessage): Promise<Body> {
  const type = incoming.headers['content-type'] ?? ''
  if (!/^application\/json *(?:; *charset="?utf-8"?)?$/i.test(type))
    return {
      refusal: { status: 415, says: 'the body must be JSON in UTF-8: set Content-Type: application/json' },
    }
  const bytes = await readBytes(incoming, MOST_BODY)
  if (bytes !== null) return { text: bytes.toString('utf8') }
  return { refusal: { status: 413, says: `the body is too large: at most ${MOST_BODY} bytes` } }
}

/** Null if there are more. Rejects if the client goes away in the meantime. */
export async function readBytes(incoming: IncomingMessage, most: number): Promise<Buffer | null> {
  return await new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const gone = (): void => {
      if (!incoming.complete) reject(new Error('the client is gone'))
    }
    incoming.on('error', gone)
    incoming.on('close', gone)
    incoming.on('end', () => resolve(Buffer.concat(chunks)))
    incoming.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= most) chunks.push(chunk)
      else resolve(null)
    })
  })
}
