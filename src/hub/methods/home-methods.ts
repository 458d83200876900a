/** plan.get, usage.summary: what would be done now, what was used. */
import { z } from 'zod'
import { dayBounds } from '../../domain/budget/usage-sum.ts'
import { usageTable } from '../../domain/budget/usage-table.ts'
import { plan } from '../../domain/plan/plan.ts'
import { LOBBY } from '../../domain/policy/policy.ts'
import type { Principal } from '../../domain/policy/policy-acts.ts'
import { gatherFacts } from '../../engine/snapshot/facts.ts'
import { instantOf, isDate } from '../../files/values/times.ts'
import { type Actor, type HubEnv, look, method, type Shown } from '../env.ts'
import { aboutHome, aboutOnlyRoom, listedRooms } from '../views/about.ts'
import { badParams } from '../hub.ts'
import { answersMember, findRoom } from '../views/find-in-home.ts'
import { runsIn } from '../views/runs.ts'
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
  resource: aboutHome,
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
  runs: z.number().describe('Runs of workers that started'),
  failed: z.number().describe('Those of them that failed'),
  durationMs: z.number().nullable().describe('The median of those that ended'),
}
const named = { name: text.nullable().describe('Null for what belongs to no room, model or session'), ...sum }
const by = z.enum(['day', 'room', 'model', 'session'])

const asked = z.strictObject({
  by: by.default('day').describe('What each row sums up'),
  split: z.enum(['room', 'model']).optional().describe('Splits each row into parts as well'),
  roomId: onlyRoom,
  from: since,
  to: until,
  days: z.int().min(1).max(366).optional().describe('The last days, with today; instead of `from`'),
})
const summary = z.strictObject({
  by,
  zone: text.describe('Days are days of this time zone'),
  rows: z.array(z.strictObject({ ...named, parts: z.array(z.strictObject(named)) })),
  total: z.strictObject(sum),
  unpricedModels: z.array(text),
})

export const usageSummary = method({
  name: 'usage.summary',
  summary: 'Get token usage, cost and runs',
  details:
    'By day, room, model or session, of the rooms that you may see. `usd` is null if a price is not known. A run counts on the day of its start; of runs whose session file was removed, the last one of each task counts.',
  tool: { effect: 'reads' },
  params: asked,
  result: summary,
  act: 'see',
  resource: aboutOnlyRoom,
  run: summaryFor,
})

async function summaryFor(
  env: HubEnv,
  { by, split, roomId, from, to, days }: z.output<typeof asked>,
  { principal }: Actor,
): Promise<Shown<z.input<typeof summary>>> {
  const snapshot = await look(env)
  const zone = snapshot.config.timezone
  const only = roomId === undefined ? null : findRoom(snapshot, roomId).name
  const isSeen = listedRooms(env, snapshot, { roomId, principal })
  const first = days === undefined ? {} : { since: dayBefore(days - 1, env.context.world.clock.now(), zone) }
  const span = { ...spanOf({ from, to }, zone), ...first }
  const calls = env.usage
    .calls({ ...span, ...(only === null ? {} : { room: only }) })
    .filter(({ room }) => (room === null ? seesHome(principal) : isSeen(room)))
  const called = by === 'session' ? new Set(calls.map(({ session }) => session)) : null
  const runs = runsIn(env, snapshot, isSeen).filter(
    ({ at, session }) => isIn(span, Date.parse(at)) && (called === null || called.has(session)),
  )
  const { rows, total } = usageTable(calls, runs, { by, split: split ?? null, zone })
  const unpriced = new Set(calls.flatMap(({ model, usd }) => (usd === null ? [model] : [])))
  return { by, zone, rows, total, unpricedModels: [...unpriced].sort() }
}

/** Calls in no room: not for those who see some rooms only. */
function seesHome(principal: Principal): boolean {
  if (principal.kind === 'neo') return principal.room === LOBBY && !answersMember(principal)
  return principal.kind === 'human' || principal.kind === 'editor'
}

function isIn({ since, until }: ReturnType<typeof spanOf>, at: number): boolean {
  return (since === undefined || at >= since) && (until === undefined || at < until)
}

/** When the day began that was so many days ago. */
function dayBefore(days: number, now: number, zone: string): number {
  const noon = dayBounds(now, zone).from + DAY_MS / 2
  return dayBounds(noon - days * DAY_MS, zone).from
}

const DAY_MS = 86_400_000

function spanOf({ from, to }: { from: string | undefined; to: string | undefined }, zone: string) {
  const since = from === undefined ? undefined : instant('from', from, zone)
  const until = to === undefined ? undefined : endOf('to', to, zone)
  return { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) }
}

/** Epoch ms. Throws HubError `params`. */
export function instant(key: string, value: string, zone: string): number {
  const at = instantOf(value, zone)
  if (at === null) throw badParams([key], `"${value}" is not a day or time`)
  return Date.parse(at)
}

/** A day is meant whole: when the next one begins. */
export function endOf(key: string, value: string, zone: string): number {
  const ms = isDate(value) ? Date.parse(`${value}T00:00:00Z`) + DAY_MS : Number.NaN
  return instant(key, Number.isNaN(ms) ? value : new Date(ms).toISOString().slice(0, 10), zone)
}
