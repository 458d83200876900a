/** The views that are always there: the sidebar lists them, the palette finds them, and `g` and a key opens them. */
import type { IconName } from '../parts/icons.tsx'
import { may } from './session.ts'

export interface Place {
  readonly address: string
  readonly icon: IconName
  readonly label: string
  /** After `g`; '' for none. */
  readonly key: string
  /** Who may not do this in the home as a whole doesn't see it. */
  readonly act?: string
}

const INBOX: Place = { address: '/', icon: 'inbox', label: 'Inbox', key: 'i' }
const ROOMS: Place = { address: '/rooms', icon: 'rooms', label: 'Rooms', key: 'r' }
const CHAT: Place = { address: '/chat/lobby', icon: 'chat', label: 'Chat', key: 'c' }
const SETTINGS: Place = { address: '/settings', icon: 'settings', label: 'Settings', key: '' }

/** In the sidebar, which lists the rooms themselves. */
export const SIDE: readonly Place[] = [
  INBOX,
  { address: '/activity', icon: 'activity', label: 'Activity', key: 'a' },
  CHAT,
  { address: '/schedules', icon: 'schedules', label: 'Schedules', key: 's' },
  { address: '/memory', icon: 'memory', label: 'Memory', key: 'm' },
  { address: '/agents', icon: 'agents', label: 'Agents', key: 'p', act: 'see-home' },
  SETTINGS,
]
/** On a phone. */
export const BOTTOM: readonly Place[] = [INBOX, ROOMS, CHAT, { ...SETTINGS, icon: 'more', label: 'More' }]
export const PLACES: readonly Place[] = [ROOMS, ...SIDE]

/** Whether to offer it to the person who is signed in. */
export function isOffered({ act }: Place): boolean {
  return act === undefined || may(act)
}
