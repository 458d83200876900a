/**
 * Addresses. Each thing has one address, and each address shows it: a link in a notice opens exactly that thing.
 * A detail that is opened from a list shows beside the list (`behind`); the same address opened directly fills the page.
 */
import { computed, signal } from '@preact/signals'

export const ROOM_TABS = ['board', 'list', 'graph', 'sessions', 'about'] as const
export type RoomTab = (typeof ROOM_TABS)[number]
export type ActivityTab = 'events' | 'usage'

export type Route =
  | { readonly view: 'inbox' | 'rooms' | 'schedules' | 'memory' | 'agents' }
  | { readonly view: 'activity'; readonly tab: ActivityTab }
  | { readonly view: 'room'; readonly room: string; readonly tab: RoomTab }
  | { readonly view: 'task'; readonly id: string }
  | { readonly view: 'session'; readonly id: string }
  | { readonly view: 'review'; readonly id: string }
  | { readonly view: 'request'; readonly id: string }
  /** `id`: the task and the commit, as `t-abc/0123…`. */
  | { readonly view: 'commit'; readonly id: string }
  | { readonly view: 'file'; readonly path: string }
  | { readonly view: 'chat'; readonly room: string }
  | { readonly view: 'settings'; readonly page: string }
  | { readonly view: 'missing' }

const PLAIN = ['rooms', 'schedules', 'memory', 'agents'] as const
const BY_ID = ['task', 'session', 'review', 'request', 'commit'] as const
type ById = (typeof BY_ID)[number]

export function parseRoute(path: string): Route {
  const [first = '', ...rest] = path
    .split('/')
    .filter((part) => part !== '')
    .map(decoded)
  const id = rest.join('/')
  if (first === '') return { view: 'inbox' }
  const plain = PLAIN.find((name) => name === first)
  if (plain !== undefined && id === '') return { view: plain }
  const byId = BY_ID.find((name) => name === first)
  if (byId !== undefined && id !== '') return { view: byId, id }
  if (first === 'room' && rest[0] !== undefined) return { view: 'room', room: rest[0], tab: tabOf(rest[1]) }
  if (first === 'chat') return { view: 'chat', room: rest[0] ?? 'lobby' }
  if (first === 'file' && id !== '') return { view: 'file', path: id }
  if (first === 'activity' && id === '') return { view: 'activity', tab: 'events' }
  // Usage was a page of the settings.
  if (id === 'usage' && (first === 'activity' || first === 'settings'))
    return { view: 'activity', tab: 'usage' }
  if (first === 'settings') return { view: 'settings', page: rest[0] ?? '' }
  return { view: 'missing' }
}

function tabOf(text: string | undefined): RoomTab {
  return ROOM_TABS.find((tab) => tab === text) ?? 'board'
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** `/task/t-abc`; the parts of an id that has slashes stay readable. */
export function addressOf(view: ById | 'file', id: string): string {
  return `/${view}/${id.split('/').map(encodeURIComponent).join('/')}`
}

export function roomAddress(room: string, tab: RoomTab = 'board'): string {
  return `/room/${encodeURIComponent(room)}${tab === 'board' ? '' : `/${tab}`}`
}

/** What happened with an agent of another home. */
export function agentActivity(id: string): string {
  return `/activity?kind=peers&agent=${encodeURIComponent(id)}`
}

interface Place {
  readonly path: string
  readonly query: string
  /** The address of the list that the detail was opened from; null: the detail fills the page. */
  readonly behind: string | null
}

const place = signal<Place>(here())

export const route = computed(() => parseRoute(place.value.path))
/** The list that stays visible beside a detail. */
export const behind = computed(() =>
  place.value.behind === null ? null : parseRoute(pathOf(place.value.behind)),
)
/** Of the list, also while a detail is open beside it. */
export const listPath = computed(() =>
  place.value.behind === null ? place.value.path : pathOf(place.value.behind),
)
/** The filters of the list, also while a detail is open beside it. */
export const query = computed(() => {
  const { behind: list, query: own } = place.value
  return new URLSearchParams(list === null ? own : list.slice(pathOf(list).length))
})
export const path = computed(() => place.value.path)

function pathOf(address: string): string {
  return address.split('?')[0] ?? ''
}

const DETAILS: ReadonlySet<string> = new Set([...BY_ID, 'file'])

export function isDetail({ view }: Route): boolean {
  return DETAILS.has(view)
}

function here(): Place {
  const state = history.state as { behind?: unknown } | null
  return {
    path: location.pathname,
    query: location.search,
    behind: typeof state?.behind === 'string' ? state.behind : null,
  }
}

/** Opens an address. A detail keeps the present list beside it. */
export function go(address: string, how: 'push' | 'replace' = 'push'): void {
  const to = new URL(address, location.origin)
  const { path: now, behind: kept } = place.value
  const list = isDetail(route.value) ? kept : now + place.value.query
  const state = { behind: isDetail(parseRoute(to.pathname)) ? list : null }
  if (how === 'push') history.pushState(state, '', to.pathname + to.search)
  else history.replaceState(state, '', to.pathname + to.search)
  place.value = here()
}

/** Closes the detail: shows the list that it was opened from, or the inbox. */
export function closeDetail(): void {
  go(place.value.behind ?? '/')
}

/** Sets or removes filters of the list, also while a detail is open beside it; no new entry in the history. */
export function setQuery(changes: Readonly<Record<string, string | null>>): void {
  const { behind: list } = place.value
  const next = new URLSearchParams(query.value)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') next.delete(name)
    else next.set(name, value)
  }
  const text = next.size === 0 ? '' : `?${next.toString()}`
  if (list === null) history.replaceState(history.state, '', location.pathname + text)
  else history.replaceState({ behind: pathOf(list) + text }, '', location.href)
  place.value = here()
}

/** Links of the page open without a reload; others, and clicks with a modifier, are the browser's. */
export function followLinks(): void {
  addEventListener('popstate', () => {
    place.value = here()
  })
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    const link = (event.target as Element | null)?.closest('a')
    if (link === null || link === undefined || link.target !== '' || link.origin !== location.origin) return
    event.preventDefault()
    go(link.href)
  })
}
