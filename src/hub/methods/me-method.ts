/** me.get: who calls, and what they may do, so that a page offers only what works. */
import { z } from 'zod'
import { ACTS } from '../../domain/policy/policy-acts.ts'
import { REACHING, type WorkerKind } from '../../domain/task/task.ts'
import { decide } from '../../domain/policy/policy.ts'
import { auditedAs, look, method, personOf } from '../env.ts'
import { aboutHome } from '../views/about.ts'

import { membersOf, rulesFor } from '../rights/member-rules.ts'
import { roomNames, sees } from '../views/find-in-home.ts'

const acts = z.array(z.enum(ACTS))

export const meGet = method({
  name: 'me.get',
  summary: 'Get who you are and what you may do',
  details:
    'A permission here means that the call is not refused outright; some calls also depend on what they change.',
  params: z.strictObject({}),
  result: z.strictObject({
    who: z.string().describe('`human` for the owner, `member:ID`, …'),
    name: z.string(),
    home: acts.describe('Permissions in the home as a whole'),
    rooms: z.record(z.string(), acts).describe('Permissions by room'),
    withCommands: z
      .record(z.string(), acts)
      .describe('Permissions by room for tasks that run commands, such as with `worker: shell`'),
    commandRooms: z
      .array(z.string())
      .describe('Rooms whose tasks run commands unless they name another worker'),
    role: z.string().nullable().describe('Of a member; null for everybody else'),
  }),
  act: 'see',
  resource: aboutHome,
  run: async (env, _params, actor) => {
    const { principal } = actor
    const snapshot = await look(env)
    const allowed = (room: string | null, worker?: string) => {
      const resource = { room, ...(worker === undefined ? {} : { worker }) }
      const on = { resource, rules: rulesFor(env, snapshot, room) }
      return ACTS.filter((act) => decide(principal, act, on).effect !== 'deny')
    }
    const members = membersOf(env)
    const rooms = roomNames(snapshot).filter((room) => sees(principal, room, members))
    return {
      who: auditedAs(principal),
      name: personOf(env, actor),
      home: allowed(null),
      rooms: Object.fromEntries(rooms.map((room) => [room, allowed(room)])),
      withCommands: Object.fromEntries(rooms.map((room) => [room, allowed(room, 'shell')])),
      commandRooms: rooms.filter((room) => runsCommands(snapshot.rooms.get(room)?.room.worker?.kind)),
      role: principal.kind === 'member' ? (members.get(principal.id)?.role ?? null) : null,
    }
  },
})

function runsCommands(kind: WorkerKind = 'agent'): boolean {
  return REACHING.includes(kind)
}
