/**
 * `POST /rpc`: one message of JSON-RPC, or a batch. `POST /reads`: what a reading command of the terminal shows, made in the
 * daemon, which knows the files already. Invariant 1: 200 for results and for errors of JSON-RPC; 204 if there is no
 * answer; 400 for invalid JSON. Invariant 2: `/reads` takes the owner's token, from this machine: what is shown is not
 * checked against the policy of members. No known secret is in an answer.
 */
import type { Principal } from '../../domain/policy/policy-acts.ts'
import { maskSureIn } from '../../domain/secrets/known-secrets.ts'
import { HUB_CODES, type Hub, HubError } from '../../hub/hub.ts'
import { hubWhileHeld } from '../shared/credentials.ts'
import { type Entry, principalOf } from '../shared/entry.ts'
import { jsonTextReply, type Reply, refusalReply } from '../shared/http-reply.ts'
import { answerTo, type Carry } from '../shared/json-rpc.ts'
import { type Route, readJsonBody } from './app.ts'

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
      return await rpcReply(body.text, carryFor(held, caller))
    },
  }
}

async function rpcReply(asked: string, carry: Carry): Promise<Reply> {
  const { text, kind } = await answerTo(asked, carry)
  if (text === null) return { status: 204, text: '' }
  return jsonTextReply(text, kind === 'unreadable' ? 400 : 200)
}

/** Throws HubError. */
export type Reads = (name: string, params: unknown) => Promise<unknown>

export function readsRoute(reads: Reads): Route {
  return {
    verb: 'POST',
    path: '/reads',
    who: 'token',
    from: 'loopback',
    async answer({ incoming, credential }) {
      if (credential?.who.kind !== 'human')
        return refusalReply({ status: 403, says: "this route needs the owner's token" })
      const body = await readJsonBody(incoming)
      if ('refusal' in body) return refusalReply(body.refusal)
      return await rpcReply(body.text, async (name, params) => maskSureIn(await reads(name, params)))
    },
  }
}
