/**
 * Which channel a name means, and members who subscribe: for as long as they are allowed to, which their files can change at
 * any moment. Invariant 1: a member gets no event after their rights have ended, however the file was changed. Invariant 2:
 * rights are decided again when a file of a member has changed, and not for each event. Invariant 3: two names of one room
 * are one channel. Invariant 4: no name that a client can give is another member's own list.
 */
import type { Principal, Resource, Rules } from '../../domain/policy/policy-acts.ts'
import type { HubEnv } from '../env.ts'
import type { HubEvent } from '../hub.ts'
import { membersOf } from '../rights/member-rules.ts'
import { missing } from '../views/find-in-home.ts'

export type Listening = (event: HubEvent) => void | Promise<void>

export interface Asked {
  readonly principal: Principal
  readonly channel: string
  readonly resource: Resource
}

interface MemberListener extends Asked {
  readonly on: Listening
}

interface MemberListeners {
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

/** @param whyNot null while they are allowed to; else the reason, which they get once */
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

/** Members get lists of the home without what they do not see: their own channel, under the same name. */
export function ownChannel(principal: Principal, channel: string): string {
  const isOwn = principal.kind === 'member' && OWN.has(channel)
  return isOwn ? `${channel}${FOR}${principal.id}` : channel
}

/** The channel that holds it: a room's goes by its folder, whichever of its names was said. */
export function keptAs(principal: Principal, channel: string, { room }: Resource): string {
  const [of, what] = parse(channel).kind.split(':')
  return of === 'room' ? `room:${room}:${what}` : ownChannel(principal, channel)
}

/** Lists of the home, which hold only what their reader may see. */
const OWN: ReadonlySet<string> = new Set(['lobby:rooms', 'asks', 'inbox', 'schedules', 'activity', 'memory'])

/** In no name of a channel that anyone can say. */
export const FOR = '\n'

/** Lists of the home, by the name of their channel, and channels of one room, task or session. */
const HOME_KINDS = [
  'lobby:rooms',
  'asks',
  'inbox',
  'schedules',
  'activity',
  'memory',
  'audit',
  'health',
  'members',
  'agents',
] as const
const NAMED_KINDS = [
  'room:state',
  'room:tasks',
  'room:neo',
  'task:state',
  'session:state',
  'session:transcript',
  'session:output',
] as const

export interface Parsed {
  readonly kind: (typeof HOME_KINDS)[number] | (typeof NAMED_KINDS)[number]
  /** '' for a list of the home. */
  readonly id: string
  /** The member whom the list is for. */
  readonly viewer?: string
}

/** Throws HubError `missing` for a channel that doesn't exist. */
export function parse(channel: string): Parsed {
  const [name = '', viewer] = channel.split(FOR)
  const plain = HOME_KINDS.find((one) => one === name)
  if (plain !== undefined) return { kind: plain, id: '', ...(viewer === undefined ? {} : { viewer }) }
  const [, of, id = '', what] = /^(room|task|session):(.+):([a-z]+)$/.exec(channel) ?? []
  const kind = NAMED_KINDS.find((one) => one === `${of}:${what}`)
  if (kind === undefined) throw missing('channel', channel)
  return { kind, id }
}
