/**
 * Notices on their way to the channels that rooms name in `notify:`: out of the home's outbox, into the outgoing queue,
 * many at once as one message, and their receipt back once they were sent.
 * Takes the outbox; gives messages. Leaves to flow/notify.ts: which notice goes where; to the channel: buttons of asks.
 * Invariant 1: a notice is on disk in one of both at any time, and is sent once.
 */
import type { Outbox } from '../flow/outbox.ts'
import type { Notice } from '../flow/outbox.ts'
import { type Outbound, type Place, placeOf } from './message.ts'
import type { Sending } from './outbound.ts'

export interface NoticesOptions {
  readonly outbox: Outbox
  readonly sending: Pick<Sending, 'put' | 'has'>
  readonly now: () => string
}

export interface Notices {
  /** Takes over what waits for these places. */
  drain(places: readonly string[]): void
  /** A message was sent, or never will be. */
  over(message: Outbound): void
}

/** So many at once are told in one message. */
const FLOOD = 4
const MOST_TOLD = 30
const MOST_LETTERS = 3_000

export function openNotices({ outbox, sending, now }: NoticesOptions): Notices {
  function put(place: Place, channel: string, notices: readonly Notice[]): void {
    const [first] = notices
    if (first === undefined) return
    const keys = notices.map(({ key }) => keyOf(key, channel))
    const ask = /^ask:([a-z0-9-]+)/.exec(first.key)?.[1]
    const message: Outbound = {
      ...place,
      key: keys[0] ?? '',
      content: textOf(notices),
      notices: notices.map(({ key }) => ({ key, channel })),
      ...(ask === undefined ? {} : { ask }),
    }
    sending.put(message, keys.slice(1))
  }

  function drainOne(channel: string, place: Place): void {
    const all = outbox.pending(channel)
    // Sent, and the process died before its receipt.
    const fresh = all.filter(({ key }) => !sending.has(keyOf(key, channel)))
    const asks = fresh.filter(({ key }) => key.startsWith('ask:'))
    const others = fresh.filter(({ key }) => !key.startsWith('ask:'))
    for (const notice of asks) put(place, channel, [notice])
    if (others.length < FLOOD) for (const notice of others) put(place, channel, [notice])
    else put(place, channel, others)
  }

  return {
    drain(places) {
      for (const channel of places) {
        const place = placeOf(channel)
        if (place !== null) drainOne(channel, place)
      }
    },
    over({ notices = [] }) {
      for (const { key, channel } of notices) outbox.receipt(key, channel, now())
    },
  }
}

function keyOf(key: string, channel: string): string {
  return `notice:${key}@${channel}`
}

function textOf(notices: readonly Notice[]): string {
  const [only] = notices
  if (notices.length === 1 && only !== undefined)
    return only.room === '' ? only.text : `**${only.room}** ${only.text}`
  const lines = notices
    .slice(0, MOST_TOLD)
    .map(({ room, text }) => `- ${room === '' ? '' : `**${room}** `}${brief(text)}`)
  const rest = notices.length - lines.length
  return `${notices.length} notices:\n\n${lines.join('\n')}${rest > 0 ? `\n\nand ${rest} more: neo log` : ''}`
}

function brief(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  const most = Math.floor(MOST_LETTERS / MOST_TOLD)
  return line.length > most ? `${line.slice(0, most - 1)}…` : line
}
