/** Problems that show only between files: dependencies, ids, lost rooms, links in place of folders. */
import { describe, expect, test } from 'vitest'
import type { Snapshot } from '../../../src/domain/plan/snapshot.ts'
import { isLinkedFolder, linksApart, openLostRooms } from '../../../src/engine/snapshot/room-folders.ts'
import { validateNames } from '../../../src/engine/snapshot/validate-names.ts'
import { validateTaskGraph, withoutEnded } from '../../../src/engine/snapshot/validate-task-graph.ts'
import { readSchedule } from '../../../src/files/kinds/read-schedule.ts'
import { config, roomFile, snapshot, type TaskOver, taskFile } from '../../builders.ts'

const STAT = { size: 0, mtimeMs: 0, ino: 0 }

describe('validateTaskGraph()', () => {
  const tasks = (...files: readonly (readonly [string, TaskOver])[]) =>
    snapshot({ tasks: files.map(([name, over]) => taskFile(name, over)) }).tasks
  const problems = (...args: Parameters<typeof validateTaskGraph>) =>
    validateTaskGraph(...args).map(({ file, code, severity, message }) => [
      file.slice('rooms/shop/tasks/'.length),
      code,
      severity,
      message,
    ])

  test.each<[string, TaskOver, TaskOver, readonly string[], string | null]>([
    ['a task that is there', { dependsOn: ['b'] }, {}, [], null],
    ['its id', { dependsOn: ['t-b'] }, {}, [], null],
    ['no task', { dependsOn: ['c'] }, {}, [], 'depends_on: no task "c"'],
    [
      'a file that cannot be read',
      { dependsOn: ['c'] },
      {},
      ['rooms/shop/tasks/c.md'],
      'depends_on: rooms/shop/tasks/c.md ("c") can\'t be read',
    ],
  ])('of a dependency on %s', (_what, a, b, unread, message) => {
    const found = problems(tasks(['a', a], ['b', b]), unread)
    expect(found).toEqual(message === null ? [] : [['a.md', 'depends', 'warning', message]])
  })

  test('names the files of a name that several tasks have', () => {
    const found = problems(tasks(['a', { dependsOn: ['twin'] }], ['twin--t-b', {}], ['twin--t-c', {}]), [])
    const paths = 'rooms/shop/tasks/twin--t-b.md, rooms/shop/tasks/twin--t-c.md'
    expect(found).toEqual([
      ['a.md', 'depends', 'error', `depends_on: "twin" is the name of 2 tasks: ${paths}`],
    ])
  })

  test('names each task of a cycle, with the whole round', () => {
    const found = problems(tasks(['a', { dependsOn: ['b'] }], ['b', { dependsOn: ['a'] }], ['c', {}]), [])
    expect(found.map(([, code, severity]) => [code, severity])).toEqual([
      ['cycle', 'error'],
      ['cycle', 'error'],
    ])
    expect(found[0]?.[3]).toMatch(/^dependency cycle: (a → b → a|b → a → b)$/)
  })

  test('names both files of a copied id', () => {
    const found = validateTaskGraph(
      tasks(['a', { neo: { id: 't-x' } }], ['b', { neo: { id: 't-x' } }], ['c', {}]),
      [],
    )
    expect(found.map(({ file, code }) => [file, code])).toEqual([
      ['rooms/shop/tasks/a.md', 'id'],
      ['rooms/shop/tasks/b.md', 'id'],
    ])
    expect(found[0]?.message).toBe('duplicate id t-x in rooms/shop/tasks/a.md and rooms/shop/tasks/b.md')
  })

  test('withoutEnded() leaves out dependencies of tasks that have ended, and nothing else', () => {
    const all = tasks(
      ['a', { status: 'completed', dependsOn: ['none'] }],
      ['b', { dependsOn: ['none'] }],
      ['c', { status: 'completed', neo: { id: 't-b' } }],
    )
    const kept = withoutEnded(validateTaskGraph(all, []), all).map(({ file, code }) => [
      file.slice('rooms/shop/tasks/'.length, -3),
      code,
    ])
    expect(kept.toSorted()).toEqual([
      ['b', 'depends'],
      ['b', 'id'],
      ['c', 'id'],
    ])
  })
})

describe('openLostRooms()', () => {
  /** History has the ROOM.md of these. */
  function lost(...had: readonly string[]) {
    const asked: (readonly string[])[] = []
    const everHad = async (paths: readonly string[]) => {
      asked.push(paths)
      return new Set(paths.filter((path) => had.includes(path)))
    }
    return { asked, rooms: openLostRooms({ everHad }) }
  }
  const GONE = 'rooms/gone/ROOM.md'
  const using = (...rooms: readonly string[]): Snapshot => {
    const tasks = rooms.map((room) => taskFile('a', { room }))
    return snapshot({ tasks, open: new Map(tasks.map((file) => [file.path, file])) })
  }

  test('makes a room whose file history had invalid, and one that never had one fine', async () => {
    const { rooms } = lost(GONE)
    const found = await rooms.withProblems(using('gone', 'bare', 'shop'))
    expect([[...found.invalid], found.problems.map(({ file, code }) => [file, code])]).toEqual([
      [GONE],
      [[GONE, 'lost']],
    ])
  })

  test('asks git once a room, and again after its file was there', async () => {
    const { rooms, asked } = lost(GONE)
    await rooms.withProblems(using('gone'))
    await rooms.withProblems(using('gone', 'bare'))
    await rooms.withProblems(snapshot({ rooms: [roomFile('gone')] }))
    await rooms.withProblems(using('gone'))
    expect(asked).toEqual([[GONE], ['rooms/bare/ROOM.md'], [GONE]])
  })

  test('names a room once that is invalid for another reason', async () => {
    const { rooms } = lost(GONE)
    const seen = { ...using('gone'), invalid: new Set([GONE]) }
    expect(await rooms.withProblems(seen)).toBe(seen)
  })
})

test.each([
  ['rooms', true],
  ['rooms/shop', true],
  ['rooms/shop/tasks', true],
  ['rooms/_old', false],
  ['rooms/shop/tasks/photo.png', false],
  ['rooms/shop/tasks/a.md', false],
  ['workspace/skills/x', false],
  ['notes', false],
])('isLinkedFolder() of %s is %s', (path, is) => {
  expect(isLinkedFolder(path)).toBe(is)
})

test('linksApart() makes links in place of folders problems, in order, and leaves the rest', () => {
  const entry = (path: string, kind: 'file' | 'link') => ({ path, kind, ...STAT })
  const file = entry('rooms/shop/tasks/a.md', 'link')
  const { links, others } = linksApart([entry('rooms/z', 'link'), file, entry('rooms/a', 'link')])
  expect(links.map((one) => one.file)).toEqual(['rooms/a', 'rooms/z'])
  expect(links[0]?.hint).toContain('set workspace:')
  expect(others).toEqual([file])
})

test('validateNames() names workers that do not exist, of tasks, rooms and schedules', () => {
  const read = readSchedule('rooms/shop/schedules/s.md', '---\nevery: 1d\nworker: exec:no\n---\nX\n')
  if (read.kind !== 'ok') throw new Error(JSON.stringify(read))
  const at = { hash: '', gitStatus: 'same', room: 'shop', name: 's' } as const
  const worker = { kind: 'mcp', name: 'docs' } as const
  const found = validateNames(
    {
      config: config(),
      tasks: [
        taskFile('a', { worker: { kind: 'exec', name: 'no' } }),
        taskFile('b', { worker, status: 'completed' }),
        taskFile('c', { worker: { kind: 'peer', name: 'ben' } }),
        taskFile('d', { worker: { kind: 'peer', name: 'dan' } }),
      ],
      schedules: [{ ...at, path: 'rooms/shop/schedules/s.md', schedule: read.value }],
      rooms: new Map([['shop', roomFile('shop', { worker })]]),
    },
    { member: [], persona: [], peer: ['dan'] },
  )
  expect(found.map(({ file, severity, message }) => [file, severity, message])).toEqual([
    ['rooms/shop/tasks/a.md', 'warning', 'worker no not found under workers: in neo.yaml; it has none'],
    ['rooms/shop/tasks/c.md', 'warning', 'worker: no agent "ben" in workspace/agents/'],
    ['rooms/shop/schedules/s.md', 'warning', 'worker no not found under workers: in neo.yaml; it has none'],
    [
      'rooms/shop/ROOM.md',
      'warning',
      expect.stringMatching(/^MCP server docs not found, or disabled, under/),
    ],
  ])
})
