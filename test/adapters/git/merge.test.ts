/** Merges of a session's branch on real git: over nothing that a person works on. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { copyIndex } from '../../../src/adapters/git/merge/merge-mend.ts'
import { type Bench, gitIn, openBench, placeIn, put, sessionBranch, words } from './repo.ts'

let bench: Bench
afterEach(() => bench.close())

const FIRST = { 'a.md': 'a\n', 'b.md': 'b\n', 'd/e.md': 'e\n', '.gitignore': '.neo/\n*.log\n' }

function merge() {
  return bench.git.merge(placeIn(bench), 'neo/one', words)
}

function tip(branch: string): string {
  return bench.person('rev-parse', branch).trim()
}

/** Merges, which must wait, and compares all that a person can see before and after. */
async function expectWaits(why: string): Promise<void> {
  const look = () => [
    tip('main'),
    bench.person('ls-files', '-s'),
    bench.person('status', '--porcelain', '--ignored'),
  ]
  const before = look()
  const result = await merge()
  expect(result).toMatchObject({ kind: 'waits' })
  expect(result.kind === 'waits' && result.why).toContain(why)
  expect(look()).toEqual(before)
}

describe('merge', () => {
  it('moves only the ref when base is not checked out', async () => {
    bench = await openBench(FIRST)
    await sessionBranch(bench, { 'a.md': 'ours\n' })
    bench.person('checkout', '-qb', 'other')
    bench.write('a.md', 'being edited\n')
    const other = tip('other')
    const result = await merge()
    expect(result).toEqual({ kind: 'merged', commit: tip('main') })
    expect(bench.person('show', 'main:a.md')).toBe('ours\n')
    expect(
      bench.person('log', '-1', '--format=%s|%(trailers:key=Neo-Session,valueonly)|%cn', 'main'),
    ).toContain('merge it|s-1')
    expect(tip('main^2')).toBe(tip('neo/one'))
    expect([tip('other'), bench.status()]).toEqual([other, ' M a.md\n'])
  })

  it('brings index and files along when base is checked out and clean', async () => {
    bench = await openBench(FIRST)
    const dir = await sessionBranch(bench, { 'a.md': 'ours\n', 'new/n.md': 'n\n' })
    gitIn(dir, 'checkout', '-q', 'neo/one')
    gitIn(dir, 'rm', '-q', 'd/e.md')
    gitIn(dir, 'commit', '-qm', 'gone')
    expect((await merge()).kind).toBe('merged')
    expect(readFileSync(join(bench.home, 'a.md'), 'utf8')).toBe('ours\n')
    expect(bench.person('ls-files')).toBe('.gitignore\na.md\nb.md\nnew/n.md\n')
    expect(bench.status()).toBe('')
  })

  it('leaves changed, staged and untracked files beside its paths as they are', async () => {
    bench = await openBench(FIRST)
    await sessionBranch(bench, { 'a.md': 'ours\n' })
    bench.write('b.md', 'being edited\n')
    bench.write('d/e.md', 'staged\n')
    bench.person('add', 'd/e.md')
    bench.write('loose.md', 'untracked\n')
    const before = bench.status()
    expect((await merge()).kind).toBe('merged')
    expect(bench.status()).toBe(before)
    expect(readFileSync(join(bench.home, 'a.md'), 'utf8')).toBe('ours\n')
  })

  it('goes over a file that was touched but is equal', async () => {
    bench = await openBench(FIRST)
    await sessionBranch(bench, { 'a.md': 'ours\n' })
    bench.write('a.md', 'a\n')
    expect((await merge()).kind).toBe('merged')
    expect(bench.status()).toBe('')
  })

  it('waits when a path of it is being edited', async () => {
    bench = await openBench(FIRST)
    await sessionBranch(bench, { 'a.md': 'ours\n', 'b.md': 'ours\n' })
    bench.write('b.md', 'being edited\n')
    await expectWaits('you are editing b.md')
    expect(readFileSync(join(bench.home, 'b.md'), 'utf8')).toBe('being edited\n')
  })

  it('waits when a path of it is staged, also where the file equals HEAD again', async () => {
    bench = await openBench(FIRST)
    await sessionBranch(bench, { 'a.md': 'ours\n' })
    bench.write('a.md', 'staged\n')
    bench.person('add', 'a.md')
    bench.write('a.md', 'a\n')
    await expectWaits('you are editing a.md')
  })

  it('waits when a person has deleted a path of it', async () => {
    bench = await openBench(FIRST)
    await sessionBranch(bench, { 'a.md': 'ours\n' })
    bench.person('rm', '-q', '--', 'a.md')
    await expectWaits('a.md')
  })

  it('waits when an untracked file is in the way', async () => {
    bench = await openBench(FIRST)
    await sessionBranch(bench, { 'new.md': 'ours\n' })
    bench.write('new.md', 'mine\n')
    await expectWaits('new.md')
    expect(readFileSync(join(bench.home, 'new.md'), 'utf8')).toBe('mine\n')
  })

  it('waits when an ignored file is in the way', async () => {
    bench = await openBench(FIRST)
    const dir = await sessionBranch(bench, { 'x.md': 'x\n' })
    gitIn(dir, 'checkout', '-q', 'neo/one')
    put(dir, 'out.log', 'ours\n')
    gitIn(dir, 'add', '-f', 'out.log')
    gitIn(dir, 'commit', '-qm', 'log')
    bench.write('out.log', 'mine\n')
    await expectWaits('out.log')
    expect(readFileSync(join(bench.home, 'out.log'), 'utf8')).toBe('mine\n')
  })

  it('waits when a file of a person stands where a folder must be', async () => {
    bench = await openBench(FIRST)
    await sessionBranch(bench, { 'new/n.md': 'ours\n' })
    bench.write('new', 'mine\n')
    await expectWaits('new/n.md')
    expect(readFileSync(join(bench.home, 'new'), 'utf8')).toBe('mine\n')
  })

  it('waits when a tracked folder becomes a file and an ignored file is in the folder', async () => {
    bench = await openBench(FIRST)
    const dir = await sessionBranch(bench, { 'x.md': 'x\n' })
    gitIn(dir, 'checkout', '-q', 'neo/one')
    gitIn(dir, 'rm', '-rq', 'd')
    put(dir, 'd', 'a file now\n')
    gitIn(dir, 'add', 'd')
    gitIn(dir, 'commit', '-qm', 'file')
    bench.write('d/keep.log', 'mine\n')
    await expectWaits('')
    expect(readFileSync(join(bench.home, 'd', 'keep.log'), 'utf8')).toBe('mine\n')
  })

  it('waits when git is in the middle of something', async () => {
    bench = await openBench(FIRST)
    await sessionBranch(bench, { 'a.md': 'ours\n' })
    bench.person('branch', 'side', 'main')
    bench.person('bisect', 'start')
    await expectWaits('a bisect is under way')
  })

  it('waits when the index is locked', async () => {
    bench = await openBench(FIRST)
    await sessionBranch(bench, { 'a.md': 'ours\n' })
    put(bench.home, '.git/index.lock', '')
    const before = tip('main')
    expect((await merge()).kind).toBe('waits')
    expect(tip('main')).toBe(before)
    expect(readFileSync(join(bench.home, 'a.md'), 'utf8')).toBe('a\n')
  })

  it('names each path of a conflict once and changes nothing', async () => {
    bench = await openBench(FIRST)
    await sessionBranch(bench, { 'a.md': 'ours\n', 'd/e.md': 'ours\n', 'b.md': 'ours\n' })
    bench.write('a.md', 'theirs\n')
    bench.write('d/e.md', 'theirs\n')
    bench.person('commit', '-qam', 'theirs')
    const before = tip('main')
    expect(await merge()).toEqual({ kind: 'conflict', paths: ['a.md', 'd/e.md'] })
    expect([tip('main'), bench.status()]).toEqual([before, ''])
  })

  it('says nothing when the branch has nothing that base lacks', async () => {
    bench = await openBench(FIRST)
    await sessionBranch(bench, {})
    expect(await merge()).toEqual({ kind: 'nothing' })
  })
})

describe('branchState', () => {
  const state = () => bench.git.branchState(placeIn(bench), 'neo/one')

  it('counts the commits of an open branch', async () => {
    bench = await openBench(FIRST)
    await sessionBranch(bench, { 'a.md': 'ours\n' })
    expect(await state()).toEqual({ kind: 'open', ahead: 1, behind: 0 })
    expect(await bench.git.deleteBranch(placeIn(bench), 'neo/one')).toBe('kept')
  })

  it('says merged after a squash merge, and the branch may go', async () => {
    bench = await openBench(FIRST)
    await sessionBranch(bench, { 'a.md': 'ours\n' })
    bench.person('merge', '-q', '--squash', 'neo/one')
    bench.person('commit', '-qm', 'squashed')
    bench.write('b.md', 'more\n')
    bench.person('commit', '-qam', 'more')
    expect((await state()).kind).toBe('merged')
    expect(await bench.git.deleteBranch(placeIn(bench), 'neo/one')).toBe('deleted')
    expect(await bench.git.branchExists(placeIn(bench), 'neo/one')).toBe(false)
  })

  it('says merged of a branch that was deleted after its merge', async () => {
    bench = await openBench(FIRST)
    await sessionBranch(bench, { 'a.md': 'ours\n' })
    bench.person('merge', '-q', '--no-edit', 'neo/one')
    bench.person('branch', '-qD', 'neo/one')
    expect((await state()).kind).toBe('merged')
  })

  it('says gone of a branch that was deleted unmerged', async () => {
    bench = await openBench(FIRST)
    await sessionBranch(bench, { 'a.md': 'ours\n' })
    bench.person('branch', '-qD', 'neo/one')
    expect(await state()).toEqual({ kind: 'gone' })
  })

  it('takes no name that git would not take for a branch', async () => {
    bench = await openBench(FIRST)
    for (const name of ['main\nmain', 'x blob 5', 'main~0', 'main:a.md', 'main^{tree}', 'main@{0}'])
      expect(await bench.git.branchExists(placeIn(bench), name)).toBe(false)
    expect(await bench.git.branchExists(placeIn(bench), 'main')).toBe(true)
    expect(await bench.git.branchExists(placeIn(bench), 'none')).toBe(false)
  })
})

it.each([
  ['a.md', null],
  ['b.md', 'held'],
] as const)('an index in which %s is staged while a merge changes a.md is %s', async (staged, wanted) => {
  bench = await openBench(FIRST)
  const gitDir = join(bench.home, '.git')
  const copy = copyIndex(gitDir)
  bench.write(staged, 'mine\n')
  bench.person('add', staged)
  const leaf = (rev: string) => ({ mode: '100644', oid: bench.person('rev-parse', rev).trim() })
  const held = await copy.hold([{ path: 'a.md', old: leaf('HEAD:a.md'), now: leaf('HEAD:d/e.md') }])
  expect(held === null ? null : 'held').toBe(wanted)
  held?.land()
  expect([existsSync(join(gitDir, 'index.lock')), bench.status().includes(`M  ${staged}`)]).toEqual([
    false,
    true,
  ])
})
