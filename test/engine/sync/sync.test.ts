/** Homes that share a remote: brought together without loss, at rest on one commit, and each task run once. */
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Decision } from '../../../src/domain/plan/decision.ts'
import type { Snapshot } from '../../../src/domain/plan/snapshot.ts'
import { mayDecide } from '../../../src/domain/room/host.ts'
import { openHome } from '../../../src/engine/open-engine.ts'
import { runRounds } from '../../../src/engine/round.ts'
import { openHealth } from '../../../src/engine/health.ts'
import { type Synced, SyncKeeper } from '../../../src/engine/sync/sync.ts'
import { runbook, until } from '../../path/home.ts'
import { commit, type Shared, tip, twoHomes } from './two-homes.ts'

test('syncOnce() says alone without a remote, and makes the branch where the remote has none', async () => {
  const [one] = await twoHomes()
  one.home.git('push', '-q', 'origin', 'main:refs/heads/kept')
  execFileSync('git', ['-C', join(one.root, 'bare.git'), 'update-ref', '-d', 'refs/heads/main'])
  expect(await one.sync()).toMatchObject({ kind: 'even' })
  one.home.git('remote', 'remove', 'origin')
  expect(await one.sync()).toEqual({ kind: 'alone' })
})

test('syncOnce() fast-forwards what is behind alone, and makes no commit for it', async () => {
  const [one, two] = await twoHomes()
  commit(one.home, 'notes/a.md', 'a\n')
  expect(await one.sync()).toEqual({ kind: 'even', brought: 0, sent: 1 })
  expect(await two.sync()).toEqual({ kind: 'even', brought: 1, sent: 0 })
  expect([tip(two), two.home.git('status', '--porcelain')]).toEqual([tip(one), ''])
})

test('two homes that both changed come to rest on one commit that has both', async () => {
  const [one, two] = await twoHomes()
  commit(one.home, 'notes/a.md', 'a\n')
  commit(two.home, 'notes/b.md', 'b\n')
  await one.sync()
  await two.sync()
  expect(await one.sync()).toMatchObject({ kind: 'even', sent: 0 })
  expect(await two.sync()).toEqual({ kind: 'even', brought: 0, sent: 0 })
  expect([tip(one), one.home.read('notes/b.md')]).toEqual([tip(two), 'b\n'])
  expect(two.home.git('branch', '--format=%(refname:short)')).toBe('main')
})

test('two homes that made the same change come to rest too', async () => {
  const [one, two] = await twoHomes()
  commit(one.home, 'notes/a.md', 'a\n')
  commit(two.home, 'notes/a.md', 'a\n')
  await one.sync()
  expect(await two.sync()).toMatchObject({ kind: 'even' })
  await one.sync()
  expect(tip(one)).toBe(tip(two))
})

test('syncOnce() by both at once loses nothing', async () => {
  const [one, two] = await twoHomes()
  for (const round of [1, 2, 3]) {
    commit(one.home, `notes/one-${round}.md`, 'x\n')
    commit(two.home, `notes/two-${round}.md`, 'x\n')
    await Promise.all([one.sync(), two.sync()])
  }
  await one.sync()
  await two.sync()
  await one.sync()
  expect(tip(one)).toBe(tip(two))
  expect(one.home.git('ls-files', 'notes').split('\n')).toHaveLength(6)
})

test('syncOnce() leaves a conflict to people, changes nothing, and names the paths', async () => {
  const [one, two] = await twoHomes({ 'notes/a.md': 'a\n' })
  commit(one.home, 'notes/a.md', 'one\n')
  commit(two.home, 'notes/a.md', 'two\n')
  await one.sync()
  const before = tip(two)
  expect(await two.sync()).toMatchObject({ kind: 'conflict', paths: ['notes/a.md'] })
  expect([tip(two), two.home.read('notes/a.md'), two.home.git('status', '--porcelain')]).toEqual([
    before,
    'two\n',
    '',
  ])
  expect(two.home.git('branch', '--format=%(refname:short)')).toBe('main')
})

test('SyncKeeper says that a conflict needs a person, and a remote that is gone does not', async () => {
  const [one, two] = await twoHomes({ 'neo.yaml': 'daemon: { sync: 60s }\n', 'notes/a.md': 'a\n' })
  commit(one.home, 'notes/a.md', 'one\n')
  commit(two.home, 'notes/a.md', 'two\n')
  await one.sync()
  const context = await openHome({ home: two.home.dir, world: two.world, settleMs: 0 })
  const synced = async () => {
    const round = await runRounds(context, 'all', { allow: () => false })
    await new SyncKeeper(context, openHealth(context, '1.2.3')).after(round)
    return context.troubles.get('sync')
  }
  expect(await synced()).toMatchObject({
    needs: 'person',
    why: expect.stringContaining('To resolve the conflict:'),
  })
  rmSync(join(one.root, 'bare.git'), { recursive: true })
  expect((await synced())?.needs).toBeUndefined()
})

test('syncOnce() waits over what a person is editing', async () => {
  const [one, two] = await twoHomes({ 'notes/a.md': 'a\n' })
  commit(one.home, 'notes/a.md', 'one\n')
  await one.sync()
  two.home.write('notes/a.md', 'not saved yet\n')
  expect(await two.sync()).toMatchObject({
    kind: 'waits',
    why: 'sync waits: you are editing notes/a.md; commit the change, or put it aside with git stash',
  })
  expect(two.home.read('notes/a.md')).toBe('not saved yet\n')
})

test('syncOnce() says what is wrong where the remote is gone', async () => {
  const [one] = await twoHomes()
  rmSync(join(one.root, 'bare.git'), { recursive: true })
  expect(await one.sync()).toMatchObject({ kind: 'trouble', why: expect.stringMatching(/^sync: .*origin/) })
})

test('SyncKeeper.end() pushes what only this host has, also if another one starts work', async () => {
  const [one, two] = await twoHomes({ 'neo.yaml': 'daemon: { sync: 60s, node: one }\n' })
  commit(two.home, 'notes/a.md', 'two\n')
  const { home, world } = two
  const env = { ...process.env, NEO_NODE: 'two' }
  const context = await openHome({ home: home.dir, world, settleMs: 0, env })
  await context.look.look('all')
  await new SyncKeeper(context, openHealth(context, '1.2.3')).end()
  await one.sync()
  expect(tip(one)).toBe(tip(two))
})

const NAMES = ['a', 'b', 'c']

test('two hosts that sync, of which one is named: each task runs once, and both see it done', async () => {
  const config = 'daemon: { settle: 0s, rescan: 1s, node: one }\n'
  const [one, two] = await twoHomes({ 'neo.yaml': config })
  const ran = join(one.root, 'ran')
  const stop = [going(one, 'one'), going(two, 'two')]
  for (const [index, name] of NAMES.entries())
    (index % 2 === 0 ? two : one).home.task(name, runbook([`echo ${name} >> ${ran}`]))
  await until(() => isDone(one) && isDone(two) && tip(one) === tip(two), 60_000)
  const said = (await Promise.all(stop.map((end) => end()))).flat()
  expect(said.filter(({ kind }) => kind === 'conflict' || kind === 'trouble')).toEqual([])
  expect(execFileSync('sort', [ran], { encoding: 'utf8' })).toBe('a\nb\nc\n')
  for (const { home } of [one, two]) expect(home.git('status', '--porcelain')).toBe('')
})

function isDone({ home }: Shared): boolean {
  return NAMES.every((name) => home.has(`rooms/shop/tasks/${name}.md`) && home.status(name) === 'completed')
}

/** A host that looks, acts and syncs by turns, as a daemon does, until it is stopped; gives what its syncs said. */
function going(shared: Shared, host: string): () => Promise<readonly Synced[]> {
  const said: Synced[] = []
  let isOn = true
  const loop = async () => {
    const { home, world } = shared
    const context = await openHome({
      home: home.dir,
      world,
      settleMs: 0,
      env: { ...process.env, NEO_NODE: host },
    })
    const elsewhere = host === 'one' ? null : 'one'
    const allow = (decision: Decision, snapshot: Snapshot) =>
      mayDecide(decision, snapshot, { elsewhere, sessions: context.sessions.facts() })
    while (isOn) {
      const { waiting } = await runRounds(context, 'all', { allow })
      if (waiting === 0) said.push(await shared.sync())
    }
    await context.sessions.leave()
  }
  const running = loop()
  onTestFinished(async () => {
    isOn = false
    await running.catch(() => {})
  })
  return async () => {
    isOn = false
    await running
    return said
  }
}
