import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeHome } from '../home.ts'
import { NEO } from '../neo.ts'
import { startResident } from '../resident.ts'
import { inMs, type Line, type Row } from '../row.ts'
import { timed, until } from '../time.ts'
import { served } from './reads.ts'

/** Tasks, and the most ms until the address stands in daemon.json. */
const GOALS = [
  [10_000, 1_500],
  [100_000, 8_000],
] as const

export const firstRow: Row = {
  name: 'first',
  measures: 'the first start of a daemon on 10,000 and 100,000 tasks, until it answers over HTTP',
  async run({ quick }) {
    const lines: Line[] = []
    for (const [tasks, most] of quick ? GOALS.slice(0, 1) : GOALS) {
      const { dir } = makeHome({ tasks, rooms: 10, kind: 'settled' })
      const all: number[] = []
      for (let round = 0; round < 3; round++) all.push(await firstStart(dir))
      const { p50 } = timed(all)
      const work = `daemon: first start → address, ${tasks.toLocaleString('en')} tasks`
      lines.push({
        ...{ work, goal: `≤ ${inMs(most)}`, floor: '', measured: inMs(p50) },
        verdict: p50 <= most ? 'ok' : 'over',
      })
    }
    return lines
  },
}

async function firstStart(home: string): Promise<number> {
  rmSync(join(home, '.neo'), { recursive: true, force: true })
  const started = performance.now()
  const starting = startResident(['node', NEO, 'watch', '--home', home, '--json'], /"kind":"ready"/)
  await until('the address', () => served(home))
  const ms = performance.now() - started
  await (await starting).end()
  return ms
}
