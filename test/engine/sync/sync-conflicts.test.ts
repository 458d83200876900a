/** What two hosts changed both, dropped, or adopted before they heard of each other. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openHome } from '../../../src/engine/open-engine.ts'
import { runRounds } from '../../../src/engine/round.ts'
import type { Synced } from '../../../src/engine/sync/sync.ts'
import type { Home } from '../../path/home.ts'
import { commit, type Shared, tip, twoHomes } from './two-homes.ts'

const taskText = (status: string, neo = '', body = 'Do it.') =>
  `---\npriority: low\nstatus: ${status}\nneo:\n  id: t-1\n${neo}---\n${body}\n`

test('syncOnce() settles a conflict in the keys that Neo writes, and only there', async () => {
  const path = 'rooms/shop/tasks/a.md'
  const [one, two] = await twoHomes({ [path]: taskText('pending') })
  commit(one.home, path, taskText('in_progress', '  session: s-1\n'))
  commit(two.home, path, taskText('cancelled', '  completed_at: "2026"\n'))
  await one.sync()
  expect(await two.sync()).toMatchObject({ kind: 'even' })
  expect(two.home.read(path)).toBe(taskText('cancelled', '  completed_at: "2026"\n  session: s-1\n'))
  expect(two.home.git('status', '--porcelain')).toBe('')
  await one.sync()
  commit(one.home, path, taskText('cancelled', '', 'One.'))
  commit(two.home, path, taskText('cancelled', '', 'Two.'))
  await one.sync()
  expect(await two.sync()).toMatchObject({ kind: 'conflict', paths: [path] })
})

test('syncOnce() goes on once a person has merged a conflict', async () => {
  const [one, two] = await twoHomes({ 'notes/a.md': 'a\n' })
  commit(one.home, 'notes/a.md', 'one\n')
  commit(two.home, 'notes/a.md', 'two\n')
  await one.sync()
  const { why } = (await two.sync()) as Extract<Synced, { kind: 'conflict' }>
  expect(why).toContain('git merge origin/main')
  expect(() => two.home.git('merge', '-q', 'origin/main')).toThrow()
  commit(two.home, 'notes/a.md', 'both\n')
  expect(await two.sync()).toMatchObject({ kind: 'even' })
  await one.sync()
  expect([tip(one), one.home.read('notes/a.md')]).toEqual([tip(two), 'both\n'])
})

/** What a person does to the history, and the command of the message that decides. */
test.each<[string, (one: Home) => void, RegExp, (two: Home, kept: string) => void, string]>([
  [
    'dropped at the remote',
    reset,
    /lacks 1 commit that it had/,
    (two, kept) => two.git('rebase', '-q', '--onto', 'origin/main', kept),
    'a\n',
  ],
  [
    'dropped at the remote, and is put back',
    reset,
    /put the old one back/,
    (two) => two.git('push', '-q', '--force-with-lease', 'origin', 'main'),
    'b\n',
  ],
  [
    'replaced at the remote',
    replace,
    /lacks 1 commit that it had/,
    (two, kept) => two.git('rebase', '-q', '--onto', 'origin/main', kept),
    'other\n',
  ],
])('syncOnce() holds still where a commit was %s', async (_, drop, says, decide, after) => {
  const [one, two] = await twoHomes({ 'notes/a.md': 'a\n' })
  commit(one.home, 'notes/a.md', 'b\n')
  await one.sync()
  await two.sync()
  drop(one.home)
  one.home.git('push', '-q', '--force', 'origin', 'main')
  const before = tip(one)
  commit(two.home, 'notes/mine.md', 'mine\n')
  const held = (await two.sync()) as Extract<Synced, { kind: 'rewritten' }>
  expect([held.kind, held.why]).toEqual(['rewritten', expect.stringMatching(says)])
  expect(await two.sync()).toEqual(held)
  const kept = /refs\/neo\/dropped\/\w+/.exec(held.why)?.[0] ?? ''
  expect(two.home.git('show', `${kept}:notes/a.md`)).toBe('b')
  expect(
    execFileSync('git', ['-C', join(one.root, 'bare.git'), 'rev-parse', 'main'], { encoding: 'utf8' }).trim(),
  ).toBe(before)
  decide(two.home, kept)
  expect(await two.sync()).toMatchObject({ kind: 'even' })
  expect([two.home.read('notes/a.md'), two.home.read('notes/mine.md')]).toEqual([after, 'mine\n'])
  expect(await two.sync()).toMatchObject({ kind: 'even', brought: 0, sent: 0 })
})

function reset(home: Home): void {
  home.git('reset', '-q', '--hard', 'HEAD~1')
}

function replace(home: Home): void {
  reset(home)
  commit(home, 'notes/a.md', 'other\n')
}

test('syncOnce() brings no commit back that a person took out of the branch here', async () => {
  const [one, two] = await twoHomes({ 'notes/a.md': 'a\n' })
  commit(one.home, 'notes/a.md', 'b\n')
  await one.sync()
  one.home.git('commit', '-q', '--amend', '-m', 'said better')
  const held = await one.sync()
  expect(held).toMatchObject({ kind: 'rewritten', why: expect.stringContaining('git merge origin/main') })
  one.home.git('merge', '-q', '-m', 'merge', 'origin/main')
  expect(await one.sync()).toMatchObject({ kind: 'even' })
  await two.sync()
  expect(tip(two)).toBe(tip(one))
})

test('two hosts that adopt a new home before they hear of each other give the same ids, and come to rest', async () => {
  const files = Object.fromEntries(
    ['a', 'b', 'c'].map((name) => [`rooms/shop/tasks/${name}.md`, 'worker\n\nDo it.\n']),
  )
  const schedule = { 'rooms/shop/schedules/s.md': '---\nat: 2035-01-01T09:00\n---\n# S\n\nDo it.\n' }
  const [one, two] = await twoHomes({ ...files, ...schedule })
  const paths = ['rooms/shop/ROOM.md', ...Object.keys({ ...files, ...schedule })]
  const ids = ({ home }: Shared) => paths.map((path) => /^ {2}id: (\S+)$/m.exec(home.read(path))?.[1])
  await settle(one, 1_000)
  await settle(two, 9_000)
  expect(ids(two)).toEqual(ids(one))
  expect(new Set(ids(one)).size).toBe(paths.length)
  expect(ids(one).every((id) => /^[trc]-[0-9a-z]{6}$/.test(id ?? ''))).toBe(true)
  expect(await one.sync()).toMatchObject({ kind: 'even' })
  expect(await two.sync()).toMatchObject({ kind: 'even' })
  await one.sync()
  expect(tip(one)).toBe(tip(two))
  expect(paths.map((path) => two.home.read(path))).toEqual(paths.map((path) => one.home.read(path)))
})

/** Adopts what is new, so many milliseconds from now, and starts nothing. */
async function settle({ home, world }: Shared, ms: number): Promise<void> {
  const later = { ...world, clock: { ...world.clock, now: () => Date.now() + ms } }
  const context = await openHome({ home: home.dir, world: later, settleMs: 0 })
  await runRounds(context, 'all', { allow: ({ kind }) => kind.startsWith('adopt') })
}
