/**
 * `POST /rpc`: one message of JSON-RPC, a batch included. Takes the hub; gives the route.
 * Leaves to sse/ and ws/: subscriptions, which a single request cannot hold.
 * Invariant 1: 200 for results and for errors of JSON-RPC; 204 where nothing is answered; 400 for what is no JSON.
 */
import { HUB_CODES, type Hub, HubError, type Principal } from '../../hub/hub.ts'
import { answerTo, type Carry } from '../shared/answer.ts'
import { callerOf } from '../shared/comer.ts'
import { jsonTextReply, refusalReply } from '../shared/reply.ts'
import { readJsonBody } from './body.ts'
import { type Route, whoIs } from './routes.ts'

export function rpcRoute(hub: Hub): Route {
  const carryFor =
    (caller: Principal): Carry =>
    async (method, params) => {
      if (method === 'subscribe' || method === 'unsubscribe')
        throw new HubError(HUB_CODES.method, `Cannot ${method} here: GET /events and /hub do`)
      return await hub.call(caller, method, params)
    }
  return {
    verb: 'POST',
    path: '/rpc',
    who: 'known',
    async answer({ incoming, comer, credential }) {
      const caller = callerOf(comer, whoIs(credential))
      if ('status' in caller) return refusalReply(caller)
      const body = await readJsonBody(incoming)
      if ('refusal' in body) return refusalReply(body.refusal)
      const { text, kind } = await answerTo(body.text, carryFor(caller))
      if (text === null) return { status: 204, text: '' }
      return jsonTextReply(text, kind === 'unreadable' ? 400 : 200)
    },
  }
}
