/** The head of a request as the way in sees it. */
import type { IncomingMessage } from 'node:http'
import type { Principal } from '../../domain/policy/policy-acts.ts'
import type { RequestHead } from './entry.ts'
import type { Refusal } from './request-checks.ts'

export function requestHead(incoming: IncomingMessage): RequestHead {
  return {
    verb: incoming.method ?? 'GET',
    path: (incoming.url ?? '/').split('?', 1)[0] ?? '/',
    address: incoming.socket.remoteAddress ?? '',
    header(name) {
      const value = incoming.headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    },
  }
}

/** Says for whom a client acts. It makes less of a credential, never more. */
export const AS_HEADER = 'neo-as'

/** Who calls: the person whose credential it is, or the model that their editor runs. */
export function principalOf(head: RequestHead, who: Principal): Principal | Refusal {
  const as = head.header(AS_HEADER)
  if (as === undefined) return who
  if (as !== 'editor') return { status: 403, says: `invalid ${AS_HEADER} header: want "editor"` }
  return who.kind === 'human' ? { kind: 'editor' } : NO_EDITOR
}

/** A model of an editor acts in all rooms: that would be more than a member may. */
export const NO_EDITOR: Refusal = { status: 403, says: "editors need the owner's token" }

/** True if it comes from this machine, and through no proxy that says otherwise. */
export function isFromHere(head: RequestHead): boolean {
  const address = head.address.replace(/^::ffff:/, '')
  const near = address === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(address)
  return (
    near && ['forwarded', 'x-forwarded-for', 'x-real-ip'].every((name) => head.header(name) === undefined)
  )
}
