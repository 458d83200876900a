/**
 * Names of channels: what each is about, and under which one it is kept. Pure. Invariant 1: two names of one room are
 * one channel. Invariant 2: no name that a client says is another's own list.
 */
import type { Resource, Principal } from '../../domain/policy/policy-acts.ts'
import { missing } from '../views/find-in-home.ts'

/** Members get lists of the home without what they do not see: their own channel, under the same name. */
export function ownChannel(principal: Principal, channel: string): string {
  const isOwn = principal.kind === 'member' && (channel === 'lobby:rooms' || channel === 'asks')
  return isOwn ? `${channel}${FOR}${principal.id}` : channel
}

/** The channel that holds it: a room's goes by its folder, whichever of its names was said. */
export function keptAs(principal: Principal, channel: string, { room }: Resource): string {
  const { kind } = parse(channel)
  if (kind === 'room-state') return `room:${room}:state`
  return kind === 'room-neo' ? `room:${room}:neo` : ownChannel(principal, channel)
}

/** In no name of a channel that anyone can say. */
export const FOR = '\n'

export interface Parsed {
  readonly kind:
    | 'rooms'
    | 'asks'
    | 'audit'
    | 'room-state'
    | 'room-neo'
    | 'session-state'
    | 'session-transcript'
  readonly id: string
  /** The member whom the list is for. */
  readonly viewer?: string
}

const PLAIN: Readonly<Record<string, Parsed['kind']>> = {
  'lobby:rooms': 'rooms',
  asks: 'asks',
  audit: 'audit',
}
const NAMED = /^(room|session):(.+):(state|neo|transcript)$/

/** Throws HubError `missing` for a channel that doesn't exist. */
export function parse(channel: string): Parsed {
  const [name = '', viewer] = channel.split(FOR)
  const plain = Object.hasOwn(PLAIN, name) ? PLAIN[name] : undefined
  if (plain !== undefined) return { kind: plain, id: '', ...(viewer === undefined ? {} : { viewer }) }
  const [, of, id = '', what] = NAMED.exec(channel) ?? []
  if (of === 'room' && what === 'state') return { kind: 'room-state', id }
  if (of === 'room' && what === 'neo') return { kind: 'room-neo', id }
  if (of === 'session' && what === 'state') return { kind: 'session-state', id }
  if (of === 'session' && what === 'transcript') return { kind: 'session-transcript', id }
  throw missing('channel', channel)
}
