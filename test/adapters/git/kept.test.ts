/** What is kept of git's output holds no more than itself. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it, onTestFinished } from 'vitest'
import { openRepository } from '../../../src/adapters/git/git-repository.ts'
import { zeroSplit } from '../../../src/adapters/git/process/spawn.ts'
import { tree, versions } from '../../../src/adapters/git/reading/git-log.ts'
import { openTrees } from '../../../src/adapters/git/reading/tree.ts'
import { openBench } from './repo.ts'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

function heap(): number {
  for (let round = 0; round < 3; round++) gc()
  return process.memoryUsage().heapUsed
}

it('a path of zeroSplit() keeps no output in memory', () => {
  const out = Buffer.from(
    Array.from({ length: 10_000 }, (_, n) => `rooms/shop/tasks/a-long-name-${n}.md`).join('\0'),
  )
  const before = heap()
  const kept = Array.from({ length: 100 }, (_, n) => zeroSplit(out)[n])
  expect(heap() - before).toBeLessThan(10 * out.length)
  expect(new Set(kept).size).toBe(100)
})

it('an id and a path of a tree keep no list in memory, and a version no log', async () => {
  const bench = await openBench(
    Object.fromEntries(
      Array.from({ length: 2_000 }, (_, n) => [`rooms/shop/tasks/a-task-of-some-length-${n}.md`, 'x']),
    ),
  )
  onTestFinished(() => bench.close())
  const [dir, commit] = [bench.home, bench.person('rev-parse', 'HEAD').trim()]
  const repository = await openRepository(dir)
  if (repository === null) throw new Error(`There is no repository in ${dir}`)
  onTestFinished(() => repository.living.end())
  const kept: unknown[] = []
  await tree({ repository, trees: openTrees(repository) }, commit, ['rooms'])
  const before = heap()
  for (let n = 0; n < 40; n++) {
    kept.push([...(await tree({ repository, trees: openTrees(repository) }, commit, ['rooms']))][n])
    kept.push((await versions(dir, 'rooms', 5))[0]?.blob)
  }
  expect(heap() - before).toBeLessThan(2_000_000)
  expect(kept[0]).toEqual(['rooms/shop/tasks/a-task-of-some-length-0.md', bench.git.blobId(Buffer.from('x'))])
})
