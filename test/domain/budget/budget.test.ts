import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Room } from '../../../src/domain/room/room.ts'
import type { Task } from '../../../src/domain/task/task.ts'
import {
  type Breach,
  type BudgetOwner,
  type BudgetQuestion,
  breachText,
  checkBudget,
  type Limit,
  limitsOf,
  NOTHING_SPENT,
  type Spent,
  spentOf,
} from '../../../src/domain/budget/budget.ts'
import { DEFAULT_TIMEOUT_MS } from '../../../src/domain/task/task-settings.ts'
import { NO_SUM } from '../../../src/domain/budget/usage-sum.ts'
import { config, NOW, room, task } from '../../builders.ts'

const HOME_USD: Limit = { which: 'home', what: 'usd', per: 'day', limit: 10 }
const ROOM_USD: Limit = { which: 'room', what: 'usd', per: 'day', limit: 5 }
const TASK_USD: Limit = { which: 'task', what: 'usd', per: 'task', limit: 1.5 }
const TASK_TOKENS: Limit = { which: 'task', what: 'tokens', per: 'task', limit: 1000 }
const ROOM_TURNS: Limit = { which: 'room', what: 'turns', per: 'task', limit: 60 }
const TIME: Limit = { which: 'task', what: 'time', per: 'task', limit: 60_000 }

type Spending = Partial<Record<BudgetOwner, Partial<Spent>>>

function ask(limits: readonly Limit[], spending: Spending, over: Partial<BudgetQuestion> = {}) {
  const spent = {
    task: { ...NOTHING_SPENT, ...spending.task },
    room: { ...NOTHING_SPENT, ...spending.room },
    home: { ...NOTHING_SPENT, ...spending.home },
  }
  return checkBudget({ limits, spent, at: NOW, timezone: 'UTC', dearest: 50, ...over })
}

function limitsFor(own: Partial<Task>, rooms: Room['budget'], home: { usdPerDay?: number } = {}) {
  const ofRoom = rooms === undefined ? room() : room({ budget: rooms })
  return limitsOf(task(own), ofRoom, { ...config(), budget: home })
}

test('limitsOf() takes each of the task’s own limits before the room’s', () => {
  const limits = limitsFor({ budget: { usd: 1 }, timeoutMs: 5000 }, { usd: 9, tokens: 400, turns: 60 })
  expect(limits).toEqual([
    { which: 'task', what: 'usd', per: 'task', limit: 1 },
    { which: 'room', what: 'tokens', per: 'task', limit: 400 },
    { which: 'room', what: 'turns', per: 'task', limit: 60 },
    { which: 'task', what: 'time', per: 'task', limit: 5000 },
  ])
})

test('limitsOf() has the days of room and home', () => {
  const home = { ...config(), budget: { usdPerDay: 10, tokensPerDay: 7 } }
  const limits = limitsOf(null, room({ budget: { usdPerDay: 5 } }), home)
  expect(limits).toEqual([ROOM_USD, HOME_USD, { which: 'home', what: 'tokens', per: 'day', limit: 7 }])
})

test('limitsOf() of a home that says nothing is the time of a session alone', () => {
  expect(limitsFor({}, undefined)).toEqual([{ ...TIME, limit: DEFAULT_TIMEOUT_MS }])
  expect(limitsOf(null, null, config())).toEqual([])
})

test.each<[Limit, Spending]>([
  [HOME_USD, { home: { usd: 10 }, room: { usd: 3 } }],
  [ROOM_USD, { room: { usd: 5.01 } }],
  [TASK_USD, { task: { usd: 1.5 } }],
  [TASK_TOKENS, { task: { tokens: 1000 } }],
  [ROOM_TURNS, { task: { turns: 60 } }],
  [TIME, { task: { ms: 60_000 } }],
])('checkBudget() refuses at %j', (limit, spending) => {
  const { which, what, per, limit: most } = limit
  expect(ask([limit], spending)).toMatchObject({ ok: false, which, what, per, limit: most, note: null })
})

test.each<[Limit, Spending]>([
  [HOME_USD, { home: { usd: 9.99 }, task: { usd: 99 }, room: { usd: 99 } }],
  [ROOM_USD, { room: { usd: 4.99 }, home: { usd: 99 } }],
  [TASK_TOKENS, { task: { tokens: 999 }, home: { tokens: 99_999 } }],
  [ROOM_TURNS, { task: { turns: 59 }, room: { turns: 99 } }],
  [TIME, { task: { ms: 59_999 } }],
])('checkBudget() lets pass below %j', (limit, spending) => {
  expect(ask([limit], spending)).toEqual({ ok: true, note: null })
})

test('checkBudget() lets pass where there is no limit', () => {
  expect(ask([], { home: { usd: 1e9, unpricedTokens: 1e9 } })).toEqual({ ok: true, note: null })
})

test('checkBudget() refuses the first call where a limit is zero', () => {
  expect(ask([{ ...HOME_USD, limit: 0 }], {})).toMatchObject({ ok: false, which: 'home' })
})

test('checkBudget() names the task’s limit first: it does not pass by itself', () => {
  const answer = ask([HOME_USD, ROOM_USD, TASK_USD], {
    task: { usd: 9 },
    room: { usd: 9 },
    home: { usd: 99 },
  })
  expect(answer).toMatchObject({ which: 'task', resetsAt: null })
})

test.each([
  ['UTC', '2026-03-02T09:00:00Z', '2026-03-03T00:00:00Z'],
  ['Europe/Paris', '2026-03-28T23:30:00Z', '2026-03-29T22:00:00Z'],
  ['Europe/Paris', '2026-10-24T22:30:00Z', '2026-10-25T23:00:00Z'],
  ['America/New_York', '2026-03-08T06:59:59Z', '2026-03-09T04:00:00Z'],
  ['Asia/Kathmandu', '2026-03-02T18:14:59Z', '2026-03-02T18:15:00Z'],
  ['Africa/Cairo', '2026-04-23T12:00:00Z', '2026-04-23T22:00:00Z'],
])('checkBudget() says in %s at %s that a day’s limit resets at %s', (timezone, at, resetsAt) => {
  expect(ask([HOME_USD], { home: { usd: 10 } }, { timezone, at: Date.parse(at) })).toMatchObject({ resetsAt })
})

test('checkBudget() makes what is left of a USD limit a number of tokens where a price is unknown', () => {
  const answer = ask([TASK_USD], { task: { usd: 0.5, unpricedTokens: 20_000 } })
  expect(answer).toMatchObject({ ok: false, what: 'tokens', limit: 20_000, spent: 20_000 })
  expect(answer.note).toMatch(/unknown, so 1\.00 USD count as 20000 tokens, at 50 USD per million/)
  expect(ask([TASK_USD], { task: { usd: 0.5, unpricedTokens: 19_999 } })).toMatchObject({ ok: true })
})

test('checkBudget() says that a price is unknown before the first call costs anything', () => {
  const answer = ask([TASK_USD, HOME_USD], {}, { unpriced: 'local/qwen' })
  expect(answer).toMatchObject({
    ok: true,
    note: expect.stringMatching(/price of local\/qwen .*30000 tokens/),
  })
  expect(ask([TASK_TOKENS], {}, { unpriced: 'local/qwen' }).note).toBeNull()
})

test('checkBudget() notes the limit that will be reached first', () => {
  const spending = { room: { usd: 4.9 }, home: { usd: 4.9 } }
  expect(ask([HOME_USD, ROOM_USD], spending, { unpriced: 'local/qwen' }).note).toMatch(/ 2000 tokens/)
})

test('checkBudget() refuses every unpriced token where no price is known at all', () => {
  expect(ask([TASK_USD], { task: { unpricedTokens: 1 } }, { dearest: 0 }).ok).toBe(false)
})

test.each<[Limit, Spending, string]>([
  [
    HOME_USD,
    { home: { usd: 10.5 } },
    'the home budget of 10.00 USD per day is used up (10.50 USD); raise budget: in neo.yaml, or wait until 2026-03-03T00:00:00Z',
  ],
  [
    TASK_USD,
    { task: { usd: 2 } },
    'the task budget of 1.50 USD is used up (2.00 USD); raise budget: in the task',
  ],
  [
    ROOM_TURNS,
    { task: { turns: 60 } },
    'the room budget of 60 turns per task is used up (60 turns); raise budget: in ROOM.md',
  ],
  [
    TASK_TOKENS,
    { task: { tokens: 1200 } },
    'the task budget of 1000 tokens is used up (1200 tokens); raise budget: in the task',
  ],
  [TIME, { task: { ms: 61_000 } }, 'the task budget of 60 s is used up (61 s)'],
])('breachText() of %j is one line', (limit, spending, text) => {
  expect(breachText(ask([limit], spending) as Breach)).toBe(text)
})

test('breachText() tells why a limit of USD became tokens', () => {
  const breach = ask([TASK_USD], { task: { unpricedTokens: 40_000 } }) as Breach
  expect(breachText(breach)).toMatch(
    /^the task budget of 30000 tokens is used up \(40000 tokens\); raise budget: in the task; the price of .*prices:/,
  )
})

test('spentOf() takes a call for a turn', () => {
  const sum = { ...NO_SUM, calls: 3, input: 10, cacheRead: 5, output: 2, knownUsd: 0.5, unpricedTokens: 7 }
  expect(spentOf(sum, 900)).toEqual({ usd: 0.5, unpricedTokens: 7, tokens: 17, turns: 3, ms: 900 })
})

test('checkBudget() never turns a refusal into an ok when more is spent', () => {
  const amount = fc.integer({ min: 0, max: 200 })
  const spent = fc.record({
    usd: amount.map((cents) => cents / 10),
    unpricedTokens: amount.map((tokens) => tokens * 1000),
    tokens: amount,
    turns: amount,
    ms: amount,
  })
  const spents = fc.record({ task: spent, room: spent, home: spent })
  const limit = fc.record({
    which: fc.constantFrom('task' as const, 'room' as const, 'home' as const),
    what: fc.constantFrom('usd' as const, 'tokens' as const, 'turns' as const, 'time' as const),
    per: fc.constantFrom('task' as const, 'day' as const),
    limit: fc.integer({ min: 0, max: 25 }),
  })
  const more = (a: Spent, b: Spent): Spent => ({
    usd: a.usd + b.usd,
    unpricedTokens: a.unpricedTokens + b.unpricedTokens,
    tokens: a.tokens + b.tokens,
    turns: a.turns + b.turns,
    ms: a.ms + b.ms,
  })
  fc.assert(
    fc.property(fc.array(limit, { maxLength: 4 }), spents, spents, (limits, a, b) => {
      const both = { task: more(a.task, b.task), room: more(a.room, b.room), home: more(a.home, b.home) }
      fc.pre(!ask(limits, a).ok)
      expect(ask(limits, both).ok).toBe(false)
    }),
  )
})
