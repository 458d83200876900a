/**
 * The routes behind the way in. Invariant 1: no route answers before the entry has let the request in; an unknown path
 * is told to nobody unknown. Invariant 2: whatever a route throws ends that request alone.
 */
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { type Context, Hono } from 'hono'
import { rpcErrorOf } from '../shared/rpc-answer.ts'
import { requestHead, isFromHere } from '../shared/request-head.ts'
import type { RequestHead, Entered, Entry } from '../shared/entry.ts'
import type { Refusal } from '../shared/request-checks.ts'
import { errorReply, type Reply, refusalReply, send } from '../shared/http-reply.ts'
import type { AskedRoute, Route } from './routes.ts'

type Env = { Bindings: HttpBindings }
export type App = Hono<Env>

const VERBS = ['GET', 'POST'] as const

export function makeApp(routes: readonly Route[], entry: Entry): App {
  const app = new Hono<Env>()
  for (const route of routes) app.on(route.verb, route.path, (c) => carry(route, entry, c))
  app.notFound((c) => {
    const allow = VERBS.filter((verb) => app.router.match(verb, c.req.path)[0].length > 0).join(', ')
    return allow === ''
      ? refuse(c, entry, { status: 404, says: 'not found' })
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

/** For what is no route: only who is known hears why. */
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
