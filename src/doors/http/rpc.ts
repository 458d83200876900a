/**
 * `POST /rpc`: one message of JSON-RPC, a batch included. Takes the hub; gives the route.
 * Leaves to sse/ and ws/: subscriptions, which a single request cannot hold.
 * Invariant 1: 200 for results and for errors of JSON-RPC; 204 where nothing is answered; 400 for what is no JSON.
 */
import { HUB_CODES, type Hub, HubError } from '../../hub/hub.ts'
import { answerTo, type Carry } from '../shared/answer.ts'
import { jsonTextReply, refusalReply } from '../shared/reply.ts'
import { readJsonBody } from './body.ts'
import type { Route } from './routes.ts'

export function rpcRoute(hub: Hub): Route {
  const carry: Carry = async (method, params) => {
    if (method === 'subscribe' || method === 'unsubscribe')
      throw new HubError(HUB_CODES.method, `Cannot ${method} here: GET /events and /hub do`)
    return await hub.call({ kind: 'human' }, method, params)
  }
  return {
    verb: 'POST',
    path: '/rpc',
    who: 'known',
    async answer({ incoming }) {
      const body = await readJsonBody(incoming)
      if ('refusal' in body) return refusalReply(body.refusal)
      const { text, kind } = await answerTo(body.text, carry)
      if (text === null) return { status: 204, text: '' }
      return jsonTextReply(text, kind === 'unreadable' ? 400 : 200)
    },
  }
}
