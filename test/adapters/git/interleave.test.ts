/** Our commits and a person's at the same moments: neither undoes the other's, and no lock is left behind. */
import { execFile, spawn } from 'node:child_process'
import { existsSync, linkSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect, it } from 'vitest'
import { type Bench, openBench, saying } from './repo.ts'

let bench: Bench
afterEach(() => bench.close())

const run = promisify(execFile)
const COMMITS = 40

/** A person's git, again while it says that somebody else was first. */
async function patiently(...args: string[]): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return void (await run('git', args, { cwd: bench.home }))
    } catch (error) {
      const { stderr = '' } = error as { stderr?: string }
      if (!/index\.lock|cannot lock ref|HEAD\.lock/.test(stderr) || tries > 100) throw error
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
}

async function theirs(): Promise<void> {
  for (let n = 0; n < COMMITS; n++) {
    bench.write(`theirs/${n}.md`, `${n}\n`)
    await patiently('add', `theirs/${n}.md`)
    await patiently('commit', '-q', '-m', `theirs ${n}`)
  }
}

/** Again while it is busy: the other side holds the lock for longer on a loaded machine. */
async function committed(commit: () => ReturnType<Bench['git']['commit']>): Promise<void> {
  for (let tries = 0; ; tries++) {
    const done = await commit()
    if (done.kind === 'committed') return
    if (done.kind !== 'busy' || tries > 100) throw new Error(`not committed: ${JSON.stringify(done)}`)
  }
}

/** Until they are done, and no less than so many. */
async function ours(going: () => boolean): Promise<Map<string, string>> {
  const last = new Map<string, string>()
  for (let n = 0; going() || n < COMMITS; n++) {
    const changes = { [`ours/${n % 7}.md`]: `${n}\n`, [`new/${n}.md`]: `${n}\n` }
    for (const [path, text] of Object.entries(changes)) bench.write(path, text)
    await committed(() => bench.git.commit('main', saying(`ours ${n}`, changes)))
    for (const [path, text] of Object.entries(changes)) last.set(path, text)
    await new Promise((resolve) => setTimeout(resolve, (n * 7) % 9))
  }
  return last
}

it("commit and a person's add and commit in a loop undo nothing of each other", async () => {
  bench = await openBench({ 'a.md': 'a' })
  bench.write('staged.md', 'staged')
  let going = true
  const loop = theirs().finally(() => {
    going = false
  })
  const last = await ours(() => going)
  await loop
  expect(await bench.git.refresh()).toBe(0)
  // Each version of ours came from the one before: none was undone in between.
  for (const [path, text] of last) expect(bench.person('show', `HEAD:${path}`)).toBe(text)
  for (let n = 0; n < COMMITS; n++) expect(bench.person('show', `HEAD:theirs/${n}.md`)).toBe(`${n}\n`)
  const undone = bench.person('log', '--format=%s', '--grep=^theirs', '--', 'ours', 'new')
  expect([undone, bench.status(), bench.person('fsck', '--strict', '--no-dangling')]).toEqual([
    '',
    '?? staged.md\n',
    '',
  ])
  const listed = bench.person('ls-tree', '-r', 'HEAD').replace(/^(\d+) blob (\w+)\t/gm, '$1 $2 0\t')
  expect(bench.person('ls-files', '-s')).toBe(listed)
})

it('commit writes the reflogs of HEAD and of the branch as git does', async () => {
  bench = await openBench({ 'a.md': 'a' })
  const old = bench.person('rev-parse', 'HEAD').trim()
  await bench.git.commit('main', saying('ours', { 'a.md': 'b' }))
  for (const ref of ['HEAD', 'main']) {
    expect(bench.person('reflog', 'show', '-1', '--format=%H %gs', ref).trim()).toBe(
      `${bench.person('rev-parse', 'HEAD').trim()} neo: commit`,
    )
    expect(bench.person('rev-parse', `${ref}@{1}`).trim()).toBe(old)
  }
})

it.each([
  ['packed', ['pack-refs', '--all']],
  ['without a reflog', ['reflog', 'expire', '--all', '--expire=now']],
  ['of an index in format 4', ['update-index', '--index-version', '4']],
  ['of a split index', ['update-index', '--split-index']],
])('commit goes on on a branch %s', async (_, args) => {
  bench = await openBench({ 'a.md': 'a', 'b.md': 'b' })
  bench.person(...args)
  bench.write('a.md', 'ours')
  expect((await bench.git.commit('main', saying('ours', { 'a.md': 'ours' }))).kind).toBe('committed')
  await bench.git.refresh()
  expect([bench.person('show', 'HEAD:a.md'), bench.status()]).toEqual(['ours', ''])
})

it.each(['index', 'HEAD', 'refs/heads/main'])(
  'a lock of %s that we died with is taken away',
  async (name) => {
    bench = await openBench({ 'a.md': 'a' })
    const child = spawn('true')
    await new Promise((resolve) => child.on('close', resolve))
    const locks = join(bench.home, '.git', 'neo', 'locks')
    mkdirSync(locks, { recursive: true })
    const file = join(locks, `${child.pid}-1-${encodeURIComponent(name)}`)
    writeFileSync(file, '')
    linkSync(file, join(bench.home, '.git', `${name}.lock`))
    bench.write('a.md', 'ours')
    expect((await bench.git.commit('main', saying('ours', { 'a.md': 'ours' }))).kind).toBe('committed')
    await bench.git.refresh()
    expect([existsSync(join(bench.home, '.git', `${name}.lock`)), readdirSync(locks)]).toEqual([false, []])
    expect(bench.status()).toBe('')
  },
)

it('a checkout that has changed the index and not yet HEAD is waited for', async () => {
  bench = await openBench({ 'a.md': 'a' })
  bench.person('branch', 'side')
  bench.write('b.md', 'b')
  bench.person('add', '-A')
  bench.person('commit', '-qm', 'second')
  bench.person('read-tree', '-m', '-u', 'HEAD', 'side')
  const committing = bench.git.commit('main', saying('ours', { 'a.md': 'ours' }))
  await new Promise((resolve) => setTimeout(resolve, 15))
  // Without a process, which may take longer than a checkout is waited for.
  writeFileSync(join(bench.home, '.git/HEAD'), 'ref: refs/heads/side\n')
  expect(await committing).toEqual({ kind: 'busy', why: 'HEAD is on side' })
  expect(bench.status()).toBe('')
})
