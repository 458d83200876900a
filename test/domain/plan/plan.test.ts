/** What one look decides for the home: order of files, rooms, deletions, orphans and slots. */
import { expect, test } from 'vitest'
import type { Decision } from '../../../src/domain/plan/decision.ts'
import type { Facts, SessionFact, Snapshot, TaskFile } from '../../../src/domain/plan/snapshot.ts'
import { plan } from '../../../src/domain/plan/plan.ts'
import { config, done, facts, NOW, newFile, roomFile, session, snapshot, taskFile } from '../../builders.ts'

function decide(home: Snapshot, known: Facts = facts()): readonly Decision[] {
  return plan(home, known, NOW).decisions
}

const ofTasks = (...tasks: readonly TaskFile[]) => snapshot({ tasks })
const withSessions = (...sessions: readonly SessionFact[]) => facts({ sessions })

/** The task names of the starts, in order. */
function starts(home: Snapshot, known?: Facts): readonly string[] {
  const decisions = decide(home, known).filter(({ kind }) => kind === 'start')
  return decisions.map((decision) => ('path' in decision ? (home.tasks.get(decision.path)?.name ?? '') : ''))
}

test.each([
  { kind: 'away', why: 'HEAD is detached' },
  { kind: 'busy', why: 'rebase' },
] as const)('plan() decides nothing when git is $kind', (git) => {
  const home = snapshot({ git, tasks: [taskFile('a'), newFile('b')], deleted: [gone('c', null)] })
  expect(plan(home, withSessions(session('d')), NOW)).toEqual({ decisions: [], waiting: [], wakeAt: null })
})

test('plan() adopts a new file when it has no id', () => {
  const [path, hash] = ['rooms/shop/tasks/a.md', 'h-a']
  expect(decide(ofTasks(newFile('a')))).toEqual([{ kind: 'adopt', path, hash, id: 'new' }])
})

test('plan() keeps the id of a new file when no other has it', () => {
  const [path, hash] = ['rooms/shop/tasks/a.md', 'h-a']
  expect(decide(ofTasks(taskFile('a', { gitStatus: 'new' })))).toEqual([
    { kind: 'adopt', path, hash, id: 'keep' },
  ])
})

test('plan() adopts a committed file when somebody took its block away', () => {
  expect(decide(ofTasks(newFile('a', { gitStatus: 'edited' })))).toMatchObject([{ kind: 'adopt', id: 'new' }])
})

test('plan() merges an old buffer before anything else is decided for its file', () => {
  const file = taskFile('a', { gitStatus: 'stale', status: 'pending' })
  const [path, hash] = ['rooms/shop/tasks/a.md', 'h-a']
  expect(decide(ofTasks(file))).toEqual([{ kind: 'reconcile', path, hash }])
})

const TWIN = { neo: { id: 't-1' }, status: 'draft' } as const

test.each([
  ['the committed one', ['b', 'same'], ['a', 'new'], 'a'],
  ['the committed one, edited', ['b', 'edited'], ['a', 'new'], 'a'],
  ['the first path of two committed', ['a', 'same'], ['b', 'same'], 'b'],
  ['the first path of two committed, in any order', ['b', 'same'], ['a', 'same'], 'b'],
] as const)('plan() lets %s keep an id that two files have', (_which, one, two, copy) => {
  const files = [one, two].map(([name, gitStatus]) => taskFile(name, { ...TWIN, gitStatus }))
  const path = `rooms/shop/tasks/${copy}.md`
  expect(decide(ofTasks(...files))).toMatchObject([{ kind: 'adopt', id: 'new', path }])
})

test('plan() keeps the id of the first path when both files are new', () => {
  const files = ['b', 'a'].map((name) => taskFile(name, { ...TWIN, gitStatus: 'new' }))
  expect(decide(ofTasks(...files))).toMatchObject([
    { kind: 'adopt', id: 'new', path: 'rooms/shop/tasks/b.md' },
    { kind: 'adopt', id: 'keep', path: 'rooms/shop/tasks/a.md' },
  ])
})

test('plan() tells 20,000 copies of one file from the original in one pass', () => {
  const copies = Array.from({ length: 20_000 }, (_, index) =>
    taskFile(`c${index}`, { ...TWIN, gitStatus: 'new' }),
  )
  const decisions = decide(ofTasks(...copies, taskFile('z', TWIN)))
  expect(decisions.filter((decision) => decision.kind === 'adopt' && decision.id === 'new')).toHaveLength(
    20_000,
  )
})

test('plan() never starts a byte-equal copy of a pending task', () => {
  const files = [
    taskFile('a', { neo: { id: 't-1' } }),
    taskFile('b', { neo: { id: 't-1' }, gitStatus: 'new' }),
  ]
  expect(starts(ofTasks(...files))).toEqual(['a'])
})

test('plan() gives a room its block when it has none', () => {
  const file = roomFile('shop', { neo: {} })
  const wanted = { kind: 'adopt-room', room: 'shop', path: 'rooms/shop/ROOM.md', hash: 'h-shop' }
  expect(decide(snapshot({ rooms: [file, roomFile('press')] }))).toEqual([wanted])
})

test('plan() adopts a room that git does not have, whatever its block says', () => {
  const file = { ...roomFile('shop'), gitStatus: 'new' } as const
  expect(decide(snapshot({ rooms: [file, roomFile('press')] }))).toMatchObject([
    { kind: 'adopt-room', room: 'shop' },
  ])
})

test('plan() leaves a room alone that has no file of its own', () => {
  expect(decide(snapshot({ rooms: [{ ...roomFile('shop', { neo: {} }), hash: '' }] }))).toEqual([])
})

function gone(name: string, taskId: string | null): Snapshot['deleted'][number] {
  return { path: `rooms/shop/tasks/${name}.md`, taskId, room: 'shop' }
}

test.each(['t-a', null])('plan() commits a deletion when the task with id %s is nowhere else', (taskId) => {
  const forget = { kind: 'forget', path: 'rooms/shop/tasks/a.md', room: 'shop' }
  expect(decide(snapshot({ deleted: [gone('a', taskId)] }))).toEqual([forget])
})

test('plan() leaves the deletion to the adoption when the task was moved', () => {
  const tasks = [taskFile('b', { gitStatus: 'new', neo: { id: 't-a' } })]
  expect(decide(snapshot({ tasks, deleted: [gone('a', 't-a')] }))).toMatchObject([
    { kind: 'adopt', id: 'keep' },
  ])
})

test('plan() commits a deletion when the new path was committed by hand', () => {
  const tasks = [taskFile('b', { status: 'draft', neo: { id: 't-a' } })]
  expect(decide(snapshot({ tasks, deleted: [gone('a', 't-a')] }))).toMatchObject([{ kind: 'forget' }])
})

const GONE = 'the task file was deleted'
const UNNAMED = 'the task file names another session'

test.each([
  ['live', false, [{ kind: 'stop', session: 's-a', why: GONE }]],
  ['live', true, []],
  ['dormant', false, [{ kind: 'stop', session: 's-a', why: GONE }]],
  ['dormant', true, [{ kind: 'stop', session: 's-a', why: GONE }]],
  ['ended', false, [{ kind: 'discard', session: 's-a', why: GONE }]],
] as const)('plan() ends a %s session whose file is gone, stopping: %s', (state, stopping, decisions) => {
  expect(decide(snapshot(), withSessions(session('a', { state, stopping })))).toEqual(decisions)
})

test('plan() leaves a session alone when its file cannot be read', () => {
  const home = snapshot({ invalid: ['rooms/shop/tasks/a.md'] })
  expect(decide(home, withSessions(session('a', { state: 'dormant' })))).toEqual([])
})

test('plan() ends a session when another task has taken the path of its file', () => {
  const tasks = [taskFile('a', { status: 'draft', neo: { id: 't-z' } })]
  const home = snapshot({ tasks, invalid: ['rooms/shop/tasks/a.md'] })
  expect(decide(home, withSessions(session('a')))).toEqual([{ kind: 'stop', session: 's-a', why: GONE }])
})

test('plan() misses no file while an old buffer is to be merged', () => {
  const home = ofTasks(newFile('a', { gitStatus: 'stale' }))
  expect(decide(home, withSessions(session('a')))).toMatchObject([{ kind: 'reconcile' }])
})

test('plan() waits for no old buffer of a file that is invalid', () => {
  const home = snapshot({ tasks: [newFile('b', { gitStatus: 'stale' })], invalid: ['rooms/shop/tasks/b.md'] })
  expect(decide(home, withSessions(session('a')))).toMatchObject([{ kind: 'stop' }, { kind: 'reconcile' }])
})

test('plan() ends a session that its task does not name, and starts the task only after it', () => {
  const { decisions, waiting } = plan(ofTasks(taskFile('a')), withSessions(session('a')), NOW)
  expect(decisions).toEqual([{ kind: 'stop', session: 's-a', why: UNNAMED }])
  expect(waiting).toMatchObject([{ path: 'rooms/shop/tasks/a.md' }])
})

test('plan() ends the second of two sessions when the task names the first', () => {
  const file = taskFile('a', { status: 'in_progress', neo: { session: 's-a' } })
  const second = session('a', { state: 'ended', outcome: done(), record: { id: 's-2' } })
  const discard = { kind: 'discard', session: 's-2', why: UNNAMED }
  expect(decide(ofTasks(file), withSessions(session('a'), second))).toEqual([discard])
})

test('plan() starts by priority, then age, then path', () => {
  const late = { createdAt: '2026-03-02T08:30:00Z' }
  const tasks = [
    taskFile('low', { priority: 'low' }),
    taskFile('b', { neo: late }),
    taskFile('old'),
    taskFile('a', { neo: late }),
    taskFile('high', { priority: 'high' }),
    taskFile('urgent', { priority: 'urgent', neo: late }),
  ]
  const home = snapshot({ tasks, config: config({ concurrency: 9 }) })
  expect(starts(home)).toEqual(['urgent', 'high', 'old', 'a', 'b', 'low'])
})

test('plan() takes a task without a time of making for the oldest', () => {
  const { createdAt: _at, ...neo } = taskFile('b').task.neo
  const bare = ['b', 'c'].map((name) => {
    const file = taskFile(name)
    return { ...file, task: { ...file.task, neo: { ...neo, id: `t-${name}` } } }
  })
  expect(starts(ofTasks(taskFile('a'), ...bare))).toEqual(['b', 'c', 'a'])
})

const FIVE = ['a', 'b', 'c', 'd', 'e'].map((name) => taskFile(name))

test('plan() starts as many as the home has slots, and says what the rest waits for', () => {
  const { decisions, waiting } = plan(ofTasks(...FIVE), facts(), NOW)
  expect(decisions).toHaveLength(3)
  expect(waiting).toEqual(
    ['d', 'e'].map((name) => ({ path: `rooms/shop/tasks/${name}.md`, on: 'a free slot' })),
  )
})

test('plan() shares the home’s slots among its rooms', () => {
  const tasks = FIVE.map((file, index) => taskFile(file.name, { room: `room-${index}` }))
  expect(starts(ofTasks(...tasks))).toEqual(['a', 'b', 'c'])
})

test('plan() starts as many as the room has slots', () => {
  const rooms = [roomFile('shop', { concurrency: 1 }), roomFile('press')]
  const press = taskFile('z', { room: 'press', priority: 'low' })
  expect(starts(snapshot({ rooms, tasks: [...FIVE, press] }))).toEqual(['a', 'z'])
})

test('plan() starts in a folder without a ROOM.md as many as the home allows', () => {
  expect(starts(snapshot({ rooms: [], tasks: FIVE }))).toEqual(['a', 'b', 'c'])
})

test.each([
  ['live', 1],
  ['dormant', 1],
  ['ended', 2],
] as const)('plan() leaves %s sessions their slots, so that %s start', (state, count) => {
  const running = ['x', 'y'].map((name) =>
    taskFile(name, { status: 'in_progress', neo: { session: `s-${name}` } }),
  )
  const outcome = state === 'ended' ? done() : null
  const sessions = [session('x', { state, outcome }), session('y')]
  expect(starts(ofTasks(...running, ...FIVE), withSessions(...sessions))).toHaveLength(count)
})

test('plan() counts a session in the room where it was started', () => {
  const rooms = [roomFile('shop', { concurrency: 1 })]
  const running = taskFile('x', { room: 'press', status: 'in_progress', neo: { session: 's-x' } })
  expect(starts(snapshot({ rooms, tasks: [running, ...FIVE] }), withSessions(session('x')))).toEqual([])
})

test('plan() wakes at the first of several next tries', () => {
  const tasks = ['11', '10', '12'].map((hour) =>
    taskFile(hour, { neo: { retryAt: `2026-03-02T${hour}:00:00Z` } }),
  )
  expect(plan(ofTasks(...tasks), facts(), NOW).wakeAt).toBe(Date.parse('2026-03-02T10:00:00Z'))
})
