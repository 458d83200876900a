/**
 * Hands notices over to the delivery queue, for the places and members that rooms name in `notify:`. The outbox holds a
 * notice until its rules let it go (kinds, quiet hours, digests); from then on the queue alone has it. Invariant 1: a
 * notice is on disk in one of both at any time, and is sent once: its receipt follows after it is in the queue, and its
 * key there says that it is.
 */
import { deliveryOf, type NotifyRule } from '../../domain/room/notice-kinds.ts'
import type { Room } from '../../domain/room/room.ts'
import { wallOf } from '../../domain/schedule/schedule-zone.ts'
import type { Notice, Outbox } from '../../engine/people/notice-outbox.ts'
import type { Member } from '../../files/kinds/read-member.ts'
import { isoSecond } from '../../files/values/times.ts'
import type { Clock } from '../../ports/world.ts'
import { type Outbound, type Place, placeOf } from '../channel-message.ts'
import type { Sending } from './outbound.ts'

export interface NoticesOptions {
  readonly outbox: Outbox
  readonly sending: Pick<Sending, 'put' | 'has' | 'messages'>
  readonly clock: Pick<Clock, 'now'>
  readonly timezone: () => string
  /** Read only if a `notify:` has entries. */
  readonly members: () => readonly Member[]
}

export interface Notices {
  /** Hands over what is due for the places that these rooms name. */
  handOver(rooms: ReadonlyMap<string, Pick<Room, 'notify' | 'notifyRules'>>): void
}

const MOST_TOLD = 30
const MOST_LETTERS = 3_000
const MINUTE_MS = 60_000

export function openNotices(options: NoticesOptions): Notices {
  const { outbox, clock } = options
  const receipt = (key: string, entry: string) => outbox.receipt(key, entry, isoSecond(clock.now()))
  giveOldReceipts(options.sending, receipt)
  /** When messages went to each place, of the last minute. */
  const lately = new Map<string, number[]>()

  function handOverTo(
    entry: string,
    rooms: Parameters<Notices['handOver']>[0],
    members: readonly Member[],
  ): void {
    const all = outbox.pending(entry)
    const to = addresseeOf(entry, members)
    if (all.length === 0 || to === null) return
    const fresh = all.filter((notice) => !options.sending.has(keyOf(notice, entry)))
    // In the queue, and the process died before the receipt.
    for (const notice of all) if (!fresh.includes(notice)) receipt(notice.key, entry)
    const recent = (lately.get(entry) ?? []).filter((at) => at > clock.now() - MINUTE_MS)
    const own = to.rule === undefined ? [] : [to.rule]
    const rulesOf = ({ room }: Notice): readonly NotifyRule[] => {
      const rule = rooms.get(room)?.notifyRules?.[entry]
      return rule === undefined ? own : [rule, ...own]
    }
    const hour = hourOf(clock.now(), options.timezone())
    const at = { ms: clock.now(), hour, lately: recent.length }
    const { unwanted, alone, together } = deliveryOf(fresh, rulesOf, at)
    for (const { key } of unwanted) receipt(key, entry)
    const messages = [...alone.map((notice) => [notice]), ...(together.length === 0 ? [] : [together])]
    for (const notices of messages) {
      put(options, { entry, place: to.place, notices })
      for (const { key } of notices) receipt(key, entry)
    }
    const counted = messages.filter(([first]) => first?.kind !== 'asks')
    lately.set(entry, [...recent, ...counted.map(() => clock.now())])
  }

  return {
    handOver(rooms) {
      const entries = new Set([...rooms.values()].flatMap(({ notify }) => notify))
      const waiting = [...entries].filter((entry) => outbox.pending(entry).length > 0)
      if (waiting.length === 0) return
      const members = options.members()
      for (const entry of waiting) handOverTo(entry, rooms, members)
    },
  }
}

/** Version 0.1.0 gave a receipt after sending: what it left in the queue gets its receipt now. */
function giveOldReceipts(
  sending: Pick<Sending, 'messages'>,
  receipt: (key: string, entry: string) => void,
): void {
  for (const { notices = [] } of sending.messages())
    for (const { key, channel } of notices) receipt(key, channel)
}

export interface Addressee {
  readonly place: Place
  /** A member's own wishes. */
  readonly rule?: NotifyRule
}

/** The place of an entry of `notify:`; `null` if there is none, such as for a member without an account, or a suspended one. */
export function addresseeOf(entry: string, members: readonly Member[]): Addressee | null {
  const place = placeOf(entry)
  const member = members.find(({ id, channels }) =>
    place === null ? id === entry : channels[place.channel] === place.chatId,
  )
  if (member?.suspended === true) return null
  const rule = member?.notify === undefined ? {} : { rule: member.notify }
  if (place !== null) return { place, ...rule }
  const [channel, chatId] = Object.entries(member?.channels ?? {})[0] ?? []
  return channel === undefined || chatId === undefined ? null : { place: { channel, chatId }, ...rule }
}

interface Message {
  readonly entry: string
  readonly place: Place
  readonly notices: readonly Notice[]
}

function put({ sending }: NoticesOptions, { entry, place, notices }: Message): void {
  const keys = notices.map((notice) => keyOf(notice, entry))
  const ask = notices[0]?.ask
  const message: Outbound = {
    ...place,
    key: keys[0] ?? '',
    content: textOf(notices),
    ...(ask === undefined ? {} : { ask }),
  }
  sending.put(message, keys.slice(1))
}

/** With its time: what was cleared and happens again, as a file that breaks a second time, is another message. */
function keyOf({ key, at }: Notice, entry: string): string {
  return `notice:${key}@${at}@${entry}`
}

/** Of the day, as clocks show it there. */
export function hourOf(now: number, zone: string): number {
  return new Date(wallOf(now, zone)).getUTCHours()
}

function textOf(notices: readonly Notice[]): string {
  const [only] = notices
  if (notices.length === 1 && only !== undefined)
    return only.room === '' ? only.text : `**${only.room}** ${only.text}`
  const lines = notices
    .slice(0, MOST_TOLD)
    .map(({ room, text }) => `- ${room === '' ? '' : `**${room}** `}${brief(text)}`)
  const rest = notices.length - lines.length
  return `${notices.length} notices:\n\n${lines.join('\n')}${rest > 0 ? `\n\nand ${rest} more (see neo log)` : ''}`
}

function brief(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  const most = Math.floor(MOST_LETTERS / MOST_TOLD)
  return line.length > most ? `${line.slice(0, most - 1)}…` : line
}
