/**
 * The hub for one line, for as long as its credential is good. Invariant 1: no call is carried out, and no event told,
 * by a credential that is over at that moment.
 */
import { HUB_CODES, type Hub, HubError } from '../../hub/hub.ts'
import type { Credential } from './credentials.ts'
import type { Entry } from './entry.ts'

export interface Holder {
  readonly entry: Pick<Entry, 'holds' | 'stillHolds'>
  readonly credential: Credential
  /** Called where it is over, each time that something is refused. */
  readonly lost: () => void
}

export function hubWhileHeld(hub: Hub, { entry, credential, lost }: Holder): Hub {
  const check = (): void => {
    if (entry.holds(credential)) return
    lost()
    const reason = 'the token or cookie is no longer valid'
    throw new HubError(HUB_CODES.denied, `Denied: ${reason}`, { rule: 'signed-out', reason })
  }
  return {
    async call(principal, method, params) {
      check()
      return await hub.call(principal, method, params)
    },
    async subscribe(principal, of, on) {
      check()
      return await hub.subscribe(principal, of, (event) =>
        entry.stillHolds(credential) ? on(event) : lost(),
      )
    },
  }
}
