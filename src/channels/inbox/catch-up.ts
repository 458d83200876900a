/**
 * Joins messages of one speaker in one chat that piled up, so that they get one answer. Pure. Invariant 1: order is kept,
 * and nobody's words appear under another name.
 */
import type { Inbound } from '../channel-message.ts'

/** So many of a chat and fewer have a turn each, as long as no more than MANY wait in all. */
const A_TURN_EACH = 12
const MANY = 100
const MOST_TOGETHER = 40
const MAX_CHARACTERS = 20_000

/** @param waiting all that waits, of every chat. What follows the first at once: same chat, speaker, room; none where few wait. */
export function togetherWith(first: Inbound, waiting: readonly Inbound[]): readonly Inbound[] {
  const own = waiting.filter(
    ({ kind, scope, room }) => kind === 'message' && scope === first.scope && room === first.room,
  )
  const after = own.slice(own.findIndex(({ key }) => key === first.key) + 1)
  const isMuch = own.length > A_TURN_EACH || waiting.length > MANY
  if (first.channel === 'system' || !isMuch) return []
  const together: Inbound[] = []
  let letters = first.content.length
  for (const message of after) {
    letters += message.content.length
    const isSame = message.speaker === first.speaker && message.sessionKey === first.sessionKey
    if (!isSame || letters > MAX_CHARACTERS || together.length + 1 >= MOST_TOGETHER) break
    together.push(message)
  }
  return together
}

/** As if they had been one message. */
export function joined(messages: readonly [Inbound, ...Inbound[]]): Inbound {
  const [first] = messages
  if (messages.length === 1) return first
  const content = messages
    .map((one) => one.content.trim())
    .filter((text) => text !== '')
    .join('\n\n')
  return { ...first, content, media: messages.flatMap(({ media }) => media) }
}
