/** What a name in depends_on means, and which tasks wait on themselves. */
import { expect, test } from 'vitest'
import type { TaskFile } from '../../../src/domain/plan/snapshot.ts'
import { findCycles, findTask, indexTasks } from '../../../src/domain/task/depends.ts'
import { newFile, taskFile } from '../../builders.ts'

const HOME = [
  taskFile('build'),
  taskFile('site/deploy'),
  taskFile('build', { room: 'press', neo: { id: 't-press' } }),
  taskFile('print', { room: 'press' }),
  taskFile('ads/send', { room: 'press', neo: { id: 't-ads' } }),
  taskFile('mail/send', { room: 'press', neo: { id: 't-mail' } }),
  taskFile('t-build', { room: 'odd', neo: { id: 't-odd' } }),
  newFile('bare'),
  taskFile('x/own'),
  taskFile('y/own', { room: 'press', neo: { id: 't-own' } }),
  taskFile('copy-1', { neo: { id: 't-copy' } }),
  taskFile('copy-2', { neo: { id: 't-copy' } }),
  taskFile('fix-login--t-fix', { neo: { id: 't-fix' } }),
  taskFile('deep/fix-page--t-page', { neo: { id: 't-page' } }),
  taskFile('twin--t-one', { neo: { id: 't-one' } }),
  taskFile('twin--t-two', { neo: { id: 't-two' } }),
  taskFile('twin--t-own', { room: 'press', neo: { id: 't-own-twin' } }),
  taskFile('whole', { room: 'press' }),
  taskFile('whole--t-w', { neo: { id: 't-w' } }),
  taskFile('x/top', { room: 'press', neo: { id: 't-deep' } }),
  taskFile('top', { neo: { id: 't-top' } }),
]

test.each([
  ['a path under the same tasks/', 'site/deploy', 'shop', 'rooms/shop/tasks/site/deploy.md'],
  ['the same with .md', 'build.md', 'shop', 'rooms/shop/tasks/build.md'],
  ['room/name', 'press/build', 'shop', 'rooms/press/tasks/build.md'],
  ['room/path', 'press/ads/send', 'shop', 'rooms/press/tasks/ads/send.md'],
  ['a file name of the same room', 'deploy', 'shop', 'rooms/shop/tasks/site/deploy.md'],
  ['a file name of another room', 'print', 'shop', 'rooms/press/tasks/print.md'],
  ['its own room before another', 'build', 'press', 'rooms/press/tasks/build.md'],
  ['a file name of its own room before another', 'own', 'press', 'rooms/press/tasks/y/own.md'],
  ['an id', 't-mail', 'shop', 'rooms/press/tasks/mail/send.md'],
  ['a file name before an id', 't-build', 'shop', 'rooms/odd/tasks/t-build.md'],
  ['a file without an id', 'bare', 'press', 'rooms/shop/tasks/bare.md'],
  ['room/name from no room', 'shop/build', '', 'rooms/shop/tasks/build.md'],
  ['a name without its id', 'fix-login', 'shop', 'rooms/shop/tasks/fix-login--t-fix.md'],
  ['the same from another room', 'fix-login.md', 'press', 'rooms/shop/tasks/fix-login--t-fix.md'],
  ['room/name without its id', 'shop/fix-login', 'press', 'rooms/shop/tasks/fix-login--t-fix.md'],
  ['a path', 'rooms/shop/tasks/fix-login--t-fix.md', 'press', 'rooms/shop/tasks/fix-login--t-fix.md'],
  ['a path without its id', 'rooms/shop/tasks/fix-login', '', 'rooms/shop/tasks/fix-login--t-fix.md'],
  ['a name in a folder without its id', 'fix-page', 'press', 'rooms/shop/tasks/deep/fix-page--t-page.md'],
  ['a folder and a name', 'deep/fix-page', 'press', 'rooms/shop/tasks/deep/fix-page--t-page.md'],
  ['that of its own room without its id', 'twin', 'press', 'rooms/press/tasks/twin--t-own.md'],
  ['a whole name before one without its id', 'whole', 'shop', 'rooms/press/tasks/whole.md'],
  ['one directly in tasks/ before one in a folder', 'top', 'empty', 'rooms/shop/tasks/top.md'],
])('findTask() finds %s', (_form, name, room, path) => {
  expect(findTask(indexTasks(HOME), name, room)).toMatchObject({ kind: 'one', file: { path } })
})

test.each([
  ['nothing', 'nowhere', { kind: 'none' }],
  ['nothing of an empty name', '', { kind: 'none' }],
  ['several in one room', 'send', ['rooms/press/tasks/ads/send.md', 'rooms/press/tasks/mail/send.md']],
  ['nothing of a room', 'shop/', { kind: 'none' }],
  ['nothing of a part', 'login', { kind: 'none' }],
  [
    'several without their ids',
    'shop/twin',
    ['rooms/shop/tasks/twin--t-one.md', 'rooms/shop/tasks/twin--t-two.md'],
  ],
  ['several of one id', 't-copy', ['rooms/shop/tasks/copy-1.md', 'rooms/shop/tasks/copy-2.md']],
  ['several of other rooms', 'build', ['rooms/shop/tasks/build.md', 'rooms/press/tasks/build.md']],
])('findTask() says so when a name means %s', (_form, name, want) => {
  const expected = Array.isArray(want) ? { kind: 'many', paths: want } : want
  expect(findTask(indexTasks(HOME), name, 'empty')).toEqual(expected)
})

test.each([
  ['the committed one', 'a', 'b', 'new', 'b'],
  ['the one that is named by the id', 'a', 'b--t-x', 'same', 'b--t-x'],
  ['the name that the other continues', 'fix-2', 'fix', 'same', 'fix'],
  ['the name that the other continues', 'fix copy', 'fix', 'same', 'fix'],
  ['the first name', 'b', 'a', 'same', 'a'],
] as const)(
  'indexTasks() takes for the original %s, of %s and %s',
  (_why, one, other, gitStatus, original) => {
    const neo = { id: 't-x' }
    const files = [taskFile(one, { neo, gitStatus }), taskFile(other, { neo })]
    for (const all of [files, files.toReversed()])
      expect(indexTasks(all).originals.get('t-x')?.name).toBe(original)
  },
)

/** `a>b` is: a waits on b. */
function tasksOf(...arrows: readonly string[]): readonly TaskFile[] {
  return arrows.map((arrow) => {
    const [name = '', on = ''] = arrow.split('>')
    return taskFile(name, { dependsOn: on === '' ? [] : on.split(',') })
  })
}

function cyclesOf(files: readonly TaskFile[]): readonly (readonly string[])[] {
  const cycles = findCycles(new Map(files.map((file) => [file.path, file])), indexTasks(files))
  return cycles.map((cycle) => cycle.map((path) => path.slice('rooms/shop/tasks/'.length, -3)))
}

test.each([
  ['none in a diamond', ['a>b,c', 'b>d', 'c>d', 'd>'], []],
  ['none where a name means nothing', ['a>nowhere'], []],
  ['a task that waits on itself', ['a>a'], [['a']]],
  ['two that wait on each other', ['a>b', 'b>a'], [['a', 'b']]],
  ['only those in the circle', ['in>b', 'b>c', 'c>d', 'd>b'], [['b', 'c', 'd']]],
  ['two circles', ['a>a', 'b>c', 'c>b'], [['a'], ['b', 'c']]],
  [
    'two circles through one task',
    ['a>b,c', 'b>a', 'c>a'],
    [
      ['a', 'b'],
      ['a', 'c'],
    ],
  ],
])('findCycles() finds %s', (_case, arrows, cycles) => {
  expect(cyclesOf(tasksOf(...arrows))).toEqual(cycles)
})

const CHAIN = Array.from({ length: 10_000 }, (_, index) => `n${index}>n${index + 1}`)

test('findCycles() finds none in a chain of 10,000', () => {
  expect(cyclesOf(tasksOf(...CHAIN, 'n10000>'))).toEqual([])
})

test('findCycles() finds one of 10,001 when the chain closes', () => {
  expect(cyclesOf(tasksOf(...CHAIN, 'n10000>n0')).map((cycle) => cycle.length)).toEqual([10_001])
})
