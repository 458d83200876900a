import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { check } from '../../../src/files/values/check-value.ts'
import { jsonSchema, SCHEMA_KINDS, shapes } from '../../../src/files/values/schemas.ts'
import type { Shape } from '../../../src/files/values/shape.ts'
import { zodOf } from './zod-of.ts'

const SHAPES = Object.entries<Shape<unknown>>(shapes)

/** Values that are right somewhere, and near misses. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(
    '',
    ' ',
    'draft',
    'done',
    'high',
    'exec:x',
    'exec:',
    'peer:a b',
    '30s',
    '0',
    '30',
    '1h30m',
    '5GB',
    '5 gb',
  ),
  fc.constantFrom<unknown>(
    '2026-03-01',
    '2026-02-30',
    '2026-03-01T09:00',
    't-1',
    '../x',
    'a.b',
    'NODE_ENV',
    'A-B',
    'on',
    'off',
    'none',
    'UTC',
    'Mars/X',
  ),
  fc.constantFrom<unknown>(
    0,
    1,
    -1,
    1.5,
    100,
    101,
    65_536,
    2 ** 60,
    true,
    false,
    null,
    [],
    {},
    [null],
    ['a'],
    [1, ['b']],
    { a: 1 },
    { max: 2 },
  ),
  fc.constantFrom<unknown>(
    { max: 'x' },
    { usd: 1.5 },
    { usd: -1 },
    { at: '2026-03-01', commands: 1 },
    { telegram: '1' },
    [{ type: 'repository' }],
  ),
  fc.constantFrom<unknown>(
    'http://x',
    'ftp://x',
    'anthropic/x',
    'rules',
    '30/m',
    '0 9 * * 1-5',
    'x',
    { x: { type: 'text', default: 1 } },
    { shell: 'ask', write: ['a'] },
  ),
)

/** Data with this shape's keys, and values of all kinds below them. */
function dataFor(shape: Shape<unknown>, depth: number): fc.Arbitrary<unknown> {
  if (depth === 0) return odd
  switch (shape.kind) {
    case 'keys': {
      const fields = Object.fromEntries(
        Object.entries(shape.keys).map(([key, of]) => [key, dataFor(of, depth - 1)]),
      )
      return fc.record(
        { unknown_key: odd, review: odd, usd: odd, ...fields },
        { requiredKeys: [], noNullPrototype: true },
      )
    }
    case 'map':
      return fc.oneof(
        odd,
        fc.dictionary(fc.constantFrom('a', 'b c'), dataFor(shape.of, depth - 1), {
          noNullPrototype: true,
          maxKeys: 2,
        }),
      )
    case 'list':
      return fc.oneof(odd, fc.array(dataFor(shape.of, depth - 1), { maxLength: 2 }))
    case 'choice':
      return fc.oneof(fc.constantFrom(...shape.of), odd)
    case 'either':
      return fc.oneof(...shape.of.map((of) => dataFor(of, depth - 1)))
    default:
      return odd
  }
}

function accepts(shape: Shape<unknown>, data: unknown): boolean {
  const on = { file: '', text: '', source: '', from: 0, problems: [] as { severity: string }[] }
  check({ ...on, problems: on.problems as never }, shape, data)
  return on.problems.every(({ severity }) => severity === 'warning')
}

describe('check', () => {
  test.each(SHAPES)('gives the verdict of the zod schema for %s', (_, shape) => {
    const schema = zodOf(shape)
    fc.assert(
      fc.property(dataFor(shape, 4), (data) => {
        fc.pre(typeof data === 'object' && data !== null && !Array.isArray(data))
        const verdict = accepts(shape, data)
        expect(schema.safeParse(data).success).toBe(verdict)
      }),
      { numRuns: 400 },
    )
  })

  test.each(SHAPES)(
    'gives the verdict of the zod schema for one key of %s at a time, and so does its JSON Schema if it is accepted',
    (kind, shape) => {
      const schema = zodOf(shape)
      const inEditors = z.fromJSONSchema(jsonSchema(kind as keyof typeof shapes) as never)
      let right = 0
      const keys = shape.kind === 'keys' ? Object.entries(shape.keys) : []
      const one = fc
        .constantFrom(...keys)
        .chain(([key, of]) => dataFor(of, 3).map((value) => ({ [key]: value })))
      fc.assert(
        fc.property(one, (data) => {
          const verdict = accepts(shape, data)
          if (verdict) right++
          if (verdict) expect(inEditors.safeParse(data).success).toBe(true)
          expect(schema.safeParse(data).success).toBe(verdict)
        }),
        { numRuns: 600 },
      )
      expect(right).toBeGreaterThan(10)
    },
  )
})

describe('jsonSchema', () => {
  test.each(SCHEMA_KINDS)('prints draft 7 for %s', (kind) => {
    expect(jsonSchema(kind)).toMatchObject({
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
    })
  })

  test('lets editors offer the words of a choice', () => {
    expect(JSON.stringify(jsonSchema('task'))).toContain('"enum":["low","normal","high","urgent"]')
  })
})

test('jsonSchema() of a transcript accepts its lines', () => {
  const line = {
    v: 1,
    id: 'x',
    parent: null,
    ts: '2026-03-01T09:00:00Z',
    session: 's-1',
    room: 'a',
    task: 't-1',
    type: 'user',
    text: 'hi',
  }
  const schema = z.fromJSONSchema(jsonSchema('transcript') as never)
  expect(schema.safeParse(line).success).toBe(true)
  expect(schema.safeParse({ ...line, ts: 'now' }).success).toBe(false)
})

test('jsonSchema() marks a guard without a value', () => {
  const schema = z.fromJSONSchema(jsonSchema('task') as never)
  expect([{ review: null }, { labels: null }].map((data) => schema.safeParse(data).success)).toEqual([
    false,
    true,
  ])
})
