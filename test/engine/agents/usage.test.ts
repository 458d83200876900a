import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { openFiles } from '../../../src/adapters/disk/disk-files.ts'
import { NeoError } from '../../../src/domain/home/error.ts'
import type { Usage } from '../../../src/domain/agent/model-message.ts'
import { NO_SUM, sumOf, type UsageCall } from '../../../src/domain/budget/usage-sum.ts'
import { openUsage } from '../../../src/engine/agents/usage-ledger.ts'

const files = openFiles()
const NOON = Date.parse('2026-03-02T12:00:00Z')

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'neo-usage-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return join(dir, 'neo')
}

type Over = Partial<Omit<UsageCall, 'usage'>> & { readonly usage?: Partial<Usage> }

function call({ usage, ...over }: Over = {}): UsageCall {
  return {
    at: '2026-03-02T09:00:00Z',
    room: 'shop',
    task: 't-a',
    session: 's-a',
    kind: 'session',
    model: 'local/one',
    usd: 0.25,
    ...over,
    usage: { input: 10, cacheRead: 0, cacheWrite: 0, output: 5, source: 'told', ...usage },
  }
}

const monthPath = (dir: string, month = '2026-03') => join(dir, 'usage', `${month}.jsonl`)

test('a ledger that was never written is empty', () => {
  const ledger = openUsage(files, folder())
  expect(ledger.calls()).toEqual([])
  expect([ledger.spentToday('UTC', NOON), ledger.ofTask('t-a'), ledger.broken()]).toEqual([NO_SUM, NO_SUM, 0])
})

test('add() is one durable line, which another ledger reads back whole', () => {
  const dir = folder()
  const one = call({ usd: null, task: null, usage: { cacheRead: 3, source: 'estimated' } })
  openUsage(files, dir).add('s-a:1', one)
  expect(JSON.parse(readFileSync(monthPath(dir), 'utf8'))).toEqual({
    ...{ v: 1, key: 's-a:1', at: '2026-03-02T09:00:00Z', room: 'shop', task: null, session: 's-a' },
    ...{ kind: 'session', model: 'local/one', input: 10, cache_read: 3, cache_write: 0, output: 5 },
    ...{ usd: null, source: 'estimated' },
  })
  expect(openUsage(files, dir).calls()).toEqual([one])
})

test('add() takes a key once, also after a restart and in the next month', () => {
  const dir = folder()
  const ledger = openUsage(files, dir)
  expect([ledger.add('s-a:1', call()), ledger.add('s-a:1', call())]).toEqual(['new', 'known'])
  const again = openUsage(files, dir)
  expect(again.add('s-a:1', call({ at: '2026-04-01T00:00:00Z' }))).toBe('known')
  expect(again.ofTask('t-a').calls).toBe(1)
})

const ESTIMATE = call({ usd: 1, usage: { input: 100, output: 50, source: 'estimated' } })
const USED = {
  usd: 0.5,
  usage: { input: 70, cacheRead: 0, cacheWrite: 0, output: 9, source: 'told' },
} as const

test('begin() counts a call by its estimate until it is said what it used, also after a restart', () => {
  const dir = folder()
  const begun = openUsage(files, dir).begin('s-a:1', ESTIMATE)
  const meanwhile = openUsage(files, dir)
  expect([meanwhile.calls(), meanwhile.ofTask('t-a').input]).toEqual([[ESTIMATE], 100])
  begun.used(USED)
  const after = openUsage(files, dir)
  expect([after.calls(), after.ofSession('s-a')]).toEqual([
    [{ ...ESTIMATE, ...USED }],
    sumOf([{ ...ESTIMATE, ...USED }]),
  ])
})

test('byTask() gives what ofTask() gives for each, over months, and is the same map until a call is added', () => {
  const ledger = openUsage(files, folder())
  ledger.add('s-a:1', call())
  ledger.add('s-a:2', call({ at: '2026-04-01T00:00:00Z' }))
  ledger.add('s-b:1', call({ task: 't-b', session: 's-b', usd: null }))
  ledger.add('s-c:1', call({ task: null }))
  const open = ledger.begin('s-b:2', call({ task: 't-b', session: 's-b' }))
  const all = () => ['t-a', 't-b'].map((id) => [id, ledger.ofTask(id)])
  expect([...ledger.byTask()]).toEqual(all())
  expect(ledger.byTask()).toBe(ledger.byTask())
  open.used(USED)
  expect([...ledger.byTask()]).toEqual(all())
})

test('begin() counts nothing of a call that was turned away', () => {
  const dir = folder()
  const ledger = openUsage(files, dir)
  ledger.begin('s-a:1', ESTIMATE).nothing()
  for (const one of [ledger, openUsage(files, dir)])
    expect([one.calls(), one.ofTask('t-a'), one.spentToday('UTC', NOON)]).toEqual([[], NO_SUM, NO_SUM])
})

test('begin() counts a call that is made again after a kill beside the one that was cut off', () => {
  const dir = folder()
  openUsage(files, dir).begin('s-a:1', ESTIMATE)
  const again = openUsage(files, dir)
  again.begin('s-a:1', ESTIMATE).used(USED)
  expect(again.calls().map(({ usd }) => usd)).toEqual([0.5, 1])
  expect(openUsage(files, dir).ofTask('t-a')).toMatchObject({ calls: 2, input: 170, estimatedCalls: 1 })
})

test('begin() settles a call in the month in which it began', () => {
  const dir = folder()
  const ledger = openUsage(files, dir)
  const begun = ledger.begin('s-a:1', { ...ESTIMATE, at: '2026-03-31T23:59:59Z' })
  ledger.add('s-a:2', call({ at: '2026-04-01T00:00:00Z' }))
  begun.used(USED)
  expect(readdirSync(join(dir, 'usage')).sort()).toEqual(['2026-03.jsonl', '2026-04.jsonl'])
  expect(openUsage(files, dir).ofTask('t-a')).toMatchObject({ calls: 2, input: 80 })
})

test('add() writes a file for each month', () => {
  const dir = folder()
  const ledger = openUsage(files, dir)
  ledger.add('s-a:1', call({ at: '2026-03-31T23:59:59Z' }))
  ledger.add('s-a:2', call({ at: '2026-04-01T00:00:00Z' }))
  expect(readdirSync(join(dir, 'usage')).sort()).toEqual(['2026-03.jsonl', '2026-04.jsonl'])
})

test('add() counts a number that is none as none, and never as a price', () => {
  const dir = folder()
  const ledger = openUsage(files, dir)
  ledger.add('s-a:1', call({ usd: Number.NaN, usage: { input: -4, output: Number.NaN } }))
  expect(openUsage(files, dir).calls()[0]).toMatchObject({ usd: null, usage: { input: 0, output: 0 } })
})

test('add() refuses a time that is no time, and writes nothing', () => {
  const dir = folder()
  const ledger = openUsage(files, dir)
  expect(() => ledger.add('s-a:1', call({ at: '../../x' }))).toThrow(NeoError)
  expect(ledger.calls()).toEqual([])
})

test('ofTask() and ofSession() sum over months, old ones too', () => {
  const dir = folder()
  const ledger = openUsage(files, dir)
  for (const month of ['01', '02', '03', '04'])
    ledger.add(`s-${month}:1`, call({ at: `2026-${month}-05T09:00:00Z`, session: `s-${month}` }))
  for (const one of [ledger, openUsage(files, dir)]) {
    expect(one.ofTask('t-a')).toMatchObject({ calls: 4, knownUsd: 1, input: 40 })
    expect(one.ofSession('s-01').calls).toBe(1)
    expect(one.calls({ session: 's-01' })).toHaveLength(1)
  }
})

test.each([
  ['UTC', 2],
  ['Europe/Paris', 3],
  ['America/New_York', 2],
])('spentToday() is that of the day in %s', (zone, calls) => {
  const ledger = openUsage(files, folder())
  const times = [
    '2026-03-01T12:00:00Z',
    '2026-03-01T23:30:00Z',
    '2026-03-02T05:00:00Z',
    '2026-03-02T09:00:00Z',
  ]
  for (const at of times) ledger.add(at, call({ at }))
  expect(ledger.spentToday(zone, NOON).calls).toBe(calls)
})

test('spentToday() reaches over the change of month of a zone', () => {
  const ledger = openUsage(files, folder())
  ledger.add('a', call({ at: '2026-03-31T22:30:00Z' }))
  ledger.add('b', call({ at: '2026-04-01T08:00:00Z' }))
  expect(ledger.spentToday('Europe/Paris', Date.parse('2026-04-01T10:00:00Z')).calls).toBe(2)
})

test('spentToday() of a room leaves out other rooms and other days', () => {
  const ledger = openUsage(files, folder())
  ledger.add('a', call())
  ledger.add('b', call({ room: 'lobby' }))
  ledger.add('c', call({ at: '2026-03-01T09:00:00Z' }))
  expect(ledger.spentToday('UTC', NOON, { room: 'shop' })).toMatchObject({ calls: 1, knownUsd: 0.25 })
})

test('calls() of a span take its first instant in and leave its last one out', () => {
  const ledger = openUsage(files, folder())
  const times = ['08:59:59.999Z', '09:00:00Z', '09:59:59.5Z', '10:00:00Z', '11:30:00+02:00']
  for (const time of times) ledger.add(time, call({ at: `2026-03-02T${time}` }))
  const span = { since: Date.parse('2026-03-02T09:00:00Z'), until: Date.parse('2026-03-02T10:00:00Z') }
  expect(ledger.calls(span).map(({ at }) => at.slice(11))).toEqual(['09:00:00Z', '09:59:59Z', '09:30:00Z'])
})

test('sums() groups what the filter lets through', () => {
  const ledger = openUsage(files, folder())
  ledger.add('a', call({ model: 'local/one' }))
  ledger.add('b', call({ model: 'local/two', usd: null }))
  ledger.add('c', call({ model: 'local/two', kind: 'neo', room: null }))
  const sums = ledger.sums({ by: 'model', zone: 'UTC', kind: 'session' })
  expect([...sums].map(([name, { calls }]) => [name, calls])).toEqual([
    ['local/one', 1],
    ['local/two', 1],
  ])
})

test('a torn last line is skipped and counted, and set aside by the next add()', () => {
  const dir = folder()
  const ledger = openUsage(files, dir)
  ledger.add('a', call())
  appendFileSync(monthPath(dir), '{"v":1,"key":"b","at":"2026-')
  expect([ledger.calls().length, ledger.broken()]).toEqual([1, 1])
  ledger.add('c', call())
  expect([ledger.calls().length, ledger.broken(), ledger.ofTask('t-a').calls]).toEqual([2, 0, 2])
})

test.each(['null', '[]', '{"v":2,"key":"a"}', '{"v":1}', '"x"', '\0\0\0', '{"v":1,"key":"k","at":"x"}'])(
  'the line %j is skipped and counted, and the lines around it are kept',
  (strange) => {
    const dir = folder()
    openUsage(files, dir).add('a', call())
    appendFileSync(monthPath(dir), `${strange}\n`)
    openUsage(files, dir).add('b', call())
    const ledger = openUsage(files, dir)
    expect([ledger.calls().length, ledger.broken()]).toEqual([2, 1])
  },
)

test('a ledger that is open sees what another one adds, and what is cut off', () => {
  const dir = folder()
  const [one, other] = [openUsage(files, dir), openUsage(files, dir)]
  one.add('a', call())
  other.add('b', call())
  expect([one.ofTask('t-a').calls, one.add('b', call())]).toEqual([2, 'known'])
  writeFileSync(monthPath(dir), '')
  expect(one.ofTask('t-a')).toEqual(NO_SUM)
  rmSync(join(dir, 'usage'), { recursive: true })
  expect(one.calls()).toEqual([])
})

test('a key that two writers put down at once counts once', () => {
  const dir = folder()
  openUsage(files, dir).add('a', call())
  appendFileSync(monthPath(dir), readFileSync(monthPath(dir)))
  expect(openUsage(files, dir).ofTask('t-a').calls).toBe(1)
})

test('a disk that refuses is an error, and the call can be added again', () => {
  const dir = folder()
  const refusals = ['full']
  const full = {
    ...files,
    append: (path: string, line: string) => {
      if (refusals.pop() !== undefined) throw new NeoError('disk', 'Cannot append: no space')
      files.append(path, line)
    },
  }
  const ledger = openUsage(full, dir)
  expect(() => ledger.add('a', call())).toThrow(/no space/)
  expect([ledger.ofTask('t-a').calls, ledger.add('a', call()), ledger.ofTask('t-a').calls]).toEqual([
    0,
    'new',
    1,
  ])
})

test('what a ledger says is the sum of what was added, in memory as after a restart', () => {
  const added = fc.array(
    fc.record({
      key: fc.integer({ min: 0, max: 12 }),
      day: fc.integer({ min: 1, max: 90 }),
      task: fc.constantFrom('t-a', 't-b', null),
      usd: fc.option(fc.integer({ min: 0, max: 1e9 }).map((billionths) => billionths / 1e9)),
    }),
    { maxLength: 15 },
  )
  fc.assert(
    fc.property(added, (rows) => {
      const dir = folder()
      const ledger = openUsage(files, dir)
      const taken: UsageCall[] = []
      for (const { key, day, task, usd } of rows) {
        const at = new Date(Date.UTC(2026, 1, day)).toISOString()
        const one = call({ at: `${at.slice(0, 19)}Z`, task, usd })
        if (ledger.add(`k${key}`, one) === 'new') taken.push(one)
      }
      for (const each of [ledger, openUsage(files, dir)]) {
        expect(sumOf(each.calls())).toEqual(sumOf(taken))
        expect(each.ofTask('t-a')).toEqual(sumOf(taken.filter(({ task }) => task === 't-a')))
      }
    }),
    { numRuns: 40 },
  )
})
