/** neo usage, and what neo plan says of costs. */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { openFiles } from '../../src/adapters/disk/disk-files.ts'
import { showUsage } from '../../src/cli/commands/show-usage.ts'
import { type Output, openOutput } from '../../src/cli/output.ts'
import type { Call } from '../../src/cli/spec.ts'
import { planned } from '../../src/cli/status/show-plan.ts'
import type { UsageCall } from '../../src/domain/budget/usage-sum.ts'
import { openUsage } from '../../src/engine/agents/usage-ledger.ts'
import { config, roomFile, snapshot, taskFile } from '../builders.ts'
import { dataOf, type Home, makeHome, neo, temporary } from './program.ts'

const SONNET = 'anthropic/claude-sonnet-5-5'
const LOCAL = 'local/qwen'

function call(over: Partial<UsageCall> = {}): UsageCall {
  return {
    at: '2026-03-01T09:00:00Z',
    room: 'shop',
    task: 't-a',
    session: 's-a',
    kind: 'session',
    model: SONNET,
    usage: { input: 1000, cacheRead: 0, cacheWrite: 0, output: 100, source: 'told' },
    usd: 0.5,
    ...over,
  }
}

function homeWith(calls: readonly UsageCall[]): Home {
  const home = makeHome({ 'neo.yaml': 'timezone: Europe/Paris\n' })
  const ledger = openUsage(openFiles(), join(home.dir, '.git', 'neo'))
  for (const [index, one] of calls.entries()) ledger.add(`${one.session}:${index}`, one)
  return home
}

const CALLS = [
  call(),
  call({ at: '2026-03-01T23:30:00Z', usd: 0.25 }),
  call({ at: '2026-03-02T10:00:00Z', model: LOCAL, usd: null, room: 'lobby', session: 's-b' }),
  call({ at: '2026-03-02T11:00:00Z', room: null, session: null, kind: 'neo', usd: 1.5 }),
]
const SINCE = ['--since', '2026-03-01'] as const

let home: Home
beforeAll(() => {
  home = homeWith(CALLS)
})

const lines = (out: string) => out.trimEnd().split('\n')
const words = (line: string | undefined) => line?.split(/ {2,}/) ?? []

describe('neo usage', () => {
  test('is a row for each day of the home’s zone, with a plain bar in a pipe, and a total', async () => {
    const { code, out } = await home.neo('usage', ...SINCE)
    const [title, first, second, total, ...rest] = lines(out)
    expect([code, title, rest]).toEqual([0, 'Used since 2026-03-01 (Europe/Paris); bars are tokens', []])
    expect(words(first)).toEqual([
      '2026-03-01',
      '1.0k in',
      '100 out',
      '1 call',
      '0.50 USD',
      expect.stringMatching(/^#+$/),
    ])
    expect(words(second).slice(0, 5)).toEqual(['2026-03-02', '3.0k in', '300 out', '3 calls', '≥ 1.75 USD'])
    expect(words(total)).toEqual(['total', '4.0k in', '400 out', '4 calls', '≥ 2.25 USD'])
  })

  test('is a row for each model, most first, and says which price is unknown', async () => {
    const { out, err } = await home.neo('usage', ...SINCE, '--by', 'model')
    expect(
      lines(out)
        .slice(1, 3)
        .map((line) => [words(line)[0], words(line)[4]]),
    ).toEqual([
      [SONNET, '2.25 USD'],
      [LOCAL, 'unknown'],
    ])
    expect(err).toBe(`The price of ${LOCAL} is unknown; add it to prices: in neo.yaml\n`)
  })

  test('is a row for each room, and one for what is outside', async () => {
    const { out } = await home.neo('usage', ...SINCE, '--by', 'room')
    expect(
      lines(out)
        .slice(1, -1)
        .map((line) => words(line)[0]),
    ).toEqual(['shop', 'outside rooms', 'lobby'])
  })

  test('--room counts one room, also one that is gone', async () => {
    const gone = homeWith([...CALLS, call({ room: 'gone' })])
    expect(dataOf(await home.neo('usage', ...SINCE, '--room', 'shop', '--json'))).toMatchObject({
      room: 'shop',
      total: { calls: 2, usd: 0.75 },
    })
    expect((await gone.neo('usage', ...SINCE, '--room', 'gone')).out).toMatch(/^Used in room gone since/)
    expect((await home.neo('usage', '--room', 'nowhere')).code).toBe(4)
  })

  test('draws USD where all of it is known', async () => {
    const { out } = await home.neo('usage', ...SINCE, '--room', 'shop')
    const [title, first, second] = lines(out)
    expect(title).toMatch(/bars are USD$/)
    expect(words(first).at(-1)?.length).toBeGreaterThan(words(second).at(-1)?.length ?? 99)
  })

  test('--json has one shape', async () => {
    expect(dataOf(await home.neo('usage', ...SINCE, '--by', 'model', '--json'))).toEqual({
      since: '2026-02-28T23:00:00Z',
      zone: 'Europe/Paris',
      room: null,
      pricesOf: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
      by: 'model',
      rows: [
        expect.objectContaining({ name: SONNET, calls: 3, tokens: 3300, usd: 2.25, unpricedCalls: 0 }),
        expect.objectContaining({ name: LOCAL, calls: 1, tokens: 1100, usd: null, knownUsd: 0 }),
      ],
      total: {
        ...{ calls: 4, tokens: 4400, input: 4000, cacheRead: 0, cacheWrite: 0, output: 400 },
        ...{ usd: null, knownUsd: 2.25, unpricedCalls: 1, estimatedCalls: 0 },
      },
      unpricedModels: [LOCAL],
    })
  })

  test('is one clear line where nothing was used', async () => {
    const { code, out, err } = await homeWith([]).neo('usage', '--since', '2026-03-01')
    expect({ code, out, err }).toEqual({ code: 0, out: 'No model was used since 2026-03-01.\n', err: '' })
    expect((await home.neo('usage', '--room', 'shop', '--since', '2026-03-05')).out).toBe(
      'No model was used in room shop since 2026-03-05.\n',
    )
  })

  test('--since takes a date, a time, and a length of time', async () => {
    const recent = homeWith([...CALLS, call({ at: new Date(Date.now() - 60_000).toISOString() })])
    const counted = async (since: string) =>
      (dataOf(await recent.neo('usage', '--since', since, '--json')) as { total: { calls: number } }).total
        .calls
    expect([await counted('2026-03-02T11:30:00Z'), await counted('2026-03-02'), await counted('1h')]).toEqual(
      [1, 4, 1],
    )
    expect((await recent.neo('usage', '--since', 'soon')).err).toMatch(
      /^neo: Invalid value "soon" for --since: use/,
    )
    expect((await recent.neo('usage', '--since', 'soon')).code).toBe(2)
  })

  test('counts 7d from the first moment of the day seven days ago', async () => {
    const data = dataOf(await home.neo('usage', '--since', '7d', '--json')) as { since: string }
    const local = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Paris', timeStyle: 'medium' })
    expect(local.format(Date.parse(data.since))).toBe('00:00:00')
  })

  test('refuses another --by', async () => {
    expect((await home.neo('usage', '--by', 'week')).code).toBe(2)
  })

  test('tells of estimated tokens and of lines that cannot be read', async () => {
    const usage = { input: 5, cacheRead: 0, cacheWrite: 0, output: 1, source: 'estimated' } as const
    const odd = homeWith([call(), call({ usage })])
    appendFileSync(join(odd.dir, '.git', 'neo', 'usage', '2026-03.jsonl'), 'no line\n')
    const { err } = await odd.neo('usage', ...SINCE)
    expect(err).toMatch(/tokens of 1 of 2 calls are estimated/)
    expect(err).toMatch(/1 line of the usage log can't be read and is not counted/)
  })

  test('prints no control character of a model’s or a room’s name', async () => {
    const spiteful = homeWith([call({ model: 'a/\u001b[31mb', room: '\u202ex\n', usd: null })])
    for (const by of ['model', 'room']) {
      const { out, err } = await spiteful.neo('usage', ...SINCE, '--by', by)
      expect((out + err).match(/[^\P{Cc}\n]|[\u202a-\u202e]/gu)).toBeNull()
    }
  })

  test('--help says what it does, with an example that names it', async () => {
    const { code, out } = await home.neo('usage', '--help')
    expect([code, out]).toEqual([0, expect.stringMatching(/Example:\n {2}neo usage --by model/)])
  })

  test('ends with 4 where there is no home', async () => {
    expect((await neo(['usage'], { cwd: temporary() })).code).toBe(4)
  })
})

/** A terminal of so many columns; gives what was written. */
async function onTerminal(columns: number, env: Readonly<Record<string, string>>): Promise<string> {
  const written: string[] = []
  const stream = { isTTY: true, columns, write: (text: string) => written.push(text) > 0 }
  const stdout = stream as unknown as NodeJS.WriteStream
  const out: Output = await openOutput({ stdout, stderr: stdout }, { json: false, quiet: true, color: false })
  const around = { version: '0', env, cwd: home.dir, stdin: process.stdin, stdout, stderr: stdout }
  const made: Call = {
    around: { ...around, onSignal: () => () => {}, exit: () => {} },
    out,
    args: [],
    options: [],
    homeOption: home.dir,
    text: (option) => (option === 'since' ? '2026-03-01' : null),
    all: () => [],
    isSet: () => false,
  }
  await showUsage(made)
  return written.join('')
}

describe('neo usage on a terminal', () => {
  test.each([60, 80, 200])('draws blocks, and no line is longer than its %d columns', async (columns) => {
    const rows = lines(await onTerminal(columns, { LANG: 'C.UTF-8' }))
    expect(rows[2]).toMatch(/ █+$/)
    expect(rows[1]).toMatch(/ █+[▏▎▍▌▋▊▉]?$/)
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(columns)
  })

  test('draws plain bars where texts are not UTF-8', async () => {
    expect(await onTerminal(80, { LANG: 'C' })).toMatch(/ #+\n/)
  })
})

describe('neo plan', () => {
  const START = { kind: 'start', path: 'rooms/shop/tasks/a.md', hash: 'h-a', attempt: 1 } as const
  const earlier = [call({ session: 's-1' }), call({ session: 's-1' }), call({ session: 's-2' })]
  const rowOf = (worker: 'agent' | 'shell' | 'human', past: readonly UsageCall[], model: string = SONNET) => {
    const files = { tasks: [taskFile('a', { worker: { kind: worker }, model })], rooms: [roomFile('shop')] }
    return planned(START, snapshot({ ...files, config: config() }), past)
  }

  test('says model and cost of an agent’s task by what earlier sessions used', () => {
    // Three calls of 1000 tokens in and 100 out at 2 and 10 USD per million, in two sessions.
    expect(rowOf('agent', earlier)).toMatchObject({
      worker: 'agent',
      model: SONNET,
      cost: 'about 0.0045 USD',
      estimate: { tokens: 1650, usd: 0.0045, from: 'history of 2 sessions' },
    })
  })

  test('takes sessions of other rooms where its own has none', () => {
    const elsewhere = earlier.map((one) => ({ ...one, room: 'lobby' }))
    expect(rowOf('agent', elsewhere).estimate?.from).toBe('history of 2 sessions')
    const both = [...elsewhere, call({ session: 's-9' })]
    expect(rowOf('agent', both).estimate?.from).toBe('history of 1 session')
  })

  test('says unknown without a history, and where the price is unknown', () => {
    expect(rowOf('agent', [])).toMatchObject({
      cost: 'unknown',
      estimate: { tokens: null, from: 'no history' },
    })
    const local = earlier.map((one) => ({ ...one, model: LOCAL, usd: null }))
    expect(rowOf('agent', local, LOCAL)).toMatchObject({ cost: 'unknown', estimate: { tokens: 1650 } })
  })

  test.each(['shell', 'human'] as const)('says that a task of worker %s costs nothing', (worker) => {
    expect(rowOf(worker, earlier)).toMatchObject({ worker, model: null, cost: '0 USD', estimate: null })
  })
})
