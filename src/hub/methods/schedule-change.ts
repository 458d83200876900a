/**
 * schedule.update and schedule.delete: changing what is to be done again and again, by its file. Invariant 1: only the
 * lines of the keys that are set change; what would not be read again is not written. Invariant 2: what a schedule makes
 * runs as its author wrote it, so a model does not rewrite the user's.
 */

import { z } from 'zod'
import type { Resource } from '../../domain/policy/policy-acts.ts'
import { cronFields } from '../../engine/snapshot/schedules.ts'
import { editDocument } from '../../files/edit/edit-header.ts'
import { readSchedule, type Schedule } from '../../files/kinds/read-schedule.ts'
import { commit } from '../changes/compare-and-write.ts'
import { asBody, badText, keysOf } from '../changes/header-inputs.ts'
import { type Actor, type HubEnv, look, method } from '../env.ts'
import { findRoom, missing } from '../views/find-in-home.ts'
import { type ScheduleView, scheduleView } from '../views/schedule-view.ts'
import { bodyText, roomId } from '../views/shapes.ts'
import { scheduleAt, scheduleInputs, scheduleName, setsOf, viewWritten } from './schedule-methods.ts'

interface Found {
  readonly room: string
  readonly name: string
  readonly path: string
  readonly hash: string
  readonly text: string
  /** Null if it does not read now. */
  readonly schedule: Schedule | null
}

interface Asked {
  readonly roomId: string
  readonly name: string
}

/** Throws HubError `missing`. */
async function found(env: HubEnv, { roomId, name }: Asked): Promise<Found> {
  const room = findRoom(await look(env), roomId).name
  const at = scheduleAt(env, room, name)
  if (at === null) throw missing('schedule', name)
  const { path, bytes, schedule } = at
  return {
    room,
    name,
    path,
    hash: env.context.world.git.blobId(bytes),
    text: bytes.toString('utf8'),
    schedule,
  }
}

function about({ room, schedule }: Found, sets: readonly string[]): Resource {
  return { room, sets, author: schedule?.neo.createdBy ?? 'human', worker: 'shell' }
}

const { cron, every, at, timezone, catchUp, overlap } = scheduleInputs.nullable
const updates = z.strictObject({
  content: bodyText.optional().describe('Markdown: the task or the message'),
  status: z.enum(['active', 'paused']).optional(),
  ...{ cron, every, at, timezone, catchUp, overlap },
})

export const scheduleUpdate = method({
  name: 'schedule.update',
  summary: 'Update a schedule',
  details: 'When it runs, what it creates, whether it is paused. `null` removes a field.',
  params: z.strictObject({ roomId, name: scheduleName, updates: updates.describe('The fields to set') }),
  result: scheduleView,
  act: 'change-task',
  // Whatever is set of it changes what will be made under its author's name.
  resource: async (env, asked, principal) => {
    const at = await found(env, asked)
    if (keysOf(asked.updates).length === 0) return about(at, [])
    const { at: once, status, ...rest } = asked.updates
    const isPause = status === 'paused' && Object.keys(rest).length === 0
    const recurs =
      at.schedule?.when.kind !== 'at' || typeof rest.cron === 'string' || typeof rest.every === 'string'
    const how = recurs && !isPause && typeof once !== 'string' ? 'recurs' : 'once'
    return about(at, setsOf(at.schedule?.kind ?? 'task', principal, how))
  },
  run: async (env, { updates: given, ...asked }, actor) => update(env, actor, { asked, given }),
})

async function update(
  env: HubEnv,
  actor: Actor,
  { asked, given }: { readonly asked: Asked; readonly given: z.output<typeof updates> },
): Promise<ScheduleView> {
  const { content, ...header } = given
  const at = await found(env, asked)
  const body = asBody(content)
  const after = editDocument(at.text, {
    set: scheduleInputs.header(header),
    ...(body === undefined ? {} : { body }),
  })
  const read = readSchedule(at.path, after, cronFields)
  if (read.kind !== 'ok') throw badText(['updates'], read)
  if (after !== at.text) await write(env, actor, { at, after, verb: 'change' })
  return await viewWritten(env, { ...at, schedule: read.value }, actor)
}

export const scheduleDelete = method({
  name: 'schedule.delete',
  summary: 'Delete a schedule',
  details: 'Tasks that it created stay. Git keeps the history of the file.',
  params: z.strictObject({ roomId, name: scheduleName }),
  result: z.strictObject({ path: z.string() }),
  act: 'delete-task',
  resource: async (env, asked) => about(await found(env, asked), []),
  run: async (env, asked, actor) => {
    const at = await found(env, asked)
    await write(env, actor, { at, after: null, verb: 'delete' })
    return { path: at.path }
  },
})

interface Written {
  readonly at: Found
  readonly after: string | null
  readonly verb: 'change' | 'delete'
}

async function write(env: HubEnv, actor: Actor, { at, after, verb }: Written): Promise<void> {
  await commit(env, actor, {
    room: at.room,
    what: `${verb} schedule ${at.name}`,
    event: 'schedule',
    changes: [{ path: at.path, before: at.hash, after }],
    lost: `Cannot ${verb} the schedule "${at.name}": it is being edited; try again in a moment`,
  })
}
