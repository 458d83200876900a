/** Events of channels as text. Invariant 1: an event that goes to many is made into text once. */
import type { HubEvent } from '../../hub/hub.ts'
import { noticeText } from './json-rpc.ts'

const notices = new WeakMap<HubEvent, string>()
const plain = new WeakMap<HubEvent, string>()

/** The notice `event {channel, seq, data}`. */
export function eventText(event: HubEvent): string {
  return once(notices, event, ({ channel, seq, data }) => noticeText('event', { channel, seq, data }))
}

/** `{channel, seq, data}` alone. */
export function eventJson(event: HubEvent): string {
  return once(plain, event, ({ channel, seq, data }) => JSON.stringify({ channel, seq, data }))
}

function once(made: WeakMap<HubEvent, string>, event: HubEvent, make: (event: HubEvent) => string): string {
  const known = made.get(event)
  if (known !== undefined) return known
  const text = make(event)
  made.set(event, text)
  return text
}
