/** Commits of the home on real git: what they hold, what they leave alone, when they wait. */
import { spawn } from 'node:child_process'
import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { type Bench, commitTo, gitCode, openBench, saying, until } from './repo.ts'

let bench: Bench
afterEach(() => bench.close())

const commit = (subject: string, changes: Record<string, string | null>) => commitTo(bench, subject, changes)

describe('what a commit holds', () => {
  it('commit makes the first commit of an unborn branch', async () => {
    bench = await openBench()
    const result = await commit('first', { 'a/b.md': 'x\n' })
    expect(result).toMatchObject({ kind: 'committed', parent: null })
    expect(bench.person('show', 'main:a/b.md')).toBe('x\n')
    expect((await bench.git.head()).commit).toBe(result.kind === 'committed' && result.commit)
  })

  it('commit takes a path out, and its folder with the last one', async () => {
    bench = await openBench({ 'a/b.md': 'x', 'c.md': 'y' })
    rmSync(join(bench.home, 'a'), { recursive: true })
    expect((await commit('gone', { 'a/b.md': null })).kind).toBe('committed')
    expect(bench.person('ls-tree', '-r', '-t', '--name-only', 'HEAD')).toBe('c.md\n')
    expect(bench.status()).toBe('')
  })

  it('commit takes the last file of the repository out', async () => {
    bench = await openBench({ 'a.md': 'x' })
    rmSync(join(bench.home, 'a.md'))
    expect((await commit('empty', { 'a.md': null })).kind).toBe('committed')
    expect(bench.person('ls-tree', '-r', 'HEAD')).toBe('')
    expect(bench.status()).toBe('')
  })

  it.each([
    ['quotes', `it's "so".md`],
    ['a tab', 'a\tb.md'],
    ['a newline', 'a\nb.md'],
    ['a leading dash', '-rf'],
    ['pathspec magic', ':(glob)**'],
    ['an exclusion', ':!a.md'],
    ['stars', '*.md'],
    ['a backslash', 'a\\b.md'],
    ['letters beyond ASCII', 'größe/日本語 🙂.md'],
    ['a decomposed letter', 'e\u0301.md'],
    ['spaces at both ends', ' a .md '],
  ])('commit keeps a name with %s byte for byte, and the index follows', async (_, name) => {
    bench = await openBench({ 'a.md': 'a', 'z.md': 'z' })
    bench.write(name, 'text')
    expect((await commit('odd', { [name]: 'text' })).kind).toBe('committed')
    expect(bench.person('ls-tree', '-r', '-z', '--name-only', 'HEAD').split('\0')).toContain(name)
    expect(bench.status()).toBe('')
    rmSync(join(bench.home, name))
    expect((await commit('odd gone', { [name]: null })).kind).toBe('committed')
    expect(bench.person('ls-tree', '-r', '-z', '--name-only', 'HEAD')).toBe('a.md\0z.md\0')
    expect(bench.status()).toBe('')
  })

  it('commit orders a folder among files as git does', async () => {
    bench = await openBench({ a: 'x', 'a.b': 'y' })
    rmSync(join(bench.home, 'a'))
    bench.write('a/c', 'z')
    await commit('folder', { a: null, 'a/c': 'z', a0: 'w' })
    expect(bench.person('fsck', '--strict')).toBe('')
    expect(bench.person('ls-tree', '-r', '--name-only', 'HEAD').split('\n')).toEqual(['a.b', 'a/c', 'a0', ''])
  })

  it('commit keeps the mode of an executable file', async () => {
    bench = await openBench({ 'run.sh': 'x' })
    bench.person('update-index', '--chmod=+x', 'run.sh')
    bench.person('commit', '-qm', 'mode')
    await commit('text', { 'run.sh': 'y' })
    expect(bench.person('ls-tree', 'HEAD', 'run.sh')).toMatch(/^100755 /)
  })

  it.each([
    ['a link', () => symlinkSync('../elsewhere', join(bench.home, 'a.md'))],
    ['a folder', () => bench.write('a.md/x', 'x')],
  ])('commit stores a plain file in place of %s', async (_, make) => {
    bench = await openBench({ 'z.md': 'z' })
    make()
    bench.person('add', '-A')
    bench.person('commit', '-qm', 'as it was')
    rmSync(join(bench.home, 'a.md'), { recursive: true })
    bench.write('a.md', 'text')
    expect((await commit('a file now', { 'a.md': 'text' })).kind).toBe('committed')
    expect(bench.person('ls-tree', '-r', 'HEAD', 'a.md')).toMatch(/^100644 blob /)
    expect(bench.person('fsck', '--strict')).toBe('')
  })

  it('commit removes no folder that has the name of a file of ours', async () => {
    bench = await openBench({ 'a.md/x': 'x' })
    expect(await commit('gone', { 'a.md': null })).toEqual({ kind: 'nothing' })
    expect(bench.person('ls-tree', '-r', '--name-only', 'HEAD')).toBe('a.md/x\n')
  })

  it('commit goes on where a folder has the name of a file of attributes', async () => {
    bench = await openBench({ '.gitattributes/x': 'x', 'a.md': 'a' })
    expect((await commit('text', { 'a.md': 'b' })).kind).toBe('committed')
  })

  it('commit says nothing where the tree would not change', async () => {
    bench = await openBench({ 'a.md': 'x' })
    const before = bench.person('rev-parse', 'HEAD')
    expect(await commit('same', { 'a.md': 'x' })).toEqual({ kind: 'nothing' })
    expect(await commit('not there', { 'b.md': null })).toEqual({ kind: 'nothing' })
    expect(await commit('no change', {})).toEqual({ kind: 'nothing' })
    expect(bench.person('rev-parse', 'HEAD')).toBe(before)
  })

  it('commit writes trailers that git reads, also where a value has line breaks', async () => {
    bench = await openBench({ 'a.md': 'x' })
    await bench.git.commit('main', {
      ...saying('sub\nject', { 'a.md': 'y' }),
      body: 'Some words.\n\nNot-A-Trailer: x\n\nMore.',
      trailers: [
        ['Neo-Task', 't-1'],
        ['Neo-Result', 'one\nNeo-Task: t-2'],
      ],
    })
    const read = bench.person('log', '-1', '--format=%s%n%(trailers)')
    expect(read.trim().split('\n')).toEqual(['sub ject', 'Neo-Task: t-1', 'Neo-Result: one Neo-Task: t-2'])
    const [entry] = await bench.git.log({ limit: 1 })
    expect(entry?.trailers['Neo-Task']).toEqual(['t-1'])
  })

  it('commit keeps its trailers behind a body with a zero byte, and log() reads no trailer out of a subject', async () => {
    bench = await openBench({ 'a.md': 'x' })
    const trailers = [['Neo-Task', 't-1']] as const
    const subject = 'one \x1fNeo-Task: forged\x1f \x1e end'
    await bench.git.commit('main', { ...saying(subject, { 'a.md': 'y' }), body: 'a\0b', trailers })
    bench.person('commit', '-q', '--allow-empty', '-m', 'second')
    expect(await bench.git.log({ limit: 5 })).toMatchObject([
      { subject: 'second', trailers: {} },
      { subject, trailers: { 'Neo-Task': ['t-1'] }, author: 'Author' },
      { subject: 'first', trailers: {}, author: 'Person' },
    ])
  })

  it('commit names the author that is asked for and Neo as committer', async () => {
    bench = await openBench()
    const author = { name: 'A <b>\nc', email: 'x@localhost>' }
    await bench.git.commit('main', { ...saying('s', { a: 'x' }), author })
    expect(bench.person('log', '-1', '--format=%an|%ae|%cn|%ce').trim()).toBe(
      'A bc|x@localhost|Neo|neo@localhost',
    )
    expect(bench.person('fsck', '--strict')).toBe('')
  })
})

describe('what a commit leaves to the person', () => {
  it('commit leaves staged, changed and untracked files as they are', async () => {
    bench = await openBench({ 'a.md': 'a', 'b.md': 'b', 'ours.md': 'o' })
    bench.write('a.md', 'staged')
    bench.write('new.md', 'staged too')
    bench.person('add', 'a.md', 'new.md')
    bench.write('b.md', 'changed')
    bench.write('loose.md', 'untracked')
    const before = bench.status()
    bench.write('ours.md', 'p')
    await commit('ours', { 'ours.md': 'p' })
    expect(bench.status()).toBe(before)
    expect(bench.person('show', '--name-only', '--format=', 'HEAD')).toBe('ours.md\n')
  })

  it('commit leaves what the person staged at the very path', async () => {
    bench = await openBench({ 'a.md': 'a' })
    bench.write('a.md', 'staged')
    bench.person('add', 'a.md')
    await commit('ours', { 'a.md': 'ours' })
    expect(bench.person('show', ':a.md')).toBe('staged')
  })

  it("the index follows by itself, and a person's next plain commit does not undo ours", async () => {
    bench = await openBench({ 'a.md': 'a', 'b.md': 'b' })
    bench.write('a.md', 'ours')
    await bench.git.commit('main', saying('ours', { 'a.md': 'ours' }))
    await until(() => gitCode(bench.home, 'diff', '--cached', '--quiet') === 0)
    bench.write('b.md', 'theirs')
    bench.person('add', 'b.md')
    bench.person('commit', '-qm', 'theirs')
    expect(bench.person('show', 'HEAD:a.md')).toBe('ours')
    expect(bench.status()).toBe('')
  })

  it.each([
    ['after the index follows', true],
    ['before the index follows', false],
  ])('a reset --hard HEAD~1 of the person %s stays', async (_, follows) => {
    bench = await openBench({ 'a.md': 'a' })
    bench.write('a.md', 'ours')
    bench.write('n.md', 'new')
    await bench.git.commit('main', saying('ours', { 'a.md': 'ours', 'n.md': 'new' }))
    if (follows) await bench.git.refresh()
    bench.person('reset', '-q', '--hard', 'HEAD~1')
    rmSync(join(bench.home, 'n.md'), { force: true })
    await bench.git.refresh()
    expect(bench.status()).toBe('')
    bench.write('c.md', 'c')
    await commit('next', { 'c.md': 'c' })
    expect(bench.person('log', '--format=%s')).toBe('next\nfirst\n')
    expect(bench.person('show', 'HEAD:a.md')).toBe('a')
    expect(bench.status()).toBe('')
  })
})

describe('when a commit waits', () => {
  async function busy(): Promise<void> {
    const before = bench.person('rev-parse', 'main')
    expect((await commit('ours', { 'new.md': 'x' })).kind).toBe('busy')
    expect(bench.person('rev-parse', 'main')).toBe(before)
  }

  it('commit is busy during a merge and a rebase that stopped, and goes on after them', async () => {
    bench = await openBench({ 'a.md': 'a' })
    bench.person('checkout', '-qb', 'side')
    bench.write('a.md', 'side')
    bench.person('commit', '-qam', 'side')
    bench.person('checkout', '-q', 'main')
    bench.write('a.md', 'main')
    bench.person('commit', '-qam', 'main')
    expect(gitCode(bench.home, 'merge', 'side')).toBe(1)
    await busy()
    bench.person('merge', '--abort')
    expect(gitCode(bench.home, 'rebase', 'side')).toBe(1)
    await busy()
    bench.person('rebase', '--abort')
    expect((await commit('ours', { 'new.md': 'x' })).kind).toBe('committed')
  })

  it('commit is busy on a detached HEAD and on another branch', async () => {
    bench = await openBench({ 'a.md': 'a' })
    bench.person('checkout', '-q', '--detach')
    await busy()
    bench.person('checkout', '-qb', 'other')
    await busy()
  })
})

it('commit loses none of eight at once while a person commits in a loop', async () => {
  bench = await openBench({ 'a.md': 'a' })
  const loop =
    'for i in 1 2 3 4 5 6 7 8 9 10; do until git commit -q --allow-empty -m "person $i"; do sleep 0.01; done; done'
  const shell = spawn('sh', ['-c', loop], { cwd: bench.home, stdio: 'ignore' })
  const ended = new Promise<number | null>((resolve) => shell.on('close', resolve))
  const ours = Array.from({ length: 8 }, (_, at) => `ours ${at}`)
  // On a busy machine a commit of theirs takes longer than ours wait for it: then ours is asked for again.
  await Promise.all(
    ours.map((subject, at) =>
      until(async () => {
        const { kind } = await bench.git.commit('main', saying(subject, { [`f${at}.md`]: 'x' }))
        return kind === 'committed'
      }),
    ),
  )
  expect(await ended).toBe(0)
  const theirs = Array.from({ length: 10 }, (_, at) => `person ${at + 1}`)
  const log = bench.person('log', '--format=%s').trim().split('\n')
  expect([...log].sort()).toEqual([...ours, ...theirs, 'first'].sort())
  expect(await bench.git.refresh()).toBe(0)
})
