/**
 * memory.add, list, delete, search: the files in `memories/` of rooms.
 * Takes checked parameters; gives memories. Leaves to memories-at.ts: reading and finding them.
 * Invariant 1: what looks like a secret is masked before it is kept.
 */
import { z } from 'zod'
import { fileSlugOf } from '../../core/rules/slug.ts'
import { redact } from '../../core/rules/redact.ts'
import { renderDocument } from '../../formats/edit.ts'
import { MEMORY_TYPES, readMemory } from '../../formats/memory.ts'
import { oneLine } from '../../flow/effects/words.ts'
import { type HubEnv, isoNow, look } from '../env.ts'
import { findRoom, missing, roomNames, sees } from '../find.ts'
import { HUB_CODES, HubError, type Principal } from '../hub.ts'
import { membersOf } from '../members.ts'
import { memoriesOf, type MemoryAt, search } from '../memories-at.ts'
import { type Actor, method, nameOf } from '../method.ts'
import { idText, limit, type MemoryView, memoryView } from '../shapes.ts'
import { badParams, commit } from '../write.ts'

const word = z.string().trim().min(1).max(100)
const type = z.enum(MEMORY_TYPES)

const addParams = z.strictObject({
  roomId: idText,
  type,
  content: z.string().trim().min(1).max(50_000),
  tags: z.array(word).max(50).optional(),
  importance: z.enum(['low', 'normal', 'high']).optional(),
  sessionId: idText.optional(),
  taskId: idText.optional(),
})

export const memoryAdd = method({
  name: 'memory.add',
  says: 'Keeps a memory in a room.',
  params: addParams,
  result: memoryView,
  act: 'remember',
  resource: async (env, { roomId }) => ({ room: findRoom(await look(env), roomId).name }),
  run: add,
})

async function add(env: HubEnv, params: z.output<typeof addParams>, actor: Actor): Promise<MemoryView> {
  const room = findRoom(await look(env), params.roomId).name
  const id = `m-${env.context.world.random.id('t').slice(2)}`
  const content = redact(params.content)
  const [first = ''] = content.split('\n')
  const path = `rooms/${room}/memories/${fileSlugOf(oneLine(first).slice(0, 60)) || 'memory'}--${id}.md`
  const { principal } = actor
  const session = params.sessionId ?? (principal.kind === 'session' ? principal.id : undefined)
  const text = renderDocument(
    {
      type: params.type,
      ...(params.tags === undefined ? {} : { tags: params.tags }),
      ...(params.importance === undefined ? {} : { importance: params.importance }),
      neo: {
        id,
        created_at: isoNow(env),
        created_by: nameOf(principal),
        ...(session === undefined ? {} : { session }),
        ...(params.taskId === undefined ? {} : { task: params.taskId }),
      },
    },
    `${content}\n`,
  )
  const read = readMemory(path, text)
  if (read.kind !== 'ok')
    throw badParams(['content'], read.kind === 'bad' ? (read.problems[0]?.message ?? '') : read.why)
  const changes = [{ path, before: null, after: text }]
  const done = await commit(env, actor, { room, what: 'remember', says: first, event: 'remember', changes })
  if (done === 'lost') throw new HubError(HUB_CODES.busy, `Cannot keep it: ${path} is there already`)
  return viewMemory({ id, room, path, hash: '', memory: read.value, line: 1 })
}

export const memoryList = method({
  name: 'memory.list',
  says: 'Memories of a room, the newest first.',
  params: z.strictObject({ roomId: idText, type: type.optional(), limit: limit(1_000) }),
  result: z.array(memoryView),
  act: 'see',
  resource: async (env, { roomId }) => ({ room: findRoom(await look(env), roomId).name }),
  run: async (env, { roomId, type: only, limit: most = 100 }) =>
    memoriesOf(env, findRoom(await look(env), roomId).name)
      .filter(({ memory }) => only === undefined || memory.type === only)
      .toSorted((a, b) => ((a.memory.neo.createdAt ?? '') < (b.memory.neo.createdAt ?? '') ? 1 : -1))
      .slice(0, most)
      .map(viewMemory),
})

export const memoryDelete = method({
  name: 'memory.delete',
  says: 'Deletes a memory; git keeps what it was.',
  params: z.strictObject({ memoryId: idText }),
  result: z.null(),
  act: 'forget',
  resource: async (env, { memoryId }) => {
    const { room, memory } = await memoryOf(env, memoryId)
    return { room, author: memory.neo.createdBy ?? 'human' }
  },
  run: async (env, { memoryId }, actor) => {
    const { room, path, hash, id } = await memoryOf(env, memoryId)
    const changes = [{ path, before: hash, after: null }]
    const done = await commit(env, actor, { room, what: `forget ${id}`, event: 'forget', changes })
    if (done === 'lost')
      throw new HubError(HUB_CODES.busy, `Cannot delete "${id}": it is being edited just now`)
    return null
  },
})

async function memoryOf(env: HubEnv, id: string): Promise<MemoryAt> {
  for (const room of roomNames(await look(env))) {
    const found = memoriesOf(env, room).find((at) => at.id === id || at.path === id)
    if (found !== undefined) return found
  }
  throw missing('memory', id)
}

const hit = z.strictObject({
  score: z.number(),
  snippet: z.string(),
  /** `rooms/shop/memories/x.md:12` */
  source: z.string(),
  room: z.string(),
  memoryId: z.string(),
  type,
  tags: z.array(z.string()),
  createdAt: z.string().nullable(),
})

const searchParams = z.strictObject({
  roomId: idText.optional(),
  query: z.string().max(10_000),
  types: z.array(type).optional(),
  tags: z.array(word).optional(),
  from: z.string().optional(),
  to: z.string().optional(),
  limit: limit(100),
})

export const memorySearch = method({
  name: 'memory.search',
  says: 'Finds memories by words, in one room or in all that the caller sees. `from` and `to` are days or times.',
  params: searchParams,
  result: z.strictObject({ results: z.array(hit), total: z.number(), queryTimeMs: z.number() }),
  act: 'see',
  resource: async (env, { roomId }) => ({
    room: roomId === undefined ? null : findRoom(await look(env), roomId).name,
  }),
  run: async (env, params, { principal }) => {
    const began = env.context.world.clock.now()
    const rooms = await roomsFor(env, params.roomId, principal)
    const memories = rooms.flatMap((room) => memoriesOf(env, room)).filter((at) => fits(at, params))
    const hits = search(memories, params.query)
    const results = hits.slice(0, params.limit ?? 10).map(({ at, score, snippet, line }) => ({
      score,
      snippet,
      source: `${at.path}:${line}`,
      room: at.room,
      memoryId: at.id,
      type: at.memory.type,
      tags: [...at.memory.tags],
      createdAt: at.memory.neo.createdAt ?? null,
    }))
    return { results, total: hits.length, queryTimeMs: env.context.world.clock.now() - began }
  },
})

async function roomsFor(
  env: HubEnv,
  roomId: string | undefined,
  principal: Principal,
): Promise<readonly string[]> {
  const snapshot = await look(env)
  if (roomId !== undefined) return [findRoom(snapshot, roomId).name]
  const members = membersOf(env)
  return roomNames(snapshot).filter((room) => sees(principal, room, members))
}

function fits({ memory }: MemoryAt, { types, tags, from, to }: z.output<typeof searchParams>): boolean {
  const at = memory.neo.createdAt ?? ''
  if (types !== undefined && !types.includes(memory.type)) return false
  if (tags !== undefined && !tags.every((tag) => memory.tags.includes(tag))) return false
  if (from !== undefined && at < from) return false
  // A day alone means its end, too.
  return to === undefined || at <= `${to}\uffff`
}

function viewMemory({ id, room, path, memory }: MemoryAt): MemoryView {
  const { neo } = memory
  return {
    id,
    roomId: room,
    path,
    type: memory.type,
    content: memory.body,
    tags: [...memory.tags],
    importance: memory.importance,
    createdAt: neo.createdAt ?? null,
    createdBy: neo.createdBy ?? null,
    sessionId: neo.session ?? null,
    taskId: neo.task ?? null,
    source: neo.source ?? null,
  }
}
