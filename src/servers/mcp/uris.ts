/**
 * The addresses of what can be read: `neo://…` to what is meant, and back. Pure. Invariant 1: `placeOf(uriOf(place))` is
 * the place. Invariant 2: nothing here becomes a path: names go to the hub.
 */
export type Place =
  | { readonly kind: 'status' | 'rooms' | 'asks' }
  | { readonly kind: 'room'; readonly room: string }
  | { readonly kind: 'overview' | 'tasks' | 'memories'; readonly room: string }
  /** `id`: a task's name in its room, with its folders; the id of a memory or a session. */
  | { readonly kind: 'task' | 'memory' | 'session'; readonly room: string; readonly id: string }

const ALONE: Readonly<Record<string, 'status' | 'rooms' | 'asks'>> = {
  'neo://status': 'status',
  'neo://rooms': 'rooms',
  'neo://asks': 'asks',
}
const OF_ROOM: Readonly<Record<string, 'overview' | 'tasks' | 'memories'>> = {
  overview: 'overview',
  tasks: 'tasks',
  memories: 'memories',
}
const IN_ROOM: Readonly<Record<string, 'task' | 'memory' | 'session'>> = {
  tasks: 'task',
  memories: 'memory',
  sessions: 'session',
}
const FOLDERS = { task: 'tasks', memory: 'memories', session: 'sessions' } as const
const LONGEST = 2_000

export function uriOf(place: Place): string {
  switch (place.kind) {
    case 'status':
    case 'rooms':
    case 'asks':
      return `neo://${place.kind}`
    case 'room':
      return `neo://rooms/${encodeURIComponent(place.room)}`
    case 'overview':
    case 'tasks':
    case 'memories':
      return `neo://rooms/${encodeURIComponent(place.room)}/${place.kind}`
    case 'task':
    case 'memory':
    case 'session': {
      const id = place.id.split('/').map(encodeURIComponent).join('/')
      return `neo://rooms/${encodeURIComponent(place.room)}/${FOLDERS[place.kind]}/${id}`
    }
  }
}

/** Null for what is no address of Neo. */
export function placeOf(uri: string): Place | null {
  const alone = Object.hasOwn(ALONE, uri) ? ALONE[uri] : undefined
  if (alone !== undefined) return { kind: alone }
  const [, rest] = uri.length > LONGEST ? [] : (/^neo:\/\/rooms\/([^?#]+)$/.exec(uri) ?? [])
  const parts = (rest ?? '').split('/').map(decoded)
  const [room, folder, ...more] = parts
  if (room === undefined || room === '' || parts.includes(null) || parts.includes('')) return null
  if (folder === undefined) return { kind: 'room', room: String(room) }
  const kinds = more.length === 0 ? OF_ROOM : IN_ROOM
  const kind = Object.hasOwn(kinds, String(folder)) ? kinds[String(folder)] : undefined
  if (kind === undefined) return null
  const place = { room: String(room), id: more.join('/') }
  return more.length === 0
    ? { kind: kind as 'overview' | 'tasks' | 'memories', room: place.room }
    : { kind: kind as 'task' | 'memory' | 'session', ...place }
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}
