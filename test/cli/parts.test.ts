/** Parts that commands stand on: text for terminals, paths of tasks, the packed head. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { clockText, cut, dateText, shown, shownLines, spanText, widthOf } from '../../src/cli/shown-text.ts'
import { headerFlags } from '../../src/cli/specs/header-flags.ts'
import { WORK } from '../../src/cli/specs/work-specs.ts'
import { headOf, pack, unpack } from '../../src/cli/task/task-cells.ts'
import { partsOf, scanTasks } from '../../src/cli/task/task-paths.ts'
import { composeFiles } from '../../src/compose.ts'
import { isWantedFolder, kindOf } from '../../src/domain/home/home-paths.ts'
import { readTask } from '../../src/files/kinds/read-task.ts'
import { choice, describe, text, textList } from '../../src/files/values/shape.ts'
import { METHODS } from '../../src/hub/method-table.ts'
import { makeHome } from './program.ts'

test('shown() leaves no control character and no line end in any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(shown(text)).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u)
      expect(shownLines(text)).not.toMatch(/[^\P{Cc}\n\t]/u)
    }),
  )
})

test.each([
  ['a\x1b[2Jb', 'a\\x1b[2Jb'],
  ['a\nb\tc', 'a\\nb\\tc'],
  ['a\u202eb', 'a\\u202eb'],
  ['\x9b1m', '\\x9b1m'],
  ['題', '題'],
])('shown(%j) is %j', (text, wanted) => {
  expect(shown(text)).toBe(wanted)
})

test('cut() never gives more columns than asked for, and keeps what fits', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 40 }), (text, columns) => {
      const line = shown(text)
      expect(widthOf(cut(line, columns))).toBeLessThanOrEqual(columns)
      expect(cut(line, widthOf(line))).toBe(line)
    }),
  )
})

test.each([
  ['abc', 3],
  ['題名', 4],
  ['e\u0301', 1],
  ['한글', 4],
  ['', 0],
])('widthOf(%j) is %i', (text, width) => {
  expect(widthOf(text)).toBe(width)
})

test('scanTasks() finds what the core calls a task, and nothing else', () => {
  const names = [
    'a.md',
    'README.md',
    '_b.md',
    '.c.md',
    'd.txt',
    'e.MD',
    'deep/f.md',
    'deep/README.md',
    '_deep/g.md',
    '.deep/h.md',
    'tasks/i.md',
    'na\nme.md',
    '.md',
  ]
  const home = makeHome(
    Object.fromEntries(
      ['shop', 'tasks', '_room', '.room'].flatMap((room) =>
        ['tasks', 'asks'].flatMap((folder) => names.map((name) => [`rooms/${room}/${folder}/${name}`, 'x'])),
      ),
    ),
  )
  const files = composeFiles()
  const wanted = files.scan(home.dir, (path, kind) =>
    kind === 'folder' ? isWantedFolder(path) : kindOf(path)?.kind === 'task',
  )
  const found = scanTasks(home.dir, files).map(({ path }) => path)
  expect(found.sort()).toEqual(wanted.map(({ path }) => path).sort())
  for (const path of found) expect({ ...partsOf(path), kind: 'task' }).toEqual(kindOf(path))
})

test.each([
  '# Plain\n',
  '---\ntitle: X\nstatus: draft\npriority: high\nlabels: [a]\ndepends_on: [b]\nworker: exec:x\ndue: 2026-03-01\nneo: { id: t-aaaaaa, attempt: 2, blocked: model, error: "no: x", retry_at: 2026-03-01T09:00:00Z }\n---\n',
])('a head survives packing, JSON and unpacking: %j', (text) => {
  const read = readTask('rooms/a/tasks/b.md', text, 'UTC')
  if (read.kind !== 'ok') throw new Error('The text is no task')
  const head = headOf(read.value)
  expect(unpack(JSON.parse(JSON.stringify(pack(head))))).toEqual(head)
})

test('headerFlags() makes a flag of a key that has no help of its own, as the file describes it', () => {
  const keys = {
    title: text(),
    owner: describe('Who answers for it.', text()),
    review_by: describe('Reviewers.', textList()),
    size: describe('How large it is.', choice('small', 'large')),
    neo: text(),
  }
  expect(headerFlags(keys, [['title', 'Set the title']], ['neo'])).toEqual([
    { flags: '--title <title>', about: 'Set the title', param: 'title' },
    { flags: '--owner <owner>', about: 'Who answers for it.', param: 'owner' },
    {
      flags: '--review-by <review-by>',
      about: 'Reviewers.',
      param: 'reviewBy',
      many: true,
    },
    { flags: '--size <size>', about: 'How large it is.', param: 'size', choices: ['small', 'large'] },
  ])
})

test.each([
  ['new', 'task.create'],
  ['edit', 'task.update'],
] as const)('every flag of task %s sets a parameter of %s', (name, method) => {
  const row = METHODS.find((one) => one.name === method)
  const schema = JSON.stringify(z.toJSONSchema(row?.params ?? z.null(), { io: 'input' }))
  const params = WORK.task[name].options.flatMap(({ param }) => param ?? []) ?? []
  expect(params.length).toBeGreaterThan(5)
  expect(params.filter((param) => !schema.includes(`"${param}":`))).toEqual([])
})

test.each([
  [0, '0 s'],
  [89_499, '89 s'],
  [90_000, '2 min'],
  [5_399_000, '90 min'],
  [5_400_000, '2 h'],
  [2 * 86_400_000 - 1, '48 h'],
  [2 * 86_400_000, '2 d'],
  [-1, ''],
  [Number.NaN, ''],
])('spanText(%d) is %j', (ms, wanted) => {
  expect(spanText(ms)).toBe(wanted)
})

test('times are those of the local clock, and what is no time stays as it is', () => {
  const at = new Date(2026, 2, 1, 9, 0, 5).toISOString()
  expect([clockText(at), dateText(at)]).toEqual(['09:00:05', '2026-03-01 09:00:05'])
  expect([clockText('soon'), dateText('')]).toEqual(['soon', ''])
})
