/**
 * Filters that a person set up for one repository (git-crypt, LFS, nbstripout): nothing is stored without them, and none
 * runs until it is allowed, by its commands; then it never loads code from a work tree.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { allowFilterAt, denyFilterAt, filtersAt } from '../../../src/adapters/git/process/git-invocation.ts'
import {
  type Bench,
  commitSession,
  gitIn,
  openBench,
  openSession,
  placeIn,
  put,
  saying,
  words,
} from './repo.ts'

let bench: Bench
let program: string
beforeEach(async () => {
  bench = await openBench({ '.gitignore': '.neo/\n', 'a.txt': 'a\n' })
  program = join(bench.root, 'crypt.sh')
  // Both ways alike, as rot13 is; what is stored is not what is worked on.
  writeFileSync(program, '#!/bin/sh\nexec tr a-zA-Z n-za-mN-ZA-M\n')
  chmodSync(program, 0o755)
})
afterEach(() => bench.close())

/** As a person sets it up: configuration of the repository, attributes, a secret that is stored through the filter. */
function setUp(name = 'crypt', command = program): void {
  bench.person('config', `filter.${name}.clean`, command)
  bench.person('config', `filter.${name}.smudge`, command)
  bench.person('config', `filter.${name}.required`, 'true')
  bench.write('sub/.gitattributes', `*.secret filter=${name}\n`)
  bench.write('sub/k.secret', 'hello\n')
  bench.person('add', '-A')
  bench.person('commit', '-qm', 'secret')
}

const stored = (rev: string) => bench.person('cat-file', 'blob', `${rev}:sub/k.secret`)

test('a file whose filter is not allowed is not committed, and all work waits', async () => {
  setUp()
  expect(stored('main')).toBe('uryyb\n')
  const dir = await openSession(bench, placeIn(bench))
  put(dir, 'sub/k.secret', 'changed\n')
  put(dir, 'b.txt', 'b\n')
  const done = await commitSession(bench, { dir, place: placeIn(bench) })
  expect(done).toMatchObject({ kind: 'refused' })
  expect(done.kind === 'refused' && done.why).toMatch(/neo filter allow crypt .*sub\/k\.secret/)
  expect(bench.person('rev-list', '--count', 'main..neo/one').trim()).toBe('0')
})

test('files that are left alone hinder nothing, and the session is told of them', async () => {
  setUp()
  const dir = join(bench.home, '.neo', 'worktrees', 's-1')
  const place = placeIn(bench)
  const made = await bench.git.addWorktree({ place, dir, branch: 'neo/one', from: 'main' })
  expect(made.asStored).toEqual(['sub/k.secret (filter "crypt")'])
  put(dir, 'b.txt', 'b\n')
  expect(await commitSession(bench, { dir, place })).toMatchObject({ kind: 'ok', changed: true })
  expect(stored('neo/one')).toBe('uryyb\n')
  expect((await bench.git.merge(place, 'neo/one', words)).kind).toBe('merged')
  expect(readFileSync(join(bench.home, 'sub/k.secret'), 'utf8')).toBe('hello\n')
  await bench.git.detachWorktree(place, dir)
  expect(await bench.git.removeWorktree(place, dir)).toEqual({ kind: 'removed' })
})

test('a filter that is allowed runs, until its commands change', async () => {
  setUp()
  expect(await filtersAt(bench.home)).toMatchObject({ filters: [{ name: 'crypt', state: 'withheld' }] })
  expect(await allowFilterAt(bench.home, 'crypt')).toBe(true)
  expect(await filtersAt(bench.home)).toMatchObject({ filters: [{ name: 'crypt', state: 'allowed' }] })
  const place = placeIn(bench)
  const dir = await openSession(bench, place)
  expect(readFileSync(join(dir, 'sub/k.secret'), 'utf8')).toBe('hello\n')
  put(dir, 'sub/k.secret', 'changed\n')
  expect(await commitSession(bench, { dir, place })).toMatchObject({ kind: 'ok' })
  expect(stored('neo/one')).toBe('punatrq\n')
  expect((await bench.git.merge(place, 'neo/one', words)).kind).toBe('merged')
  expect(readFileSync(join(bench.home, 'sub/k.secret'), 'utf8')).toBe('changed\n')
  bench.person('config', 'filter.crypt.clean', `${program} --other`)
  put(dir, 'sub/k.secret', 'again\n')
  expect((await commitSession(bench, { dir, place })).kind).toBe('refused')
})

test("the home's own commits wait where a filter of a subfolder does not run", async () => {
  setUp()
  const result = await bench.git.commit('main', saying('x', { 'sub/k.secret': 'plain\n' }))
  expect(result).toMatchObject({ kind: 'busy' })
  expect(result.kind === 'busy' && result.why).toContain('neo filter allow crypt')
  expect(stored('main')).toBe('uryyb\n')
})

test('a change of the base is not written over a file whose filter does not run', async () => {
  setUp()
  const place = placeIn(bench)
  bench.person('checkout', '-qb', 'neo/two')
  bench.write('sub/k.secret', 'theirs\n')
  bench.person('commit', '-qam', 'theirs')
  bench.person('checkout', '-q', 'main')
  const result = await bench.git.merge(place, 'neo/two', words)
  expect(result).toMatchObject({ kind: 'waits' })
  expect(readFileSync(join(bench.home, 'sub/k.secret'), 'utf8')).toBe('hello\n')
  expect(bench.status()).toBe('')
})

test('git lfs install --local is a filter of the repository like any other', async () => {
  setUp('lfs', program)
  for (const [key, value] of [
    ['clean', 'git-lfs clean -- %f'],
    ['smudge', 'git-lfs smudge -- %f'],
    ['process', 'git-lfs filter-process'],
  ] as const)
    bench.person('config', `filter.lfs.${key}`, value)
  const dir = await openSession(bench, placeIn(bench))
  put(dir, 'sub/new.secret', 'large\n')
  const done = await commitSession(bench, { dir, place: placeIn(bench) })
  expect(done).toMatchObject({ kind: 'refused', why: expect.stringContaining('neo filter allow lfs') })
})

test.each(['global', 'allowed'])('a filter that is %s loads no code from the worktree', async (which) => {
  const canary = join(bench.root, 'canary')
  const trap = `import pathlib\npathlib.Path(${JSON.stringify(canary)}).touch()\n`
  // `python3 -m strip` and `./strip` look in the current folder first.
  const command = 'python3 -m strip || cat'
  if (which === 'global')
    appendFileSync(
      process.env.GIT_CONFIG_GLOBAL ?? '',
      `[filter "strip"]\n\tclean = "${command}"\n\tsmudge = cat\n`,
    )
  else {
    setUp('strip', 'cat')
    bench.person('config', 'filter.strip.clean', command)
    await allowFilterAt(bench.home, 'strip')
  }
  const dir = await openSession(bench, placeIn(bench))
  for (const at of ['', 'sub/']) put(dir, `${at}strip.py`, trap)
  put(dir, '.gitattributes', '*.txt filter=strip\n')
  put(dir, 'a.txt', 'changed\n')
  const place = placeIn(bench)
  expect((await commitSession(bench, { dir, place, work: 'person' })).kind).toBe('ok')
  expect(gitIn(bench.home, 'cat-file', 'blob', 'neo/one:a.txt')).toBe('changed\n')
  expect(existsSync(canary)).toBe(false)
})

test('a filter that fails stores nothing, also where it is not required', async () => {
  appendFileSync(process.env.GIT_CONFIG_GLOBAL ?? '', '[filter "no"]\n\tclean = false\n')
  const dir = await openSession(bench, placeIn(bench))
  put(dir, '.gitattributes', '*.txt filter=no\n')
  put(dir, 'a.txt', 'secret\n')
  const done = await commitSession(bench, { dir, place: placeIn(bench), work: 'person' })
  expect(done.kind).toBe('refused')
})

/** A filter or driver of the person's own configuration that leaves a mark when it runs. */
function userProgram(name: string, body: string): { readonly command: string; readonly ran: () => boolean } {
  const path = join(bench.root, `${name}.sh`)
  const mark = join(bench.root, `${name}.ran`)
  writeFileSync(path, `#!/bin/sh\ntouch ${mark}\n${body}\n`)
  chmodSync(path, 0o755)
  return { command: path, ran: () => existsSync(mark) }
}

function userConfig(text: string): void {
  appendFileSync(process.env.GIT_CONFIG_GLOBAL ?? '', text)
}

/** As `git lfs install` and nbstripout --install --global do it, with attributes that a person committed. */
function globalFilter(): ReturnType<typeof userProgram> {
  const program = userProgram('global', 'exec cat')
  userConfig(
    `[filter "big"]\n\tclean = ${program.command}\n\tsmudge = ${program.command}\n\trequired = true\n`,
  )
  return program
}

test("a filter of the person's own configuration runs over their files, and over a model's after it is allowed", async () => {
  bench.write('sub/.gitattributes', '*.bin filter=big\n')
  bench.person('add', '-A')
  bench.person('commit', '-qm', 'attributes')
  const { ran } = globalFilter()
  const place = placeIn(bench)
  const dir = await openSession(bench, place)
  put(dir, 'sub/x.bin', 'model\n')
  expect(await commitSession(bench, { dir, place })).toMatchObject({
    kind: 'refused',
    filter: 'big',
    path: 'sub/x.bin',
  })
  expect(await bench.git.removeWorktree(place, dir)).toMatchObject({ kind: 'kept' })
  expect(ran()).toBe(false)
  expect(await filtersAt(bench.home)).toMatchObject({ filters: [{ state: 'global', isUsed: true }] })
  expect(await allowFilterAt(bench.home, 'big')).toBe(true)
  expect(await commitSession(bench, { dir, place })).toMatchObject({ kind: 'ok' })
  expect(ran()).toBe(true)
  expect((await bench.git.merge(place, 'neo/one', words)).kind).toBe('merged')
  expect([await denyFilterAt(bench.home, 'big'), await denyFilterAt(bench.home, 'big')]).toEqual([
    true,
    false,
  ])
  put(dir, 'sub/y.bin', 'model\n')
  expect(await commitSession(bench, { dir, place })).toMatchObject({ kind: 'refused', filter: 'big' })
  expect(await commitSession(bench, { dir, place, work: 'person' })).toMatchObject({ kind: 'ok' })
})

test.each(['model', 'person'] as const)(
  'files of a base that a filter wrote are not changed work of a %s',
  async (work) => {
    const { ran } = globalFilter()
    bench.write('.gitattributes', '*.bin filter=big\n')
    for (let at = 0; at < 20; at++) bench.write(`f${at}.bin`, `${at}\n`)
    bench.person('add', '-A')
    bench.person('commit', '-qm', 'files')
    const place = placeIn(bench)
    const dir = await openSession(bench, place)
    expect(ran()).toBe(true)
    put(dir, 'b.txt', 'b\n')
    expect(await commitSession(bench, { dir, place, work })).toMatchObject({ kind: 'ok' })
  },
)

const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${'ab'.repeat(32)}\nsize 9\n`

test("a model's pointer starts no filter when it is merged, wherever the attributes came from", async () => {
  const { command, ran } = userProgram('lfs', 'exec cat')
  const place = placeIn(bench)
  const dir = await openSession(bench, place)
  put(dir, 'x.bin', POINTER)
  expect(await commitSession(bench, { dir, place })).toMatchObject({ kind: 'ok' })
  await bench.git.detachWorktree(place, dir)
  userConfig(`[filter "lfs"]\n\tclean = ${command}\n\tsmudge = ${command}\n\trequired = true\n`)
  bench.write('.gitattributes', '*.bin filter=lfs\n')
  bench.person('add', '-A')
  bench.person('commit', '-qm', 'attributes')
  expect(await bench.git.merge(place, 'neo/one', words)).toMatchObject({
    kind: 'waits',
    why: expect.stringContaining('neo filter allow lfs'),
  })
  expect([ran(), existsSync(join(bench.home, 'x.bin'))]).toEqual([false, false])
  const again = join(bench.home, '.neo', 'worktrees', 'again')
  await bench.git.removeWorktree(place, dir)
  const made = await bench.git.addWorktree({ place, dir: again, branch: 'neo/one', from: 'neo/one' })
  expect([ran(), readFileSync(join(again, 'x.bin'), 'utf8'), made.head.length]).toEqual([false, POINTER, 40])
  await bench.git.detachWorktree(place, again)
  await allowFilterAt(bench.home, 'lfs')
  expect(await bench.git.merge(place, 'neo/one', words)).toMatchObject({ kind: 'merged' })
  expect(ran()).toBe(true)
})

test("a merge driver of the person's own configuration does not run over a model's work", async () => {
  const { command, ran } = userProgram('driver', 'exit 0')
  userConfig(`[merge "own"]\n\tdriver = ${command} %O %A %B\n`)
  bench.write('.gitattributes', '*.txt merge=own\n')
  bench.person('add', '-A')
  bench.person('commit', '-qm', 'attributes')
  const place = placeIn(bench)
  const dir = await openSession(bench, place)
  put(dir, 'a.txt', 'theirs\n')
  await commitSession(bench, { dir, place })
  bench.write('a.txt', 'ours\n')
  bench.person('commit', '-qam', 'ours')
  expect(await bench.git.merge(place, 'neo/one', words)).toMatchObject({ kind: 'conflict', paths: ['a.txt'] })
  expect(ran()).toBe(false)
})

test.skipIf(spawnSync('git-lfs', ['version']).status !== 0)(
  'git lfs install: a pointer of a model downloads nothing',
  async () => {
    const lfs = (...args: string[]) =>
      execFileSync('git', ['lfs', ...args], {
        cwd: bench.home,
        env: { ...process.env, HOME: bench.root },
        stdio: 'ignore',
      })
    lfs('install', '--skip-repo')
    bench.write('.gitattributes', '*.bin filter=lfs diff=lfs merge=lfs -text\n')
    bench.write('own.bin', 'own\n')
    bench.person('add', '-A')
    bench.person('commit', '-qm', 'lfs')
    const place = placeIn(bench)
    const dir = await openSession(bench, place)
    expect(readFileSync(join(dir, 'own.bin'), 'utf8')).toBe('own\n')
    put(dir, 'x.bin', POINTER)
    expect(await commitSession(bench, { dir, place })).toMatchObject({ kind: 'refused', filter: 'lfs' })
    await allowFilterAt(bench.home, 'lfs')
    put(dir, 'x.bin', 'large\n')
    expect(await commitSession(bench, { dir, place })).toMatchObject({ kind: 'ok' })
    expect(bench.person('cat-file', 'blob', 'neo/one:x.bin')).toContain('oid sha256:')
    expect(await bench.git.merge(place, 'neo/one', words)).toMatchObject({ kind: 'merged' })
    expect(readFileSync(join(bench.home, 'x.bin'), 'utf8')).toBe('large\n')
  },
)
