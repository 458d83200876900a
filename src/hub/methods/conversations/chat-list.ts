/**
 * chat.list: a room's conversation as people read it, a page at a time, with the present title and status of what Neo
 * made or changed; what waits for its turn; and why Neo can't answer now.
 */
import { join } from 'node:path'
import { z } from 'zod'
import { messageKey } from '../../../domain/plan/plan-neo.ts'
import type { InboxFile, Snapshot } from '../../../domain/plan/snapshot.ts'
import { splitSent } from '../../../domain/text/sent-files.ts'
import { earlierOf } from '../../../engine/effects/wake-orchestrator.ts'
import { readTranscript, type TranscriptEntry } from '../../../files/body/read-transcript.ts'
import type { Files } from '../../../ports/files-port.ts'
import { type HubEnv, look, method } from '../../env.ts'
import { aboutRoom } from '../../views/about.ts'
import { badParams, HubError } from '../../hub.ts'
import { type ChatDid, type ChatItem, type ChatLink, chatItems } from '../../views/chat-items.ts'
import { membersOf } from '../../rights/member-rules.ts'
import { askOf, findRoom, roomAt, sees, sessionAt, taskOf } from '../../views/find-in-home.ts'
import { limit, roomId } from '../../views/shapes.ts'
import { standOf } from '../../../domain/ask/approve.ts'

const files = z.array(
  z.strictObject({ id: z.string(), name: z.string(), type: z.string(), bytes: z.number() }),
)

const link = z.strictObject({
  kind: z.enum(['task', 'session', 'memory', 'request', 'schedule', 'room']),
  id: z.string(),
  title: z.string(),
  status: z.string().nullable(),
  roomId: z.string(),
  path: z.string().nullable().describe('The file, if that is how it is found'),
})

const item = z.strictObject({
  id: z.string(),
  at: z.string(),
  kind: z.enum(['message', 'event', 'answer', 'note', 'new']),
  from: z.string().describe("`human`, `member:ID`, …; '' for Neo"),
  text: z.string(),
  files,
  did: z.array(
    z.strictObject({
      action: z.string(),
      about: z.string(),
      result: z.string().nullable().describe('Null while it runs'),
      failed: z.boolean(),
      link: link.nullable(),
    }),
  ),
})

export const chatList = method({
  name: 'chat.list',
  summary: 'List what was said in a room',
  details:
    'Oldest first, the newest page without `before`. What Neo did is named with what it made or changed.',
  params: z.strictObject({
    roomId,
    before: z.string().max(200).optional().describe('The `earlier` of the page after this one'),
    limit: limit(200, 50),
  }),
  result: z.strictObject({
    items: z.array(item),
    earlier: z.string().nullable().describe('For `before`; null at the beginning'),
    waiting: z
      .array(z.strictObject({ at: z.string(), from: z.string(), text: z.string(), files }))
      .describe('Messages that wait for their turn'),
    obstacle: z
      .enum(['no-model', 'paused', 'archived', 'no-daemon'])
      .nullable()
      .describe('Why Neo cannot answer here now'),
  }),
  act: 'see',
  resource: aboutRoom,
  run: async (env, params, { principal }) => {
    const snapshot = await look(env)
    const room = findRoom(snapshot, params.roomId).name
    const isSeen = (name: string) => sees(principal, name, membersOf(env))
    const { items, earlier, keys } = pageOf(env, room, params)
    return {
      items: items.map((one) => ({
        ...one,
        did: one.did.map((did) => viewDid(env, snapshot, { did, room, isSeen })),
      })),
      earlier,
      waiting:
        params.before === undefined
          ? waitingIn(env, snapshot, (one, key) => one.room === room && !keys.has(key))
          : [],
      obstacle: obstacleOf(env, snapshot, room),
    }
  },
})

function obstacleOf(env: HubEnv, snapshot: Snapshot, name: string) {
  const { room } = roomAt(snapshot, name)
  if (env.neo === null) return 'no-daemon' as const
  if (room.status !== 'active') return room.status
  return (room.model ?? env.context.look.config().model) === 'rules' ? ('no-model' as const) : null
}

interface Page {
  readonly items: readonly ChatItem[]
  readonly earlier: string | null
  /** Of the messages that had their turn. */
  readonly keys: ReadonlySet<string>
}

const MOST_BYTES = 8 * 1024 * 1024
/** Files that are read for one page. */
const MOST_FILES = 12

/** From the newest transcript back. An item's place is the file and the entry: `neo-2026-03-01-1:ID`. */
function pageOf(
  env: HubEnv,
  room: string,
  { before, limit: most }: { readonly before?: string | undefined; readonly limit: number },
): Page {
  const all = transcriptsOf(env, room)
  const [name, id] = before?.split(':') ?? []
  const start = name === undefined ? 0 : all.findIndex((one) => one.name === name)
  if (start < 0) throw goneBefore()
  const keys = new Set<string>()
  let items: readonly (ChatItem & { readonly file: string })[] = []
  for (const file of all.slice(start, start + MOST_FILES)) {
    const entries = entriesOf(env, file.path)
    for (const key of entries.flatMap((entry) => textsIn(entry['keys']))) keys.add(key)
    const own = chatItems(entries).map((one) => ({ ...one, file: file.name }))
    const end = file.name === name ? own.findIndex((one) => one.id === id) : own.length
    if (end < 0) throw goneBefore()
    items = [...own.slice(0, end), ...items]
    if (items.length > most) break
  }
  const page = items.slice(-most)
  const [first] = page
  const isMore = items.length > page.length || all.length > start + MOST_FILES
  return {
    items: page.map(({ file: _, ...one }) => one),
    earlier: isMore && first !== undefined ? `${first.file}:${first.id}` : null,
    keys,
  }
}

function goneBefore(): HubError {
  return badParams(['before'], 'no message of this room has this place any more: begin without `before`')
}

/** Newest first, by the name that each has in its room. */
function transcriptsOf({ context: { home, dir, world } }: HubEnv, room: string) {
  return neoTranscripts(world.files, [
    [join(dir, 'transcripts'), `neo-${room}-`],
    [join(home, 'rooms', room, 'transcripts'), 'neo-'],
  ])
}

/** Of Neo, the newest first. @param places folders, each with how the names in it begin, before the day and a number */
export function neoTranscripts(
  files: Pick<Files, 'names'>,
  places: readonly (readonly [folder: string, begin: string])[],
) {
  const found = places.flatMap(([folder, begin]) =>
    files.names(folder).flatMap((name) => {
      const rest = name.startsWith(begin) ? name.slice(begin.length) : ''
      const [, day, n] = /^(\d{4}-\d{2}-\d{2})-(\d+)\.jsonl$/.exec(rest) ?? []
      if (day === undefined) return []
      return [{ path: join(folder, name), name: `neo-${day}-${n}`, day, n: Number(n) }]
    }),
  )
  const once = [...new Map(found.map((one) => [one.name, one])).values()]
  return once.toSorted((a, b) => (a.day === b.day ? b.n - a.n : a.day < b.day ? 1 : -1))
}

function entriesOf({ context: { world } }: HubEnv, path: string): readonly TranscriptEntry[] {
  const read = world.files.read(path, MOST_BYTES)
  return read.kind === 'file' ? readTranscript(read.bytes).entries : []
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}

function waitingIn(
  { context }: HubEnv,
  { inbox }: Snapshot,
  isWaiting: (message: InboxFile, key: string) => boolean,
) {
  return [...inbox.values()]
    .filter((one) => isWaiting(one, messageKey(one, earlierOf(context, one))))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ name, from, text }) => {
      return { at: timeIn(name), from, ...splitSent(text) }
    })
}

/** Names of messages begin with their time; '' if somebody named a file otherwise. */
function timeIn(name: string): string {
  const [, date = '', time = ''] = /^(\d{8})T(\d{6})/.exec(name) ?? []
  if (date === '') return ''
  const [, y, m, d] = /(\d{4})(\d\d)(\d\d)/.exec(date) ?? []
  return `${y}-${m}-${d}T${time.slice(0, 2)}:${time.slice(2, 4)}:${time.slice(4)}Z`
}

interface DidAt {
  readonly did: ChatDid
  readonly room: string
  /** A link to a room of others would tell what is in it. */
  readonly isSeen: (room: string) => boolean
}

function viewDid(env: HubEnv, snapshot: Snapshot, { did, room, isSeen }: DidAt) {
  const { action, about, result, failed } = did
  const link = did.link === null ? null : viewLink(env, snapshot, { link: did.link, room, about })
  const shown = link === null || !isSeen(link.roomId) ? null : link
  return { action, about, result, failed, link: shown }
}

interface LinkAt {
  readonly link: ChatLink
  readonly room: string
  readonly about: string
}

/** As it is now; null if it is gone. */
function viewLink(env: HubEnv, snapshot: Snapshot, { link: { kind, id }, room, about }: LinkAt) {
  const plain = { kind, id, title: about === '' ? id : about, status: null, roomId: room, path: null }
  try {
    if (kind === 'task') {
      const { task, room: roomId, path } = taskOf(snapshot, id)
      return { ...plain, id: task.neo.id ?? path, title: task.title, status: task.status, roomId }
    }
    if (kind === 'request') {
      const { ask, room: roomId } = askOf(snapshot, id)
      return { ...plain, title: ask.reason.replace(/^\S+ wants [\w.]+: /, ''), status: standOf(ask), roomId }
    }
    if (kind === 'room') {
      const { name, room: found } = findRoom(snapshot, id)
      return { ...plain, id: name, title: found.name, status: found.status, roomId: name }
    }
    if (kind === 'memory') return memoryLink(env, plain)
    const session = kind === 'session' ? sessionAt(env, room, id) : null
    return session === null ? plain : { ...plain, status: session.status }
  } catch (error) {
    if (error instanceof HubError) return null
    throw error
  }
}

function memoryLink<T extends { readonly id: string; readonly roomId: string }>(
  { context: { home, world } }: HubEnv,
  plain: T,
) {
  const folder = `rooms/${plain.roomId}/memories`
  const name = world.files.names(join(home, folder)).find((one) => one.endsWith(`--${plain.id}.md`))
  return name === undefined ? null : { ...plain, path: `${folder}/${name}` }
}
