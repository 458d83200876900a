import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { git, makeHome } from '../home.ts'
import { NEO } from '../neo.ts'
import { startResident } from '../resident.ts'
import { inMs, type Line, ratioLine, type Row } from '../row.ts'
import { inTurn, processTime, until } from '../time.ts'
import { served } from './reads.ts'

/** Tasks, and the most ms until the address stands in daemon.json, on the machine that docs/bench.md names. */
const GOALS = [
  [10_000, 1_500],
  [100_000, 8_000],
] as const
/** A start reads and checks each file, loads the program and listens; the floor only reads and parses. */
const MOST_RATIO = 8
const ROOMS = 1_000
const ADOPTED_MS = 600_000

export const firstRow: Row = {
  name: 'first',
  measures: 'the first start of a daemon: 10,000 and 100,000 tasks, 1,000 rooms that nobody adopted',
  async run({ quick }) {
    const lines: Line[] = []
    for (const [tasks, most] of quick ? GOALS.slice(0, 1) : GOALS)
      lines.push(...(await settledLines(tasks, most, quick ? 1 : 3)))
    return [...lines, ...(await newRooms(quick ? 50 : ROOMS))]
  },
}

async function settledLines(tasks: number, most: number, rounds: number): Promise<readonly Line[]> {
  const { dir } = makeHome({ tasks, rooms: 10, kind: 'settled' })
  const times = await inTurn(
    {
      read: () => processTime(['node', 'bench/floors/list.mjs', dir]),
      neo: () => firstStart(dir),
    },
    rounds,
  )
  const work = `daemon: first start → address, ${tasks.toLocaleString('en')} tasks`
  const floor = { name: 'read + parse all', ms: times.read.p50 }
  return [ratioLine({ work, most: MOST_RATIO, floor, ms: times.neo.p50 }), inTime(work, most, times.neo.p50)]
}

/** How long until clients can connect, until all is committed, and in how many commits. */
async function newRooms(rooms: number): Promise<readonly Line[]> {
  const { dir } = makeHome({ tasks: rooms, rooms, kind: 'new' })
  const before = commits(dir)
  const started = performance.now()
  const starting = startResident(watching(dir), /"kind":"ready"/)
  await until('the address', () => served(dir), ADOPTED_MS)
  const addressMs = performance.now() - started
  await until('all are adopted', () => (commits(dir) > before ? true : null), ADOPTED_MS)
  await until('nothing is left to commit', () => (git(dir, ['status', '--porcelain']) === '' ? true : null))
  const wholeMs = performance.now() - started
  await (await starting).end()
  const made = commits(dir) - before
  const work = `daemon: first start on ${rooms.toLocaleString('en')} new rooms, a task in each`
  return [
    {
      work: `${work}: commits`,
      goal: '≤ 1',
      floor: '',
      measured: String(made),
      verdict: made > 1 ? 'over' : 'ok',
    },
    inTime(`${work}: → address`, GOALS[0][1], addressMs),
    { work: `${work}: → adopted`, goal: '', floor: '', measured: inMs(wholeMs), verdict: '-' },
  ]
}

function inTime(work: string, most: number, ms: number): Line {
  const verdict = ms <= most ? 'ok' : 'over'
  return { work, goal: `≤ ${inMs(most)}`, floor: '', measured: inMs(ms), verdict }
}

function commits(dir: string): number {
  return Number(git(dir, ['rev-list', '--count', 'HEAD']))
}

function watching(home: string): readonly [string, ...string[]] {
  return ['node', NEO, 'watch', '--home', home, '--json']
}

async function firstStart(home: string): Promise<number> {
  rmSync(join(home, '.neo'), { recursive: true, force: true })
  const started = performance.now()
  const starting = startResident(watching(home), /"kind":"ready"/)
  await until('the address', () => served(home))
  const ms = performance.now() - started
  await (await starting).end()
  return ms
}
