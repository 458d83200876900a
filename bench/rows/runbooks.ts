import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BenchHome, makeHome, temporary } from '../home.ts'
import { NEO } from '../neo.ts'
import { ratioLine, type Row } from '../row.ts'
import { callTime, processTime } from '../time.ts'

const LANES = 2

export const runbooksRow: Row = {
  name: 'runbooks',
  measures: '1,000 runbooks of `true` in the home, two at a time, from start to end',
  async run({ quick }) {
    const shape = { tasks: quick ? 40 : 1000, rooms: 10, kind: 'true' } as const
    const [bare, ours] = [makeHome(shape), makeHome(shape)]
    const floorMs = processTime(['node', 'bench/floors/runbooks.mjs', bare.dir, temporary(), String(LANES)])
    const ms = callTime(() => runAll(ours.dir))
    allCompleted(ours)
    const floor = { name: 'sparse worktree, sh, commit, merge, remove', ms: floorMs }
    return [ratioLine({ work: `${shape.tasks} runbooks of true`, most: 2, floor, ms })]
  },
}

function runAll(home: string): void {
  const env = { ...process.env, NEO_DAEMON__CONCURRENCY: String(LANES) }
  const run = spawnSync('node', [NEO, 'run', '--home', home], { env, encoding: 'utf8', maxBuffer: 1 << 28 })
  if (run.status !== 0) throw new Error(`neo run: exit ${run.status}\n${run.stderr.slice(-2000)}`)
}

function allCompleted({ dir, tasks }: BenchHome): void {
  const open = tasks.filter((path) => !/^status: completed$/m.test(readFileSync(join(dir, path), 'utf8')))
  if (open.length > 0) throw new Error(`${open.length} runbooks were not completed, the first is ${open[0]}`)
}
