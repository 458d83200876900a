/**
 * Members who listen to channels: for as long as they may, which their files can change at any moment. Invariant 1: a
 * member is told nothing after their rights have ended, whoever changed the file, and however. Invariant 2: rights are
 * decided on again when a file of a member has changed, and not for each event.
 */
import type { Resource, Rules, Principal } from '../../domain/policy/policy-acts.ts'
import type { HubEnv } from '../env.ts'
import type { HubEvent } from '../hub.ts'
import { membersOf } from '../rights/member-rules.ts'

export type Listening = (event: HubEvent) => void | Promise<void>

export interface Asked {
  readonly principal: Principal
  readonly channel: string
  readonly resource: Resource
}

export interface MemberListener extends Asked {
  readonly on: Listening
}

export interface MemberListeners {
  /** Gives what ends the subscription that `begin` makes. */
  add(listener: MemberListener, begin: (on: Listening) => () => void): () => void
  /** Ends those that are denied now. */
  again(): void
}

interface Held extends MemberListener {
  state: 'open' | 'ended'
  seq: number
  stop: () => void
}

/** @param whyNot null while they may; else what they are told, once */
export function openMemberListeners(env: HubEnv, whyNot: (asked: Asked) => string | null): MemberListeners {
  const all = new Set<Held>()
  let known: Rules['members'] | null = null

  function end(held: Held): void {
    held.state = 'ended'
    all.delete(held)
    held.stop()
  }

  function again(): void {
    if (all.size === 0) return
    const members = membersOf(env)
    if (members === known) return
    known = members
    for (const held of [...all]) {
      const why = whyNot(held)
      if (why === null) continue
      end(held)
      void say(held, why)
    }
  }

  return {
    add(listener, begin) {
      const held: Held = { ...listener, state: 'open', seq: 0, stop: () => {} }
      all.add(held)
      const stop = begin((event) => {
        again()
        if (held.state === 'ended') return
        held.seq = event.seq
        return listener.on(event)
      })
      held.stop = stop
      if (held.state === 'ended') stop()
      return () => end(held)
    },
    again,
  }
}

/** Who does not hear it is gone. */
async function say({ channel, seq, on }: Held, why: string): Promise<void> {
  try {
    await on({ channel, seq, data: { ended: why } })
  } catch {
    // The client is gone.
  }
}
