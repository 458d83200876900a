/**
 * room.create, list, get, update, archive, pause, resume: what ROOM.md of a room says, and changing it. Invariant 1: an
 * update that would not read back as a room is refused, and the file stays.
 */
import { firstReason } from '../../domain/home/problem.ts'
import { z } from 'zod'
import { ROOM_STATUSES, type RoomStatus } from '../../domain/room/room.ts'
import type { Snapshot } from '../../domain/plan/snapshot.ts'
import { REVIEWS } from '../../domain/task/task.ts'
import type { Resource } from '../../domain/policy/policy-acts.ts'
import { editDocument, renderDocument } from '../../files/edit/edit-header.ts'
import { readRoom } from '../../files/kinds/read-room.ts'
import { isRoomName, newRoomFiles } from '../../engine/commit/new-room.ts'
import { textAt } from '../../engine/commit/transact.ts'
import { type Actor, type HubEnv, isoNow, look } from '../env.ts'
import { findRoom, type RoomAt, roomAt, roomNames, sees } from '../views/find-in-home.ts'
import { HUB_CODES, HubError } from '../hub.ts'
import { keysOf, patchOf } from '../changes/keys.ts'
import { membersOf } from '../rights/member-rules.ts'
import { method } from '../method.ts'
import { sessionIds } from '../views/sessions-at.ts'
import { bodyText, roomParams, type RoomView, roomView, titleText } from '../views/shapes.ts'
import { workerText } from '../changes/task-text.ts'
import { updatedAt } from '../views/updated-at.ts'
import { viewRoom } from '../views/views.ts'
import { badParams, commit } from '../changes/compare-and-write.ts'

const line = z.string().trim().min(1).max(1_000)
const lines = z.array(line).max(100)
const money = z.number().min(0).nullish()

/** Refused for everybody, with a word of policy instead of "unknown key". */
const fixed = {
  id: z.unknown().optional(),
  roomId: z.unknown().optional(),
  sessionIds: z.unknown().optional(),
  neo: z.unknown().optional(),
}
const roomUpdates = z.strictObject({
  name: titleText.optional(),
  description: z.string().max(2_000).nullish(),
  status: z.enum(ROOM_STATUSES).optional(),
  instructions: bodyText.optional(),
  defaultWorkspace: line.nullish(),
  defaultModel: line.nullish(),
  base: line.nullish(),
  worker: workerText.nullish(),
  orchestrator: z.enum(['auto', 'off']).nullish(),
  review: z.enum(REVIEWS).nullish(),
  verify: lines.nullish(),
  concurrency: z.int().min(1).max(1000).nullish(),
  budget: z
    .strictObject({ usdPerDay: money, usdPerTask: money, tokensPerTask: money, turnsPerTask: money })
    .nullish(),
  permissions: z.record(line, z.union([z.enum(['allow', 'ask', 'deny']), lines])).nullish(),
  setup: lines.nullish(),
  cleanup: lines.nullish(),
  env: lines.nullish(),
  envFiles: lines.nullish(),
  hooks: z.enum(['on', 'off']).nullish(),
  notify: lines.nullish(),
  approvers: lines.nullish(),
  mcpServers: z.record(line, z.unknown()).nullish(),
  keep: z.int().min(0).nullish(),
  ...fixed,
})
const FILE_KEYS = { defaultWorkspace: 'workspace', defaultModel: 'model' }

export const roomCreate = method({
  name: 'room.create',
  says: 'Makes a room. `name` is its folder: letters, digits, dashes, dots and underscores.',
  params: z.strictObject({
    name: line.refine(isRoomName, {
      error: 'want letters, digits, dashes, dots and underscores, a letter or digit first, at most 80 bytes',
    }),
    description: z.string().max(2_000).optional(),
    defaultWorkspace: line.optional(),
    defaultModel: line.optional(),
    worker: workerText.optional(),
    template: line.optional(),
    instructions: bodyText.optional(),
  }),
  result: roomView,
  act: 'make-room',
  resource: async (_env, params) => ({
    room: null,
    sets: keysOf(params).filter((key) => key !== 'template'),
  }),
  run: async (env, { name, template, instructions, ...given }, actor) => {
    const snapshot = await look(env)
    const twin = [...snapshot.rooms.keys()].find((one) => one.toLowerCase() === name.toLowerCase())
    if (twin !== undefined) throw badParams(['name'], `the room ${twin} is there already`)
    const { home, world } = env.context
    const files = newRoomFiles(home, world.files, {
      name,
      template: template ?? null,
      set: defined(patchOf(given, FILE_KEYS)),
      neo: { id: world.random.id('r'), created_at: isoNow(env) },
      ...(instructions === undefined ? {} : { body: instructions }),
    })
    const changes = files.map(({ path, text }) => ({ path, before: null, after: text }))
    const done = await commit(env, actor, {
      room: name,
      what: `create room ${name}`,
      event: 'create-room',
      changes,
    })
    if (done === 'lost') throw badParams(['name'], `rooms/${name}/ROOM.md is there already`)
    return shown(env, await look(env), name)
  },
})

function defined<V>(keys: Readonly<Record<string, V | undefined>>): Record<string, V> {
  return Object.fromEntries(
    Object.entries(keys).filter((entry): entry is [string, V] => entry[1] !== undefined),
  )
}

export const roomList = method({
  name: 'room.list',
  says: 'All rooms that the caller sees, in order of their names.',
  params: z.strictObject({ includeArchived: z.boolean().optional() }),
  result: z.array(roomView),
  act: 'see',
  resource: async () => ({ room: null }),
  run: async (env, { includeArchived }, { principal }) => {
    const snapshot = await look(env)
    const members = membersOf(env)
    return roomNames(snapshot)
      .filter((name) => sees(principal, name, members))
      .map((name) => roomAt(snapshot, name))
      .filter(({ room }) => includeArchived === true || room.status !== 'archived')
      .map((room) => viewRoom(room, { sessionIds: sessionIds(env, room.name), updatedAt: null }))
  },
})

async function seen(env: HubEnv, { roomId }: { readonly roomId: string }): Promise<Resource> {
  return { room: findRoom(await look(env), roomId).name }
}

export const roomGet = method({
  name: 'room.get',
  says: 'One room.',
  params: roomParams,
  result: roomView,
  act: 'see',
  resource: seen,
  run: async (env, { roomId }) => {
    const snapshot = await look(env)
    return shown(env, snapshot, findRoom(snapshot, roomId).name)
  },
})

export const roomUpdate = method({
  name: 'room.update',
  says: 'Changes fields of a room; null takes a field out. A model may set name, description, concurrency and keep.',
  params: z.strictObject({ roomId: roomParams.shape.roomId, updates: roomUpdates }),
  result: roomView,
  act: 'change-room',
  resource: async (env, { roomId, updates }) => ({
    room: findRoom(await look(env), roomId).name,
    sets: keysOf(updates),
  }),
  run: async (env, { roomId, updates }, actor) => {
    const { instructions, id: _id, roomId: _room, sessionIds: _sessions, neo: _neo, ...header } = updates
    return change(env, actor, {
      roomId,
      set: patchOf(header, FILE_KEYS),
      body: instructions,
      verb: 'update room',
    })
  },
})

export const roomArchive = statusMethod('room.archive', 'Archives a room: nothing starts in it.', 'archived')
export const roomPause = statusMethod('room.pause', 'Pauses a room: nothing new starts in it.', 'paused')
export const roomResume = statusMethod('room.resume', 'Lets a paused or archived room work again.', 'active')

function statusMethod<const N extends string>(name: N, says: string, status: RoomStatus) {
  return method({
    name,
    says,
    params: roomParams,
    result: roomView,
    act: 'change-room',
    resource: async (env, params) => ({ ...(await seen(env, params)), sets: ['status'] }),
    run: (env, { roomId }, actor) =>
      change(env, actor, { roomId, set: { status }, body: undefined, verb: `set ${status}: room` }),
  })
}

interface Change {
  readonly roomId: string
  readonly set: ReturnType<typeof patchOf>
  readonly body: string | undefined
  readonly verb: string
}

const ROUNDS = 4

async function change(env: HubEnv, actor: Actor, of: Change): Promise<RoomView> {
  for (let round = 0; round < ROUNDS; round++) {
    const snapshot = await look(env)
    const at = findRoom(snapshot, of.roomId)
    const text = at.file === null ? '' : textAt(env.context, at.file.path, at.file.hash)
    if (text === null) continue
    const path = at.file?.path ?? `rooms/${at.name}/ROOM.md`
    const after = edited(env, at, { text, change: of })
    if (after === text) return shown(env, snapshot, at.name)
    const read = readRoom(path, after, at.name)
    if (read.kind !== 'ok')
      throw badParams(['updates'], read.kind === 'bad' ? (firstReason(read.problems) ?? 'no room') : read.why)
    const done = await commit(env, actor, {
      room: at.name,
      what: `${of.verb} ${at.name}`,
      event: 'update-room',
      changes: [{ path, before: at.file?.hash ?? null, after }],
    })
    if (done === 'done') return shown(env, await look(env), at.name)
  }
  throw new HubError(
    HUB_CODES.busy,
    `Cannot change the room "${of.roomId}": its file is being edited just now`,
  )
}

/** A folder without ROOM.md gets one. */
function edited(env: HubEnv, { name, file }: RoomAt, of: { text: string; change: Change }): string {
  const { set, body } = of.change
  const neo = { id: env.context.world.random.id('r'), created_at: isoNow(env) }
  if (file === null) return renderDocument({ name, ...defined(set), neo }, body ?? '')
  const patch = { set, ...(file.room.neo.id === undefined ? { neo } : {}) }
  return editDocument(of.text, { ...patch, ...(body === undefined ? {} : { body }) })
}

async function shown(env: HubEnv, snapshot: Snapshot, name: string): Promise<RoomView> {
  const at = roomAt(snapshot, name)
  const committed = at.file === null ? null : await updatedAt(env, snapshot, at.file.path)
  return viewRoom(at, { sessionIds: sessionIds(env, name), updatedAt: committed })
}
