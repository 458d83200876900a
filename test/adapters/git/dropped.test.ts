/** What a force push dropped is kept for eight weeks from when it was seen, and not for ever. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openRepository } from '../../../src/adapters/git/git-repository.ts'
import { DROPPED, DROPPED_MS, pruneDropped } from '../../../src/adapters/git/maintain.ts'
import { openBench } from './repo.ts'

test('pruneDropped() removes what it has known for eight weeks; a broken note removes nothing', async () => {
  const bench = await openBench({ 'a.txt': 'a\n' })
  onTestFinished(() => bench.close())
  const repository = await openRepository(bench.home)
  if (repository === null) throw new Error('There is no repository')
  onTestFinished(() => repository.living.end())
  const keep = (name: string) => bench.person('update-ref', `${DROPPED}/${name}`, 'HEAD')
  const kept = () => bench.person('for-each-ref', '--format=%(refname:lstrip=3)', DROPPED).trim()
  const start = Date.UTC(2026, 0, 1)
  keep('one')
  expect(await pruneDropped(repository, start)).toBe(0)
  keep('two')
  expect([await pruneDropped(repository, start + DROPPED_MS - 1), kept()]).toEqual([0, 'one\ntwo'])
  expect([await pruneDropped(repository, start + DROPPED_MS), kept()]).toEqual([1, 'two'])
  writeFileSync(join(bench.home, '.git/neo/dropped.json'), '{"x": 1')
  expect([await pruneDropped(repository, start + 3 * DROPPED_MS), kept()]).toEqual([0, 'two'])
  expect([await pruneDropped(repository, start + 4 * DROPPED_MS), kept()]).toEqual([1, ''])
})
