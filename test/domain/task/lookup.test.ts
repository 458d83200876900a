/** Which file keeps an id that several have, which names mean files that nobody can read, and which rooms wait. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { TaskFile } from '../../../src/domain/plan/snapshot.ts'
import { findUnread, grouped, indexOf, indexTasks, linkedAlike } from '../../../src/domain/task/depends.ts'
import { isOpen, tasksToLookAt, unreadRoom } from '../../../src/domain/task/readiness.ts'
import { facts, roomFile, snapshot, taskFile } from '../../builders.ts'

const byPath = (files: readonly TaskFile[]) => new Map(files.map((file) => [file.path, file]))

describe('originals', () => {
  const file = fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    id: fc.constantFrom('t-1', 't-2', undefined),
    gitStatus: fc.constantFrom('new' as const, 'same' as const, 'edited' as const),
  })
  const homes = fc
    .uniqueArray(file, { selector: ({ name }) => name })
    .map((all) =>
      all.map(({ name, id, gitStatus }) => taskFile(name, { gitStatus, neo: { id } as { id: string } })),
    )

  test('are for each id that several files have the committed one, else the first path', () => {
    fc.assert(
      fc.property(homes, (files) => {
        const { originals, byId } = indexTasks(files)
        for (const [id, own] of byId) {
          const committed = own.filter(({ gitStatus }) => gitStatus !== 'new')
          const [first] = (committed.length > 0 ? committed : own).map(({ path }) => path).toSorted()
          expect(originals.get(id)?.path).toBe(own.length > 1 ? first : undefined)
        }
        expect([...originals.keys()].every((id) => byId.has(id))).toBe(true)
      }),
    )
  })

  test('are looked for again only if some were there before', () => {
    const twins = byPath([taskFile('a'), taskFile('b', { neo: { id: 't-a' } })])
    const alone = byPath([taskFile('a'), taskFile('b')])
    const [still, now] = [new Map(alone), new Map(twins)]
    expect([indexOf(twins).originals.size, indexOf(alone).originals.size]).toEqual([1, 0])
    linkedAlike(alone, still)
    expect(indexOf(still).originals.size).toBe(0)
    expect([...indexOf(still).byId.keys()]).toEqual(['t-a', 't-b'])
    linkedAlike(twins, now)
    expect([...indexOf(now).originals.keys()]).toEqual(['t-a'])
    expect(indexOf(now)).toBe(indexOf(now))
  })
})

test('grouped() keeps the order, and leaves out what has no key', () => {
  const numbers = fc.array(fc.nat(9))
  const keyOf = (one: number) => (one === 0 ? undefined : one % 2 === 0 ? 'even' : 'odd')
  fc.assert(
    fc.property(numbers, (all) => {
      const groups = grouped(all, keyOf)
      for (const key of ['even', 'odd']) {
        const own = all.filter((one) => keyOf(one) === key)
        expect(groups.get(key)).toEqual(own.length === 0 ? undefined : own)
      }
    }),
  )
})

test.each([
  ['fix', 'shop', 'rooms/shop/tasks/fix.md'],
  ['fix.md', 'shop', 'rooms/shop/tasks/fix.md'],
  ['fix', 'press', 'rooms/press/tasks/fix.md'],
  ['press/fix', 'shop', 'rooms/press/tasks/fix.md'],
  ['fix', '', 'rooms/shop/tasks/fix.md'],
  ['deep/own', 'shop', 'rooms/press/tasks/deep/own.md'],
  ['own', 'shop', 'rooms/press/tasks/deep/own.md'],
  ['lost', 'press', 'rooms/shop/tasks/lost--t-1.md'],
  ['rooms/press/tasks/fix.md', 'shop', 'rooms/press/tasks/fix.md'],
  ['wn', 'shop', null],
  ['t-1', 'shop', null],
  ['ROOM', 'shop', null],
  ['', 'shop', null],
])('findUnread(%j) from room %j is %j', (name, room, path) => {
  const unread = [
    ...['rooms/shop/ROOM.md', 'rooms/shop/tasks/fix.md', 'rooms/press/tasks/deep/own.md', 'neo.yaml'],
    ...['rooms/press/tasks/fix.md', 'rooms/press/asks/t-1.md', 'rooms/press/tasks/README.md'],
    'rooms/shop/tasks/lost--t-1.md',
  ]
  expect(findUnread(unread, name, room)).toBe(path)
})

test.each([
  ['a room that can be read', ['shop'], [], null],
  ['a room whose file is there and has a mistake now', ['shop'], ['rooms/shop/ROOM.md'], null],
  ['a folder without a ROOM.md', [], [], null],
  ['a room that can not be read', [], ['rooms/shop/ROOM.md'], /^rooms\/shop\/ROOM\.md, which is unreadable/],
  ['another room that can not be read', [], ['rooms/press/ROOM.md'], null],
] as const)('unreadRoom() of %s', (_, rooms, invalid, why) => {
  const said = unreadRoom(snapshot({ rooms: rooms.map((name) => roomFile(name)), invalid }), 'shop')
  if (why === null) expect(said).toBeNull()
  else expect(said).toMatch(why)
})

test('tasksToLookAt() are the open ones and those that share an id, each once; all if nobody keeps them apart', () => {
  const files = [
    taskFile('open'),
    taskFile('done', { status: 'completed' }),
    taskFile('twin-1', { status: 'completed', neo: { id: 't-twin' } }),
    taskFile('twin-2', { status: 'completed', neo: { id: 't-twin' } }),
  ]
  const tasks = byPath(files)
  const open = byPath(files.filter(isOpen))
  const names = (home: Parameters<typeof tasksToLookAt>[0]) =>
    [...tasksToLookAt(home, facts(), indexTasks(files))].map(({ name }) => name)
  expect(names({ tasks, open })).toEqual(['open', 'twin-1', 'twin-2'])
  expect(names({ tasks })).toEqual(['open', 'done', 'twin-1', 'twin-2'])
})
