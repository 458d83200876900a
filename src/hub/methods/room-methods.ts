/**
 * room.create, list, get, update, archive, pause, resume: what ROOM.md of a room says, and changing it. Invariant 1: an
 * update that would not read back as a room is refused, and the file stays.
 */

import { z } from 'zod'
import type { Snapshot } from '../../domain/plan/snapshot.ts'
import type { RoomStatus } from '../../domain/room/room.ts'
import { isRoomName, newRoomFiles } from '../../engine/commit/new-room.ts'
import { textAt } from '../../engine/commit/transact.ts'
import { editDocument, type Keys, renderDocument } from '../../files/edit/edit-header.ts'
import { readRoom, roomShape } from '../../files/kinds/read-room.ts'
import { commit } from '../changes/compare-and-write.ts'
import { badText, defined, headerInputs, keysOf, refuseUnknown } from '../changes/header-inputs.ts'
import { type Actor, type HubEnv, isoNow, look, method } from '../env.ts'
import { aboutHome, aboutRoom } from '../views/about.ts'
import { badParams, HUB_CODES, HubError } from '../hub.ts'
import { membersOf } from '../rights/member-rules.ts'
import {
  findRoom,
  type RoomAt,
  roomAt,
  roomNames,
  sees,
  sessionIds,
  updatedAt,
} from '../views/find-in-home.ts'
import {
  bodyText,
  lineText,
  type RoomView,
  roomId,
  roomParams,
  roomView,
  titleText,
} from '../views/shapes.ts'
import { viewRoom } from '../views/views.ts'

const inputs = headerInputs(roomShape, {
  not: ['name', 'neo'],
  names: { workspace: 'defaultWorkspace', model: 'defaultModel' },
})

/** Refused by policy with its reason, instead of as unknown parameters. */
const fixed = {
  id: z.unknown().optional(),
  roomId: z.unknown().optional(),
  sessionIds: z.unknown().optional(),
  neo: z.unknown().optional(),
}
const INSTRUCTIONS = 'Instructions for all tasks of the room, in markdown'
const roomUpdates = z.strictObject({
  name: titleText.optional().describe('The name that people see; the folder keeps its own'),
  instructions: bodyText.optional().describe(INSTRUCTIONS),
  ...inputs.nullable,
  ...fixed,
})

const { description, defaultWorkspace, defaultModel, worker } = inputs.fields

export const roomCreate = method({
  name: 'room.create',
  summary: 'Create a room',
  details:
    '`name` becomes the name of its folder. If a model sets anything but `name` and `description`, a person has to approve it.',
  tool: { effect: 'adds' },
  params: z.strictObject({
    name: lineText
      .refine(isRoomName, {
        error:
          'want letters, digits, dashes, dots and underscores, a letter or digit first, at most 80 bytes',
      })
      .describe('Letters, digits, dashes, dots and underscores; a letter or digit first'),
    description,
    defaultWorkspace,
    defaultModel,
    worker,
    template: lineText.optional().describe('A folder in `templates/rooms/` to start from'),
    instructions: bodyText.optional().describe(INSTRUCTIONS),
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
    if (twin !== undefined) throw badParams(['name'], `the room ${twin} already exists`)
    const { home, world } = env.context
    const files = newRoomFiles(home, world.files, {
      name,
      template: template ?? null,
      set: defined(inputs.header(given)),
      neo: { id: world.random.id('r'), created_at: isoNow(env) },
      ...(instructions === undefined ? {} : { body: instructions }),
    })
    const read = readRoom(files[0].path, files[0].text, name)
    if (read.kind === 'ok')
      refuseUnknown(env, 'room', { room: name, snapshot, before: undefined, after: read.value })
    const changes = files.map(({ path, text }) => ({ path, before: null, after: text }))
    const done = await commit(env, actor, {
      room: name,
      what: `create room ${name}`,
      event: 'create-room',
      changes,
    })
    if (done === 'lost') throw badParams(['name'], `rooms/${name}/ROOM.md already exists`)
    return shown(env, await look(env), name)
  },
})

export const roomList = method({
  name: 'room.list',
  summary: 'List rooms',
  details:
    'Sorted by name. A room is a lasting area of work with its own tasks, memories and settings. The room `lobby` oversees the others.',
  tool: { effect: 'reads', list: 'rooms' },
  params: z.strictObject({ includeArchived: z.boolean().optional().describe('Archived rooms too') }),
  result: z.array(roomView),
  act: 'see',
  resource: aboutHome,
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

export const roomGet = method({
  name: 'room.get',
  summary: 'Get a room',
  params: roomParams,
  result: roomView,
  act: 'see',
  resource: aboutRoom,
  run: async (env, { roomId }) => {
    const snapshot = await look(env)
    return shown(env, snapshot, findRoom(snapshot, roomId).name)
  },
})

export const roomUpdate = method({
  name: 'room.update',
  summary: 'Update a room',
  details:
    '`null` removes a field. A model can set `name`, `description`, `concurrency` and `keep`; anything else, a person has to approve.',
  tool: { effect: 'changes' },
  params: z.strictObject({ roomId, updates: roomUpdates.describe('The fields to set') }),
  result: roomView,
  act: 'change-room',
  resource: async (env, { roomId, updates }) => ({
    ...(await aboutRoom(env, { roomId })),
    sets: keysOf(updates),
  }),
  run: async (env, { roomId, updates }, actor) => {
    const { instructions, id: _id, roomId: _room, sessionIds: _sessions, neo: _neo, ...header } = updates
    return change(env, actor, {
      roomId,
      set: inputs.header(header),
      body: instructions,
      verb: 'update room',
    })
  },
})

export const roomArchive = statusMethod('room.archive', 'archived', {
  summary: 'Archive a room',
  details: 'Nothing starts in it, and `room.list` leaves it out.',
})
export const roomPause = statusMethod('room.pause', 'paused', {
  summary: 'Pause a room',
  details: 'Nothing new starts in it.',
})
export const roomResume = statusMethod('room.resume', 'active', {
  summary: 'Resume a room',
  details: 'For a paused or archived room.',
})

function statusMethod<const N extends string>(
  name: N,
  status: RoomStatus,
  says: { readonly summary: string; readonly details: string },
) {
  return method({
    name,
    ...says,
    params: roomParams,
    result: roomView,
    act: 'change-room',
    resource: async (env, params) => ({ ...(await aboutRoom(env, params)), sets: ['status'] }),
    run: (env, { roomId }, actor) =>
      change(env, actor, { roomId, set: { status }, body: undefined, verb: `set ${status}: room` }),
  })
}

interface Change {
  readonly roomId: string
  readonly set: Keys
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
    if (read.kind !== 'ok') throw badText(['updates'], read)
    refuseUnknown(env, 'room', { room: at.name, snapshot, before: at.room, after: read.value })
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
    `Cannot change the room "${of.roomId}": its file is being edited; try again in a moment`,
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
