/** The order of the timeline: total, the same for every page; and which events a query wants. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  cursorOf,
  isWanted,
  type Key,
  keyOf,
  Newest,
  rankOf,
  SOURCES,
  type TimelineEvent,
  type Wanted,
  wantsMoreThan,
} from '../../src/hub/timeline/event.ts'

const key = fc.tuple(
  fc.integer({ min: -8_000, max: 8_000 }),
  fc.nat(2),
  fc.constantFrom('a', 'b', 'ü/c'),
  fc.nat(50),
)

const EVENT: TimelineEvent = {
  at: '2026-03-01T09:00:00Z',
  source: 'audit',
  kind: 'decision',
  actor: 'neo:shop',
  name: null,
  room: 'shop',
  task: null,
  session: null,
  agent: null,
  says: 'task.update: Allow',
  decision: null,
  file: null,
  line: null,
  commit: null,
}
const ALL: Wanted = {
  room: null,
  task: null,
  session: null,
  agent: null,
  handedOver: new Map(),
  actor: null,
  kinds: null,
  text: null,
  since: null,
  until: null,
  before: null,
  sees: () => true,
  viewer: null,
}
const AT = Date.parse(EVENT.at)
const KEY: Key = [AT, 0, 'f', 1]
const kinds = (...all: string[]) => ({ kinds: new Set(all) })
const decided = (effect: 'allow' | 'deny', method = 'task.get') => ({
  decision: { method, effect, ask: null },
})

test('a cursor gives back the key that it was made of', () => {
  fc.assert(fc.property(key, (one) => void expect(keyOf(cursorOf(one))).toEqual(one)))
})

test.each([
  '',
  'x',
  'AAAA',
  cursorOf([1, 0, 'f', 1]).slice(1),
  ...[[1, 0, 'f'], [1, 0, 'f', 1, 2], ['1', 0, 'f', 1], [1, 0, 7, 1], [9e15, 0, 'f', 1], { 0: 1 }, null].map(
    (one) => Buffer.from(JSON.stringify(one)).toString('base64url'),
  ),
])('the cursor "%s" is none', (cursor) => {
  expect(keyOf(cursor)).toBeNull()
})

test('Newest keeps the newest in order, whatever the order in which they come', () => {
  const many = fc.uniqueArray(key, { selector: (one) => JSON.stringify(one), maxLength: 60 })
  fc.assert(
    fc.property(many, fc.integer({ min: 1, max: 20 }), fc.nat(), (keys, most, turn) => {
      const put = (all: readonly Key[]) => {
        const newest = new Newest(most)
        for (const one of all) newest.add({ key: one, event: EVENT })
        return newest.all().map((placed) => placed.key)
      }
      const at = keys.length === 0 ? 0 : turn % keys.length
      const found = put(keys)
      expect(put([...keys.slice(at), ...keys.slice(0, at)])).toEqual(found)
      expect(found.length).toBe(Math.min(most, keys.length))
      const oldest = found[0]?.[0] ?? 0
      expect(keys.filter(([time]) => time > oldest).length).toBeLessThanOrEqual(found.length)
    }),
  )
})

test('Newest stays bounded, says from when on nothing older counts, and takes what is doubled once', () => {
  const newest = new Newest(3)
  expect(newest.floor()).toBeNull()
  for (let at = 0; at < 5_000; at++) newest.add({ key: [at, 0, 'f', at], event: EVENT }, `line ${at % 4_000}`)
  expect(newest.all().map(({ key: [at] }) => at)).toEqual([3_997, 3_998, 3_999])
  expect(newest.floor()).toBe(3_997)
})

test('what led to a commit comes before it, and it before the lines that follow', () => {
  expect(SOURCES.map(rankOf)).toEqual([0, 1, 2])
  expect([...SOURCES].toSorted((a, b) => rankOf(a) - rankOf(b))).toEqual(['audit', 'git', 'transcript'])
})

test.each<[string, Partial<Wanted>, Partial<TimelineEvent>, boolean]>([
  ['all', {}, {}, true],
  ['a room that the caller does not see', { sees: () => false }, {}, false],
  ['its room', { room: 'shop' }, {}, true],
  ['another room', { room: 'yard' }, {}, false],
  ['from its moment on', { since: AT }, {}, true],
  ['after its moment', { since: AT + 1 }, {}, false],
  ['until its moment', { until: AT }, {}, true],
  ['until before its moment', { until: AT - 1 }, {}, false],
  ['before its own place', { before: KEY }, {}, false],
  ['before the next line', { before: [AT, 0, 'f', 2] }, {}, true],
  ['before a later source', { before: [AT, 1, 'a', 0] }, {}, true],
  ['before an earlier file', { before: [AT, 0, 'e', 9] }, {}, false],
  ['an agent', { agent: 'cat' }, { agent: 'cat' }, true],
  ['another agent', { agent: 'cat' }, { agent: 'dog' }, false],
  ['a session', { session: 's-a' }, { session: 's-a' }, true],
  ['another session', { session: 's-a' }, { session: 's-b' }, false],
  ['Neo of any room', { actor: 'neo' }, {}, true],
  ['the name in git, in any letters', { actor: 'Ana' }, { name: 'ana' }, true],
  ['an actor with a longer name', { actor: 'ne' }, {}, false],
  ['words, in any letters', { text: 'allow' }, {}, true],
  ['words of the commit', { text: 'abc' }, { commit: 'ABCDEF' }, true],
  ['words that are not there', { text: 'nowhere' }, {}, false],
  ['no reads by default', {}, { kind: 'read' }, false],
  ['reads', kinds('read'), { kind: 'read' }, true],
  ['no reads with their source', kinds('audit'), { kind: 'read' }, false],
  ['its kind', kinds('decision'), {}, true],
  ['its source', kinds('audit'), {}, true],
  ['another source', kinds('git'), {}, false],
  ['commits of any event', kinds('commit'), { source: 'git', kind: 'adopt' }, true],
  ['no commits of a transcript', kinds('commit'), { source: 'transcript', kind: 'assistant' }, false],
  ['refusals', kinds('refusal'), decided('deny'), true],
  ['refusals, of what was allowed', kinds('refusal'), decided('allow'), false],
  ['agents, by the method', kinds('peer'), decided('allow', 'agent.query'), true],
  ['agents, by who it was', kinds('peer'), { agent: 'cat' }, true],
  ['agents, and a method like theirs', kinds('peer'), decided('allow', 'aoix.query'), false],
  ['agents, but no hello', kinds('peer'), { kind: 'read', agent: 'cat' }, false],
])('isWanted(): %s', (_, wanted, event, isIt) => {
  expect(isWanted({ ...ALL, ...wanted }, { ...EVENT, ...event }, KEY)).toBe(isIt)
})

const TASK = { names: new Set(['t-a', 'shop/a']), path: 'x', sessions: new Set(['s-a']) }

test.each<[string, Partial<TimelineEvent>, boolean]>([
  ['by its id', { task: 't-a' }, true],
  ['by its name', { task: 'shop/a' }, true],
  ['of another task, in one of its sessions', { task: 't-b', session: 's-a' }, false],
  ['of one of its sessions', { session: 's-a' }, true],
  ['of another session', { session: 's-b' }, false],
  ['of nothing', {}, false],
])('an event is about a task: %s', (_, event, isIt) => {
  expect(isWanted({ ...ALL, task: TASK }, { ...EVENT, ...event }, KEY)).toBe(isIt)
})

test.each<[string, Partial<Wanted>, boolean]>([
  ['everything', {}, true],
  ['what is in the log', kinds('audit', 'read'), false],
  ['something else too', kinds('audit', 'assistant'), true],
  ['an agent', { agent: 'cat' }, false],
])('wantsMoreThan() the audit log: %s', (_, wanted, isMore) => {
  expect(wantsMoreThan({ ...ALL, ...wanted }, ['audit', 'read'])).toBe(isMore)
})
