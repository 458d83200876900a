/**
 * memory.browse: all that is remembered, in rooms and conversations, entry by entry, with the version that an edit
 * names. Invariant 1: a member gets what their rooms remember, and the conversations that they take part in; a private
 * chat is for its owner alone.
 */
import { join } from 'node:path'
import { z } from 'zod'
import { memoryFolderOf } from '../../../domain/memory/memory-context.ts'
import { decide } from '../../../domain/policy/policy.ts'
import type { Principal } from '../../../domain/policy/policy-acts.ts'
import type { Snapshot } from '../../../domain/plan/snapshot.ts'
import type { ScopeAt } from '../../../domain/policy/scope-types.ts'
import { MEMORY_TYPES } from '../../../files/kinds/read-memory.ts'
import { entriesIn, type Entry } from '../../../memory/entries.ts'
import { type HubEnv, type Shown, look, method, nameOf } from '../../env.ts'
import { aboutOnlyRoom } from '../../views/about.ts'
import { membersOf, rulesFor } from '../../rights/member-rules.ts'
import { findRoom, roomAt, roomNames, sees } from '../../views/find-in-home.ts'
import { canReadScope, scopesSeen, scopeToRead } from '../../views/scopes-at.ts'
import { idText, limit } from '../../views/shapes.ts'

const KINDS = ['memory', 'fact', 'history', 'daily'] as const

export const entryView = z.strictObject({
  source: z.string().describe('Where it is: `rooms/shop/memories/x.md`, or a line of a file, `….md:12`'),
  kind: z.enum(KINDS).describe('`daily`: a note of one day; `history`: an older value, or a summary'),
  roomId: z.string().nullable().describe('Null: of a conversation'),
  scopeId: z.string().nullable().describe('The conversation'),
  id: z.string().nullable().describe('`m-…`; null for lines'),
  text: z.string(),
  key: z.string().describe("What a fact is about, such as `time zone`; '' for none"),
  speaker: z.string().nullable().describe('Who said or wrote it'),
  at: z.string().nullable().describe('A time or a day'),
  type: z.enum(MEMORY_TYPES).nullable().describe('Null for lines'),
  tags: z.array(z.string()),
  importance: z.enum(['low', 'normal', 'high']).nullable(),
  taskId: z.string().nullable(),
  sessionId: z.string().nullable(),
  version: z.string().describe('For `memory.update`, `memory.delete` and `scope.edit`'),
  inGit: z.boolean().describe('Whether git keeps what was there before'),
  mayEdit: z.boolean(),
  mayForget: z.boolean(),
})
export type EntryView = Shown<z.input<typeof entryView>>

const place = z.strictObject({
  roomId: z.string().nullable(),
  scopeId: z.string().nullable(),
  name: z.string(),
  count: z.number().describe('Entries of the wanted kinds'),
})

export const memoryBrowse = method({
  name: 'memory.browse',
  summary: 'List all that is remembered',
  details: 'Memories, facts and notes of rooms and conversations, newest first. `places` counts them all.',
  params: z.strictObject({
    roomId: idText.optional().describe('Only this room; the lobby has what the whole home remembers'),
    scopeId: idText.optional().describe('Only this conversation'),
    kinds: z.array(z.enum(KINDS)).optional().describe('Only these kinds. Default: memories and facts'),
    text: z.string().max(1_000).optional().describe('Only entries that contain all these words'),
    cursor: z.string().max(1_000).optional().describe('The `next` of the page before'),
    limit: limit(500, 100),
  }),
  result: z.strictObject({
    entries: z.array(entryView),
    total: z.number().describe('How many there are, with these filters'),
    next: z.string().nullable().describe('For `cursor`; null at the end'),
    places: z.array(place).describe('Rooms and conversations that you may see'),
  }),
  act: 'see',
  resource: aboutOnlyRoom,
  run: async (env, params, { principal }) => {
    const snapshot = await look(env)
    const { roomId, scopeId, kinds = ['memory', 'fact'], text = '', cursor, limit: most } = params
    const only = roomId === undefined ? null : findRoom(snapshot, roomId).name
    if (scopeId !== undefined) scopeToRead(env, scopeId, principal)
    const all = await env.aside(() => everything(env, snapshot, { principal, kinds }))
    const isWanted = ({ place: { roomId: room, scopeId: scope } }: Placed) =>
      (only === null || room === only) && (scopeId === undefined || scope === scopeId)
    const words = text.toLowerCase().split(/\s+/).filter(Boolean)
    const found = all
      .filter(isWanted)
      .flatMap(({ entries }) => entries.filter((entry) => holds(entry, words)))
      .toSorted((a, b) =>
        a.at === b.at ? (a.source < b.source ? -1 : 1) : (a.at ?? '') < (b.at ?? '') ? 1 : -1,
      )
    const from = cursor === undefined ? 0 : found.findIndex(({ source }) => source === cursor) + 1
    const entries = found.slice(from, from + most)
    const isEnd = from + most >= found.length
    return {
      entries,
      total: found.length,
      next: isEnd ? null : (entries.at(-1)?.source ?? null),
      places: all.map((one) => ({ ...one.place, count: one.entries.length })),
    }
  },
})

interface Placed {
  readonly place: { readonly roomId: string | null; readonly scopeId: string | null; readonly name: string }
  readonly entries: readonly EntryView[]
}

interface Wanted {
  readonly principal: Principal
  readonly kinds: readonly Entry['kind'][]
}

async function everything(env: HubEnv, snapshot: Snapshot, of: Wanted): Promise<readonly Placed[]> {
  const members = membersOf(env)
  const rooms = roomNames(snapshot).filter((room) => sees(of.principal, room, members))
  const placed: Placed[] = []
  for (const room of rooms) placed.push(await ofRoom(env, snapshot, { ...of, room }))
  const { kind } = of.principal
  if (kind !== 'human' && kind !== 'member') return placed
  for (const scope of scopesSeen(env, of.principal))
    if (canReadScope(env, scope, of.principal)) placed.push(await ofScope(env, scope, of))
  return placed
}

async function ofRoom(
  env: HubEnv,
  snapshot: Snapshot,
  { room, kinds, principal }: Wanted & { readonly room: string },
): Promise<Placed> {
  const { context } = env
  const place = { roomId: room, scopeId: null, name: roomAt(snapshot, room).room.name }
  const rules = rulesFor(env, snapshot, room)
  const may = (author: string) =>
    decide(principal, 'forget', { resource: { room, author }, rules }).effect === 'allow'
  const folders = [...new Set([memoryFolderOf(room), `rooms/${room}/memories`])]
  const entries: EntryView[] = []
  for (const folder of folders) {
    const found = await entriesIn(context, join(context.home, folder), (kind) => kinds.includes(kind))
    for (const entry of found) entries.push(viewEntry(entry, { folder, place, inGit: true, may }))
  }
  return { place, entries }
}

async function ofScope(env: HubEnv, scope: ScopeAt, { kinds, principal }: Wanted): Promise<Placed> {
  const { name, folder, keeps } = scope
  const place = { roomId: null, scopeId: name, name }
  const own = nameOf(principal)
  const may = (author: string) => keeps === 'private' || principal.kind === 'human' || author === own
  const found = await entriesIn(env.context, folder, (kind) => kinds.includes(kind) && kind !== 'memory')
  const of = { folder: name, place, inGit: keeps === 'shared', may }
  return { place, entries: found.map((entry) => viewEntry(entry, of)) }
}

interface EntryPlace {
  /** The beginning of its source. */
  readonly folder: string
  readonly place: Placed['place']
  readonly inGit: boolean
  readonly may: (author: string) => boolean
}

export function viewEntry(entry: Entry, { folder, place, inGit, may }: EntryPlace): EntryView {
  const { kind, name, line, version, text, key, speaker, at, memory } = entry
  const mayForget = may(speaker ?? 'human')
  const { roomId, scopeId } = place
  return {
    source: `${folder}/${name}${line === null ? '' : `:${line}`}`,
    ...{ kind, roomId, scopeId, text, key, speaker, at, version, inGit, mayForget },
    id: memory === null ? null : (memory.neo.id ?? name.slice(0, -3)),
    type: memory?.type ?? null,
    tags: [...(memory?.tags ?? [])],
    importance: memory?.importance ?? null,
    taskId: memory?.neo.task ?? null,
    sessionId: memory?.neo.session ?? null,
    mayEdit: mayForget && kind !== 'history',
  }
}

function holds({ text, key, tags, speaker }: EntryView, words: readonly string[]): boolean {
  if (words.length === 0) return true
  const all = `${text} ${key} ${tags.join(' ')} ${speaker ?? ''}`.toLowerCase()
  return words.every((word) => all.includes(word))
}
