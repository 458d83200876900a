/** The order and the number of what needs you. */
import { may } from '../../store/session.ts'
import type { Card, Inbox } from '../../store/types.ts'

const SECTIONS = ['home', 'requests', 'reviews', 'yours', 'blocked', 'failed', 'problems'] as const

export function inboxCount(inbox: Inbox): number {
  return SECTIONS.reduce((sum, section) => sum + Object.keys(inbox[section] ?? {}).length, 0)
}

/** Without what somebody else has to decide: the rights of the person who is signed in say so. */
export function forMe<T extends Inbox | undefined>(inbox: T): T {
  if (inbox === undefined) return inbox
  const able = (act: string) => (card: Card) => may(act, card.roomId, card.worker ?? null)
  return {
    ...inbox,
    requests: only(inbox.requests, ({ roomId }) => may('settle-ask', roomId)),
    reviews: only(inbox.reviews, ({ roomId }) => may('settle-review', roomId)),
    yours: only(inbox.yours, able('finish-task')),
    blocked: only(inbox.blocked, able('move-task')),
    failed: only(inbox.failed, able('move-task')),
  }
}

function only<T>(items: Readonly<Record<string, T>>, isWanted: (item: T) => boolean) {
  return Object.fromEntries(Object.entries(items ?? {}).filter(([, item]) => isWanted(item)))
}
