/** A key that guards something never loses its effect through a typing error; a key of another program never stops work. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readConfig } from '../../../src/files/config/read-config.ts'
import { readMember } from '../../../src/files/kinds/read-member.ts'
import { readRoom } from '../../../src/files/kinds/read-room.ts'
import { readTask } from '../../../src/files/kinds/read-task.ts'
import { shapes } from '../../../src/files/values/schemas.ts'
import type { Shape } from '../../../src/files/values/shape.ts'
import { FOREIGN, isRestraint, type KeysShape, unknownKey } from '../../../src/files/values/unknown-key.ts'

interface Row {
  readonly at: string
  readonly map: KeysShape
  readonly key: string
}

/** Every key that restrains, with the map that it is in. */
function guarding(shape: Shape<unknown>, at: string): readonly Row[] {
  switch (shape.kind) {
    case 'keys':
      return Object.entries(shape.keys).flatMap(([key, of]) => [
        ...(isRestraint(of) || shape.harmless !== undefined ? [{ at, map: shape, key }] : []),
        ...guarding(of, `${at}.${key}`),
      ])
    case 'list':
    case 'map':
      return guarding(shape.of, at)
    case 'either':
      return shape.of.flatMap((one) => guarding(one, at))
    default:
      return []
  }
}

const ROWS = Object.entries<Shape<unknown>>(shapes).flatMap(([kind, shape]) => guarding(shape, kind))

const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz')

/** One typing error: a letter left out, doubled, swapped with the next, or another one. */
function slip(key: string): fc.Arbitrary<string> {
  const at = fc.nat({ max: key.length - 1 })
  const [before, here, after] = [
    (n: number) => key.slice(0, n),
    (n: number) => key.charAt(n),
    (n: number) => key.slice(n + 1),
  ]
  return fc.oneof(
    at.map((n) => before(n) + after(n)),
    at.map((n) => before(n) + here(n).repeat(2) + after(n)),
    at.map((n) => before(n) + here(n + 1) + here(n) + after(n + 1)),
    fc.tuple(at, letter).map(([n, other]) => before(n) + other + after(n)),
    at.map((n) => before(n) + here(n).toUpperCase() + after(n)),
    fc.constantFrom(key.toUpperCase(), key.replaceAll('_', '-'), key.replaceAll('_', ''), `${key} `),
  )
}

test('a key that guards holds its file back with any one typing error', () => {
  expect(ROWS.length).toBeGreaterThan(100)
  const one = fc.constantFrom(...ROWS).chain((row) => slip(row.key).map((typed) => ({ ...row, typed })))
  fc.assert(
    fc.property(one, ({ at, map, typed }) => {
      fc.pre(typed !== '' && !Object.hasOwn(map.keys, typed) && !FOREIGN.has(typed.toLowerCase()))
      fc.pre(map.harmless?.includes(typed) !== true)
      expect({ at, typed, said: unknownKey(typed, map, { name: typed }) }).toMatchObject({
        said: { severity: 'error' },
      })
    }),
    { numRuns: 5_000 },
  )
})

test.each(Object.entries<Shape<unknown>>(shapes))(
  'no key of another program holds back a file of kind %s',
  (_, shape) => {
    if (shape.kind !== 'keys' || shape.harmless !== undefined) return
    const held = [...FOREIGN].filter(
      (key) => !Object.hasOwn(shape.keys, key) && unknownKey(key, shape, { name: key })?.severity === 'error',
    )
    expect(held).toEqual([])
  },
)

test('a key that starts with x- is never one of Neo', () => {
  for (const { map, key } of ROWS) expect(unknownKey(`x-${key}`, map, { name: key })).toBeNull()
})

const task = shapes.task as KeysShape

test.each([
  ...[
    'verfy',
    'Verify',
    'VERIFY',
    'tests',
    'check',
    'reveiw',
    'review_',
    'reviewer',
    'aproval',
    'tiemout',
    'time_out',
  ],
  ...[
    'budgt',
    'max_cots',
    'max_cost',
    'usd',
    'dependson',
    'depends-on',
    'blockedBy',
    'needs',
    'stauts',
    'state',
    'draft',
  ],
  ...['wroker', 'agent', 'modle', 'workspce', 'ｒｅｖｉｅｗ', 'r\u0435view', 'review\u200b'],
])('%j in a task is an error: it may be meant to guard', (key) => {
  expect(unknownKey(key, task, { name: key })).toMatchObject({
    severity: 'error',
    hint: expect.stringMatching(/^Did you mean /),
  })
})

test.each([
  ...[
    'order',
    'static',
    'bucket',
    'prioritty',
    'titel',
    'labls',
    'retrys',
    'envs',
    'note',
    'preface',
    'duration',
  ],
  ...['constructor', 'toString', '', 'x'.repeat(500)],
])('%j in a task is a warning', (key) => {
  expect(unknownKey(key, task, { name: key })).toMatchObject({ severity: 'warning' })
})

test.each([
  ['readTask', readTask('a.md', '---\nbudget:\nusd: 5\n---\n', 'UTC'), 'usd', 'budget.usd', 3],
  [
    'readTask',
    readTask('a.md', '---\nretry:\n  max: 2\n  review: pr\n---\n', 'UTC'),
    'retry.review',
    'review',
    4,
  ],
  [
    'readMember',
    readMember('a.md', '---\nnotify:\n  quiet: 21-8\n  role: child\n---\n'),
    'notify.role',
    'role',
    4,
  ],
  [
    'readRoom',
    readRoom('a.md', '---\npermissions:\nshell: ask\n---\n', 'a'),
    'shell',
    'permissions.shell',
    3,
  ],
  [
    'readConfig',
    readConfig('a.yaml', 'daemon:\n  budget: { usd_per_day: 1 }\n', {}),
    'daemon.budget',
    'budget',
    2,
  ],
  ['readConfig', readConfig('a.yaml', 'deamon: { concurrency: 1 }\n', {}), 'deamon', 'daemon', 1],
])('%s() refuses a key that guards at the wrong indentation: %#', (_, read, key, meant, line) => {
  expect(read).toMatchObject({
    kind: 'bad',
    problems: [{ line, message: `unknown key "${key}"`, hint: expect.stringContaining(`"${meant}"`) }],
  })
})
