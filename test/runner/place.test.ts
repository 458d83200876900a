import { existsSync, mkdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runSession } from '../../src/runner/run-session.ts'
import { until } from '../adapters/processes/builders.ts'
import { bench, git, put } from './builders.ts'

describe('runSession()', () => {
  test('copies env files that git does not have, and commits none of them', async () => {
    const read = 'cat .env deep/b.env readme >>"$EFFECTS"; echo more >>.env'
    const { record, deps, repository, seen, onBranch } = bench([read], {
      envFiles: ['.env', 'deep/b.env', 'readme'],
      verify: ['cat .env >>"$EFFECTS"'],
    })
    put(join(repository, 'shop'), { '.env': 'A=1\n', 'deep/b.env': 'B=2\n', readme: 'changed by hand\n' })
    expect(await runSession(record, deps)).toMatchObject({ kind: 'done', changed: 'no' })
    expect(seen()).toBe('A=1\nB=2\none\nA=1\n')
    expect(onBranch('shop/.env')).toBe(null)
  })

  test.each([
    ['../outside.env', 'the path leads out of the workspace; expected a path inside it'],
    ['/etc/hostname', 'the path leads out of the workspace; expected a path inside it'],
    ['a/../../b', 'the path leads out of the workspace; expected a path inside it'],
    ['.git/config', 'the path leads out of the workspace; expected a path inside it'],
    ['', 'the path leads out of the workspace; expected a path inside it'],
    ['link.env', 'it is a folder, a link or behind a link; expected a file'],
    ['out/secret.env', 'it is a folder, a link or behind a link; expected a file'],
    ['folder', 'it is a folder, a link or behind a link; expected a file'],
  ])('fails for the place when the env file is %j', async (name, why) => {
    const { record, deps, repository, root, seen } = bench(['echo ran >>"$EFFECTS"'], { envFiles: [name] })
    put(root, { 'secret.env': 'S=1\n', 'outside.env': 'S=1\n' })
    put(join(repository, 'shop'), { 'folder/file': '' })
    symlinkSync(join(root, 'secret.env'), join(repository, 'shop', 'link.env'))
    symlinkSync(root, join(repository, 'shop', 'out'))
    const error = `Cannot copy env file "${name}": ${why}`
    expect(await runSession(record, deps)).toMatchObject({ kind: 'failed', why: 'place', error })
    expect(seen()).toBe('')
  })

  test('fails for the place when an env file is missing, and says where', async () => {
    const { record, deps, repository } = bench(['true'], { envFiles: ['.env'] })
    const error = `Cannot copy env file ".env": not found in ${join(repository, 'shop')}`
    expect(await runSession(record, deps)).toMatchObject({ kind: 'failed', why: 'place', error })
  })

  test('writes no env file through a link that the repository has', async () => {
    const { record, deps, repository, root } = bench(['true'], { envFiles: ['conf/.env'] })
    mkdirSync(join(root, 'elsewhere'))
    symlinkSync(join(root, 'elsewhere'), join(repository, 'shop', 'conf'))
    git(repository, 'add', '-A')
    git(repository, 'commit', '-q', '-m', 'link')
    rmSync(join(repository, 'shop', 'conf'))
    put(join(repository, 'shop'), { 'conf/.env': 'A=1\n' })
    expect(await runSession(record, deps)).toMatchObject({ kind: 'failed', why: 'place' })
    expect(existsSync(join(root, 'elsewhere', '.env'))).toBe(false)
  })

  test('makes the workspace folder where git has no file in it', async () => {
    const place = (root: string) => ({
      repository: join(root, 'repository'),
      folder: 'shop/new',
      base: 'main',
    })
    const made = bench(['pwd >>"$EFFECTS"'])
    const record = { ...made.record, place: place(made.root) }
    expect(await runSession(record, made.deps)).toMatchObject({ kind: 'done', changed: 'no' })
    expect(made.seen()).toBe(`${join(made.deps.dirs.worktree, 'shop/new')}\n`)
  })

  test('is unknown when the worktree vanished after a step was claimed', async () => {
    const { record, deps, seen } = bench(['echo one >>"$EFFECTS"; sleep 1', 'echo two >>"$EFFECTS"'])
    const leave = new AbortController()
    const run = runSession(record, { ...deps, signal: leave.signal })
    await until(() => seen() === 'one\n')
    leave.abort('leave')
    expect(await run).toBe('left')
    rmSync(deps.dirs.worktree, { recursive: true })
    expect(await runSession(record, deps)).toMatchObject({
      kind: 'unknown',
      error: 'The worktree was deleted while the session ran',
    })
    expect(seen()).toBe('one\n')
  })

  test('makes the worktree anew when it vanished before any step', async () => {
    const { record, deps, seen } = bench(['echo one >>"$EFFECTS"'])
    const leave = new AbortController()
    const on = { ...deps.on, progress: () => leave.abort('leave') }
    expect(await runSession(record, { ...deps, on, signal: leave.signal })).toBe('left')
    rmSync(deps.dirs.worktree, { recursive: true })
    expect(await runSession(record, deps)).toMatchObject({ kind: 'done' })
    expect(seen()).toBe('one\n')
  })

  test('goes on on the branch of an earlier attempt, whose work counts as changed', async () => {
    const first = bench(['echo x >x'])
    await runSession(first.record, first.deps)
    const record = { ...first.record, id: 's-second', steps: [{ ...first.record.steps[0], script: 'cat x' }] }
    const dirs = {
      ...first.deps.dirs,
      session: join(first.repository, '.git/neo/sessions/s-second'),
      worktree: join(first.root, 'worktrees/s-second'),
    }
    const outcome = await runSession(record as typeof first.record, { ...first.deps, dirs })
    expect(outcome).toMatchObject({ kind: 'done', changed: 'yes', from: 'main', result: '1 step passed: x' })
  })

  test('fails for the place when git refuses to commit', async () => {
    const { record, deps } = bench(['git checkout -q --detach'])
    expect(await runSession(record, deps)).toMatchObject({
      kind: 'failed',
      why: 'place',
      error: expect.stringMatching(/^Cannot commit the session's work: /),
    })
  })

  test('keeps the transcript from other users', async () => {
    const { record, deps, repository } = bench(['true'])
    await runSession(record, deps)
    expect(statSync(join(repository, '.git/neo/transcripts', `${record.id}.jsonl`)).mode & 0o777).toBe(0o600)
  })
})
