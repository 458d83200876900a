/**
 * `POST /rpc`: one message of JSON-RPC, a batch included. Invariant 1: 200 for results and for errors of JSON-RPC; 204
 * where nothing is answered; 400 for what is no JSON.
 */
import type { Principal } from '../../domain/policy/policy-acts.ts'
import { HUB_CODES, type Hub, HubError } from '../../hub/hub.ts'
import { answerTo, type Carry } from '../shared/rpc-answer.ts'
import { principalOf } from '../shared/request-head.ts'
import type { Entry } from '../shared/entry.ts'
import { hubWhileHeld } from '../shared/held-hub.ts'
import { jsonTextReply, refusalReply } from '../shared/http-reply.ts'
import { readJsonBody } from './body.ts'
import type { Route } from './routes.ts'

export function rpcRoute(hub: Hub, entry: Entry): Route {
  const carryFor =
    (held: Hub, caller: Principal): Carry =>
    async (method, params) => {
      if (method === 'subscribe' || method === 'unsubscribe')
        throw new HubError(
          HUB_CODES.method,
          `Cannot ${method} over POST /rpc: use GET /events or the WebSocket /hub`,
        )
      return await held.call(caller, method, params)
    }
  return {
    verb: 'POST',
    path: '/rpc',
    who: 'known',
    async answer({ incoming, head, credential }) {
      if (credential === null) return refusalReply({ status: 401, says: 'authentication required' })
      const caller = principalOf(head, credential.who)
      if ('status' in caller) return refusalReply(caller)
      const held = hubWhileHeld(hub, { entry, credential, lost: () => {} })
      const body = await readJsonBody(incoming)
      if ('refusal' in body) return refusalReply(body.refusal)
      const { text, kind } = await answerTo(body.text, carryFor(held, caller))
      if (text === null) return { status: 204, text: '' }
      return jsonTextReply(text, kind === 'unreadable' ? 400 : 200)
    },
  }
}
