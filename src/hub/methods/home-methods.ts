/** plan.get, usage.summary: what would be done now, what was used. */
import { z } from 'zod'
import { summaryOf } from '../../domain/budget/usage-sum.ts'
import { plan } from '../../domain/plan/plan.ts'
import { LOBBY } from '../../domain/policy/policy.ts'
import type { Principal } from '../../domain/policy/policy-acts.ts'
import { gatherFacts } from '../../engine/snapshot/facts.ts'
import { instantOf } from '../../files/values/times.ts'
import { look, method } from '../env.ts'
import { badParams } from '../hub.ts'
import { answersMember, findRoom } from '../views/find-in-home.ts'
import { onlyRoom, since, until } from '../views/shapes.ts'

const text = z.string()

export const planGet = method({
  name: 'plan.get',
  summary: 'Show what Neo would do now',
  details: 'And what each waiting task waits for. Look here if a task does not start.',
  tool: { effect: 'reads' },
  params: z.strictObject({}),
  result: z.strictObject({
    decisions: z.array(z.strictObject({ kind: text, path: text.nullable(), sessionId: text.nullable() })),
    waiting: z.array(z.strictObject({ path: text, on: text })),
    wakeAt: text.nullable(),
  }),
  act: 'see-home',
  resource: async () => ({ room: null }),
  run: async (env) => {
    const snapshot = await look(env)
    const facts = await gatherFacts(env.context, snapshot)
    const made = plan(snapshot, facts, env.context.world.clock.now())
    return {
      decisions: made.decisions.map((decision) => ({
        kind: decision.kind,
        path: 'path' in decision ? decision.path : null,
        sessionId: 'session' in decision ? decision.session : null,
      })),
      waiting: made.waiting.map(({ path, on }) => ({ path, on })),
      wakeAt: made.wakeAt === null ? null : new Date(made.wakeAt).toISOString(),
    }
  },
})

const sum = {
  calls: z.number(),
  tokens: z.number(),
  input: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  output: z.number(),
  usd: z.number().nullable(),
  knownUsd: z.number(),
  unpricedCalls: z.number(),
  estimatedCalls: z.number(),
}

export const usageSummary = method({
  name: 'usage.summary',
  summary: 'Get token usage and cost',
  details: 'By day, room, model or session. `usd` is null if a price is not known.',
  tool: { effect: 'reads' },
  params: z.strictObject({
    by: z.enum(['day', 'room', 'model', 'session']).default('day').describe('What each row sums up'),
    roomId: onlyRoom,
    from: since,
    to: until,
  }),
  result: z.strictObject({
    by: z.enum(['day', 'room', 'model', 'session']),
    rows: z.array(z.strictObject({ name: text.nullable(), ...sum })),
    total: z.strictObject(sum),
    unpricedModels: z.array(text),
  }),
  act: 'see',
  resource: async (env, { roomId }) => ({
    room: roomId === undefined ? null : findRoom(await look(env), roomId).name,
  }),
  run: async (env, { by, roomId, from, to }, { principal }) => {
    const snapshot = await look(env)
    const zone = snapshot.config.timezone
    const only = roomId === undefined ? ownRoom(principal) : findRoom(snapshot, roomId).name
    const filter = { ...spanOf({ from, to }, zone), ...(only === undefined ? {} : { room: only }) }
    const { rows, total, unpricedModels } = summaryOf(env.usage.calls(filter), by, zone)
    return { by, rows: [...rows], total, unpricedModels: [...unpricedModels] }
  },
})

/** Without a room: the whole home for those who see it, else the caller's own. */
function ownRoom(principal: Principal): string | undefined {
  if (principal.kind === 'member' || answersMember(principal))
    throw badParams(['roomId'], 'members have to name a room')
  if (principal.kind !== 'neo' && principal.kind !== 'session') return undefined
  return principal.room === LOBBY ? undefined : principal.room
}

/** Days are meant whole. */
function spanOf({ from, to }: { from: string | undefined; to: string | undefined }, zone: string) {
  const since = from === undefined ? undefined : instant('from', from, zone)
  const until = to === undefined ? undefined : instant('to', to.length === 10 ? nextDay(to) : to, zone)
  return { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) }
}

function instant(key: string, value: string, zone: string): number {
  const at = instantOf(value, zone)
  if (at === null) throw badParams([key], `"${value}" is not a day or time`)
  return Date.parse(at)
}

function nextDay(day: string): string {
  const ms = Date.parse(`${day}T00:00:00Z`)
  return Number.isNaN(ms) ? day : new Date(ms + 86_400_000).toISOString().slice(0, 10)
}
