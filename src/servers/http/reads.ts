/**
 * `POST /reads`: what a reading command of the terminal shows, made in the daemon, which knows the files already.
 * Invariant 1: it takes the owner's token, from this machine: what is shown goes past the policy of members. Invariant
 * 2: no known secret is in an answer.
 */
import { maskSureIn } from '../../domain/secrets/known-secrets.ts'
import { answerTo } from '../shared/rpc-answer.ts'
import { jsonTextReply, refusalReply } from '../shared/http-reply.ts'
import { readJsonBody } from './body.ts'
import type { Route } from './routes.ts'

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
      const { text, kind } = await answerTo(body.text, async (name, params) =>
        maskSureIn(await reads(name, params)),
      )
      if (text === null) return { status: 204, text: '' }
      return jsonTextReply(text, kind === 'unreadable' ? 400 : 200)
    },
  }
}
