/**
 * Whether a model may be called once more. Invariant 1: spending more never turns a refusal into an approval.
 * Invariant 2: tokens without a price count against a USD limit at the highest known output price. The rest of the
 * limit becomes a number of tokens, and `note` says so.
 */
import type { HomeConfig } from '../home/home-config.ts'
import type { Room } from '../room/room.ts'
import type { Task } from '../task/task.ts'
import { wholeBillionths } from './price.ts'
import { settingsOf } from '../task/task-settings.ts'
import { amountText, dayBounds, tokensOf, type UsageSum } from './usage-sum.ts'

export type BudgetOwner = 'task' | 'room' | 'home'
export type BudgetUnit = 'usd' | 'tokens' | 'turns' | 'time'

export interface Limit {
  /** Who set it: `tokens_per_task` belongs to the room although it limits a task. */
  readonly which: BudgetOwner
  readonly what: BudgetUnit
  /** What counts against it: everything that the task has used, or what its owner has used today. */
  readonly per: 'task' | 'day'
  /** USD, tokens, turns or milliseconds; reached when this much is spent. */
  readonly limit: number
}

export interface Spent {
  /** Of the calls that have a price. */
  readonly usd: number
  readonly unpricedTokens: number
  readonly tokens: number
  readonly turns: number
  /** Wall time of the running session without waiting for people. */
  readonly ms: number
}

export interface BudgetQuestion {
  readonly limits: readonly Limit[]
  /** `task`: in total; `room` and `home`: today, in the zone of the home. */
  readonly spent: Readonly<Record<BudgetOwner, Spent>>
  /** Epoch ms. */
  readonly at: number
  readonly timezone: string
  /** USD per million tokens, from `dearestOutput`. */
  readonly dearest: number
  /** Reference of the model to call if its price is unknown, to warn before it costs. */
  readonly unpriced?: string
}

export interface Breach {
  readonly ok: false
  readonly which: BudgetOwner
  readonly what: BudgetUnit
  readonly per: Limit['per']
  readonly limit: number
  readonly spent: number
  /** ISO 8601 UTC of the next local midnight for limits of a day, else null: a person has to raise it. */
  readonly resetsAt: string | null
  readonly note: string | null
}

export type BudgetAnswer = { readonly ok: true; readonly note: string | null } | Breach

export const NOTHING_SPENT: Spent = { usd: 0, unpricedTokens: 0, tokens: 0, turns: 0, ms: 0 }

/** A sum of the ledger as something spent; a call is a turn. */
export function spentOf(sum: UsageSum, ms = 0): Spent {
  const { knownUsd: usd, unpricedTokens, calls: turns } = sum
  return { usd, unpricedTokens, tokens: tokensOf(sum), turns, ms }
}

/** The limits of a task: its own keys, else those of its room per task; and the daily limits of room and home. */
export function limitsOf(task: Task | null, room: Room | null, config: HomeConfig): readonly Limit[] {
  const ofTask = task === null ? [] : taskLimits(task, room, config)
  return [
    ...ofTask,
    ...limit('room', 'usd', room?.budget?.usdPerDay),
    ...limit('home', 'usd', config.budget.usdPerDay),
    ...limit('home', 'tokens', config.budget.tokensPerDay),
  ]
}

function taskLimits(task: Task, room: Room | null, config: HomeConfig): readonly Limit[] {
  const time = settingsOf(task, room, config).timeoutMs
  const own = (['usd', 'tokens', 'turns'] as const).flatMap((what): readonly Limit[] => {
    const [mine, rooms] = [task.budget?.[what], room?.budget?.[what]]
    if (mine !== undefined) return [{ which: 'task', what, per: 'task', limit: mine }]
    return rooms === undefined ? [] : [{ which: 'room', what, per: 'task', limit: rooms }]
  })
  return [...own, { which: 'task', what: 'time', per: 'task', limit: time }]
}

function limit(which: BudgetOwner, what: BudgetUnit, most: number | undefined): readonly Limit[] {
  return most === undefined ? [] : [{ which, what, per: 'day', limit: most }]
}

/** The first limit that is reached; those of the task come first, because they don't reset. */
export function checkBudget(question: BudgetQuestion): BudgetAnswer {
  const limits = [...question.limits].sort((a, b) => RANK[a.per] - RANK[b.per])
  const measures = limits.map((one) => measured(one, question))
  const reached = measures.find(({ spent, limit: most }) => spent >= most)
  const note = reached === undefined ? tightestNote(measures) : reached.note
  if (reached === undefined) return { ok: true, note }
  const { which, what, per, limit: most, spent } = reached
  const resetsAt = per === 'day' ? isoOf(dayBounds(question.at, question.timezone).to) : null
  return { ok: false, which, what, per, limit: most, spent, resetsAt, note }
}

const RANK = { task: 0, day: 1 } as const

/** A limit as it is checked, which for USD can be a number of tokens. */
interface Measure extends Limit {
  readonly spent: number
  readonly note: string | null
}

function measured(one: Limit, question: BudgetQuestion): Measure {
  const spent = question.spent[one.per === 'task' ? 'task' : one.which]
  switch (one.what) {
    case 'usd':
      return usdMeasure(one, spent, question)
    case 'tokens':
      return { ...one, spent: spent.tokens, note: null }
    case 'turns':
      return { ...one, spent: spent.turns, note: null }
    case 'time':
      return { ...one, spent: spent.ms, note: null }
  }
}

function usdMeasure(one: Limit, spent: Spent, { dearest, unpriced }: BudgetQuestion): Measure {
  const isKnown = spent.unpricedTokens === 0 && unpriced === undefined
  if (isKnown || spent.usd >= one.limit) return { ...one, spent: spent.usd, note: null }
  const left = wholeBillionths(one.limit - spent.usd)
  const tokens = dearest > 0 ? Math.floor((left * 1e6) / dearest) : 0
  return {
    ...one,
    what: 'tokens',
    limit: tokens,
    spent: spent.unpricedTokens,
    note: noteOf({ left, tokens, dearest }, unpriced),
  }
}

function noteOf(
  { left, tokens, dearest }: { readonly left: number; readonly tokens: number; readonly dearest: number },
  model: string | undefined,
): string {
  const whose = model === undefined ? 'a model that was used' : model
  const counts = `${amountText(left)} count as ${tokens} tokens, at ${dearest} USD per million, the highest known price`
  return `the price of ${whose} is unknown, so ${counts}: add its price under prices: in neo.yaml`
}

/** Of the limits that became tokens, the one that will be reached first. */
function tightestNote(measures: readonly Measure[]): string | null {
  const fallen = measures.filter(({ note }) => note !== null)
  const [first] = fallen.sort((a, b) => a.limit - a.spent - (b.limit - b.spent))
  return first?.note ?? null
}

/** Where a person raises it. The task's own limits count instead of those of its room. */
const RAISED: Readonly<Record<BudgetOwner, string>> = {
  task: 'budget: in the task',
  room: 'budget: in ROOM.md',
  home: 'budget: in neo.yaml',
}

/** For people, with what they do: `the room budget of 5.00 USD per day is used up (5.02 USD); raise budget: in …`. */
export function breachText({ which, what, per, limit: most, spent, resetsAt, note }: Breach): string {
  const span = per === 'day' ? ' per day' : which === 'task' ? '' : ' per task'
  const wait = resetsAt === null ? '' : `, or wait until ${resetsAt}`
  const next = what === 'time' ? '' : `; raise ${RAISED[which]}${wait}`
  const said = `the ${which} budget of ${inUnits(most, what)}${span} is used up (${inUnits(spent, what)})${next}`
  return note === null ? said : `${said}; ${note}`
}

function inUnits(amount: number, what: BudgetUnit): string {
  switch (what) {
    case 'usd':
      return amountText(amount)
    case 'tokens':
    case 'turns':
      return `${amount} ${what}`
    case 'time':
      return `${Math.round(amount / 1000)} s`
  }
}

function isoOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}
