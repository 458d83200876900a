/** What a route is, and what it is given. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Principal } from '../../domain/policy/policy-acts.ts'
import type { Credential } from '../shared/credentials.ts'
import type { RequestHead } from '../shared/entry.ts'
import type { Reply } from '../shared/http-reply.ts'

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
  /** A part of the path by its name; '' if there is none. */
  param(name: string): string
  /** All values of a query parameter. */
  queries(name: string): readonly string[]
}

/** Who asks; a route that nobody unknown reaches has one. */
export function whoIs(credential: Credential | null): Principal {
  if (credential === null) throw new Error('a route for known callers was reached by an unknown one')
  return credential.who
}
