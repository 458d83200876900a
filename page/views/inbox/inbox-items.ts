/** The order and the number of what needs you. */
import type { Inbox } from '../../store/types.ts'

const SECTIONS = ['requests', 'reviews', 'yours', 'blocked', 'failed', 'problems'] as const

export function inboxCount(inbox: Inbox): number {
  return SECTIONS.reduce((sum, section) => sum + Object.keys(inbox[section] ?? {}).length, 0)
}
