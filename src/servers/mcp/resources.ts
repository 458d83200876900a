/**
 * What can be read: rooms, tasks, memories and sessions as text, each at an address. Invariant 1: the hub is asked
 * first, so that every read is decided and recorded; a file is shown only at the path that it gave. Invariant 2: a
 * missing thing and an invalid address get the same answer. Invariant 3: `placeOf(uriOf(place))` is the place. Invariant 4:
 * nothing in an address becomes a path: names go to the hub.
 */
import { HUB_CODES, HubError } from '../../hub/hub.ts'
import type { ResultOf } from '../../hub/method-table.ts'
import { ask, type McpHome, memory, overview, room as roomShape, taskRow } from './mcp-tool.ts'

interface Listed {
  [key: string]: unknown
  uri: string
  name: string
  title: string
  description?: string
  mimeType: string
}

interface Page {
  [key: string]: unknown
  resources: Listed[]
  nextCursor?: string
}

const JSON_TYPE = 'application/json'
const TEXT_TYPE = 'text/markdown'
/** Items of one page; rooms, of which there are few, stand in front of the first. */
const PAGE = 100
const MOST_MEMORIES = 1_000

export const TEMPLATES = [
  template('room', ['neo://rooms/{room}', TEXT_TYPE], 'The file of a room: its settings and instructions'),
  template('overview', ['neo://rooms/{room}/overview', JSON_TYPE], 'Overview of a room'),
  template('tasks', ['neo://rooms/{room}/tasks', JSON_TYPE], 'The tasks of a room, without descriptions'),
  template('task', ['neo://rooms/{room}/tasks/{+task}', TEXT_TYPE], 'The file of a task'),
  template('memories', ['neo://rooms/{room}/memories', JSON_TYPE], 'The memories of a room'),
  template('memory', ['neo://rooms/{room}/memories/{memory}', TEXT_TYPE], 'The file of a memory'),
  template(
    'session',
    ['neo://rooms/{room}/sessions/{session}', TEXT_TYPE],
    'The file of a session, with its summary',
  ),
]

function template(name: string, [uriTemplate, mimeType]: readonly [string, string], description: string) {
  return { name, title: description, uriTemplate, description, mimeType }
}

const TOP: readonly Listed[] = [
  listed({ kind: 'status' }, 'status', 'Status of the home'),
  listed({ kind: 'rooms' }, 'rooms', 'All rooms'),
  listed({ kind: 'asks' }, 'asks', 'Open requests'),
]

function listed(place: Place, name: string, title: string): Listed {
  const mimeType = place.kind === 'room' || 'id' in place ? TEXT_TYPE : JSON_TYPE
  return { uri: uriOf(place), name, title, mimeType }
}

/** A page of all that there is, after `cursor`, which is the path of the last task had. Throws HubError. */
export async function listResources(home: McpHome, cursor: string | undefined): Promise<Page> {
  const call = caller(home)
  const first = cursor === undefined ? [...TOP, ...(await roomsListed(home))] : []
  const tasks = (await call('task.list', {
    limit: PAGE,
    ...(cursor === undefined ? {} : { cursor: cursorPath(cursor) }),
  })) as ResultOf<'task.list'>
  const resources = tasks.map(({ roomId, name, title, status }) => ({
    ...listed({ kind: 'task', room: roomId, id: name }, `${roomId}/${name}`, title),
    description: status,
  }))
  const last = tasks.length === PAGE ? tasks.at(-1) : undefined
  return {
    resources: [...first, ...resources],
    ...(last === undefined ? {} : { nextCursor: nextOf(last.path) }),
  }
}

async function roomsListed(home: McpHome): Promise<readonly Listed[]> {
  const rooms = (await caller(home)('room.list', {})) as ResultOf<'room.list'>
  return rooms.flatMap(({ id, description }) => [
    {
      ...listed({ kind: 'room', room: id }, id, `Room ${id}`),
      ...(description === '' ? {} : { description }),
    },
    listed({ kind: 'overview', room: id }, `${id}/overview`, `Overview of ${id}`),
    listed({ kind: 'tasks', room: id }, `${id}/tasks`, `Tasks of ${id}`),
    listed({ kind: 'memories', room: id }, `${id}/memories`, `Memories of ${id}`),
  ])
}

function nextOf(path: string): string {
  return Buffer.from(path).toString('base64url')
}

/** Throws HubError `params` for what we have not given out. */
function cursorPath(cursor: string): string {
  const path = Buffer.from(cursor.slice(0, 2_000), 'base64url').toString('utf8')
  if (path.startsWith('rooms/') && nextOf(path) === cursor) return path
  throw new HubError(HUB_CODES.params, 'Invalid cursor: use the nextCursor of the page before')
}

interface Content {
  [key: string]: unknown
  uri: string
  mimeType: string
  text: string
}

/** Throws HubError, `missing` if there is no such thing. */
export async function readPlace(home: McpHome, place: Place): Promise<Content> {
  const uri = uriOf(place)
  const json = (value: unknown): Content => ({
    uri,
    mimeType: JSON_TYPE,
    text: JSON.stringify(value, null, 2),
  })
  const call = caller(home)
  switch (place.kind) {
    case 'status':
      return json(await call('status.global', {}))
    case 'rooms':
      return json(roomShape.array().parse(await call('room.list', {})))
    case 'asks':
      return json(ask.array().parse(await call('ask.list', {})))
    case 'overview':
      return json(overview.parse(await call('room.overview', { roomId: place.room })))
    case 'tasks':
      return json(taskRow.array().parse(await call('task.list', { roomId: place.room, limit: 1_000 })))
    case 'memories':
      return json(memory.array().parse(await memoriesOf(home, place.room)))
    case 'room':
    case 'task':
    case 'memory':
    case 'session':
      return { uri, mimeType: TEXT_TYPE, text: await fileOf(home, place) }
  }
}

type FilePlace = Extract<Place, { readonly kind: 'room' } | { readonly id: string }>

async function fileOf(home: McpHome, place: FilePlace): Promise<string> {
  const call = caller(home)
  if (place.kind === 'room') {
    const { id, instructions } = (await call('room.get', { roomId: place.room })) as ResultOf<'room.get'>
    return home.text(`rooms/${id}/ROOM.md`) ?? `# ${id}\n\n${instructions}`
  }
  if (place.kind === 'task') {
    const taskId = `rooms/${place.room}/tasks/${place.id}.md`
    const { path, title, description } = (await call('task.get', { taskId })) as ResultOf<'task.get'>
    return home.text(path) ?? `# ${title}\n\n${description}`
  }
  if (place.kind === 'memory') {
    const found = (await memoriesOf(home, place.room)).find(({ id }) => id === place.id)
    if (found === undefined) throw missing(place)
    return home.text(found.path) ?? found.content
  }
  const session = (await call('session.get', { sessionId: place.id })) as ResultOf<'session.get'>
  if (session.roomId !== place.room) throw missing(place)
  const text = home.text(`rooms/${session.roomId}/sessions/${session.id}.md`)
  return text ?? `# ${session.title ?? session.id}\n\n${session.status}\n\n${session.summary}`
}

async function memoriesOf(home: McpHome, room: string): Promise<ResultOf<'memory.list'>> {
  const found = await caller(home)('memory.list', { roomId: room, limit: MOST_MEMORIES })
  return found as ResultOf<'memory.list'>
}

function missing({ kind, id }: Place & { readonly id: string }): HubError {
  return new HubError(HUB_CODES.missing, `Cannot find the ${kind} "${id}"`)
}

function caller({ hub, principal }: McpHome) {
  return (method: string, params: Readonly<Record<string, unknown>>) => hub.call(principal, method, params)
}

/** Most values that one completion gives. */
const MOST_COMPLETED = 100

/** What begins with `value` for a part of an address. Throws HubError. */
export async function completePlace(
  home: McpHome,
  part: string,
  { value, room }: { readonly value: string; readonly room: string | undefined },
): Promise<readonly string[]> {
  const call = caller(home)
  const among = async (): Promise<readonly string[]> => {
    const roomId = room === undefined ? {} : { roomId: room }
    if (part === 'room') return ((await call('room.list', {})) as ResultOf<'room.list'>).map(({ id }) => id)
    if (part === 'task') {
      const tasks = (await call('task.list', { ...roomId, limit: 1_000 })) as ResultOf<'task.list'>
      return tasks.map(({ name }) => name)
    }
    if (part === 'memory' && room !== undefined) return (await memoriesOf(home, room)).map(({ id }) => id)
    if (part !== 'session') return []
    return ((await call('session.list', roomId)) as ResultOf<'session.list'>).map(({ id }) => id)
  }
  const wanted = value.toLowerCase()
  return (await among()).filter((one) => one.toLowerCase().startsWith(wanted)).slice(0, MOST_COMPLETED)
}

type Place =
  | { readonly kind: 'status' | 'rooms' | 'asks' }
  | { readonly kind: 'room'; readonly room: string }
  | { readonly kind: 'overview' | 'tasks' | 'memories'; readonly room: string }
  /** `id`: a task's name in its room, with its folders; the id of a memory or a session. */
  | { readonly kind: 'task' | 'memory' | 'session'; readonly room: string; readonly id: string }

const ALONE = ['status', 'rooms', 'asks'] as const
const OF_ROOM = ['overview', 'tasks', 'memories'] as const
const IN_ROOM = ['task', 'memory', 'session'] as const
const FOLDERS = { task: 'tasks', memory: 'memories', session: 'sessions' } as const
const LONGEST = 2_000

export function uriOf(place: Place): string {
  if (!('room' in place)) return `neo://${place.kind}`
  const room = `neo://rooms/${encodeURIComponent(place.room)}`
  if (place.kind === 'room') return room
  if (!('id' in place)) return `${room}/${place.kind}`
  return `${room}/${FOLDERS[place.kind]}/${place.id.split('/').map(encodeURIComponent).join('/')}`
}

/** Null for an address that is not Neo's. */
export function placeOf(uri: string): Place | null {
  const alone = ALONE.find((one) => uri === `neo://${one}`)
  if (alone !== undefined) return { kind: alone }
  const [, rest = ''] = uri.length > LONGEST ? [] : (/^neo:\/\/rooms\/([^?#]+)$/.exec(uri) ?? [])
  const parts = rest.split('/').map(decoded)
  if (parts.includes('')) return null
  const [room = '', folder, ...more] = parts
  if (folder === undefined) return { kind: 'room', room }
  const whole = OF_ROOM.find((one) => one === folder)
  if (more.length === 0) return whole === undefined ? null : { kind: whole, room }
  const kind = IN_ROOM.find((one) => FOLDERS[one] === folder)
  return kind === undefined ? null : { kind, room, id: more.join('/') }
}

/** Empty if it can't be read. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return ''
  }
}
