import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { composeWorld } from '../../src/compose.ts'
import type { World } from '../../src/ports/world.ts'
import { type BenchHome, git, makeHome } from '../home.ts'
import { ratioLine, type Row } from '../row.ts'
import { inTurn } from '../time.ts'

export const commitRow: Row = {
  name: 'commit',
  measures: "one decision's commit among 10,000 files, with fsync, beside git add + git commit",
  async run({ quick }) {
    const shape = { tasks: quick ? 1000 : 10_000, rooms: 10, kind: 'settled' } as const
    const [bare, ours] = [makeHome(shape), makeHome(shape)]
    const world = await composeWorld(ours.dir)
    try {
      let count = 0
      const times = await inTurn(
        { git: () => byGit(bare, ++count), neo: () => byNeo(ours, world.git, ++count) },
        quick ? 5 : 51,
      )
      const floor = { name: 'git add F && git commit', ms: times.git.p50 }
      return [ratioLine({ work: "one decision's commit", most: 0.5, floor, ms: times.neo.p50 })]
    } finally {
      await world.git.close()
    }
  },
}

function byGit(home: BenchHome, count: number): number {
  const { path } = change(home, count)
  const started = performance.now()
  git(home.dir, ['add', path])
  git(home.dir, ['commit', '-q', '-m', subject(count)])
  return performance.now() - started
}

async function byNeo(home: BenchHome, repository: World['git'], count: number): Promise<number> {
  const { path, bytes } = change(home, count)
  const started = performance.now()
  const result = await repository.commit('main', {
    changes: [[path, bytes]],
    subject: subject(count),
    body: '',
    trailers: [['Neo-Task', 't-000000']],
    author: { name: 'Neo', email: 'neo@localhost' },
  })
  const ms = performance.now() - started
  if (result.kind !== 'committed') throw new Error(`Nothing was committed: ${result.kind}`)
  return ms
}

/** Changes a file on disk, a different one each time; not part of what is measured. */
function change(home: BenchHome, count: number): { path: string; bytes: Buffer } {
  const path = home.tasks[(count * 37) % home.tasks.length] ?? ''
  const bytes = Buffer.from(`${readFileSync(join(home.dir, path), 'utf8')}\nChange ${count}.\n`)
  writeFileSync(join(home.dir, path), bytes)
  return { path, bytes }
}

function subject(count: number): string {
  return `neo(room-0): complete task-${count} (done)`
}
