/** Laws of merging a file that two hosts changed, whatever each of them wrote. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { editDocument, type Json } from '../../../src/files/edit/edit-header.ts'
import { readDocument } from '../../../src/files/header/document.ts'
import { mergeSides } from '../../../src/files/merge/merge-sides.ts'
import { mergeStale } from '../../../src/files/merge/merge-stale.ts'

const BASE = `---
title: A   # mine
priority: low
status: pending
labels: [x, y]
neo:
  id: t-1
  created_at: "2026-01-01T00:00:00Z"
---
# Fix

One.

- [ ] a
- [ ] b
`

type Data = Readonly<Record<string, unknown>>

function dataOf(text: string): Data {
  const read = readDocument('x.md', text)
  if (read.kind !== 'ok') throw new Error(JSON.stringify([read, text]))
  return read.value.data
}

const bodyOf = (text: string) => text.slice(text.indexOf('\n---\n') + 5)
const blockOf = (text: string) => (dataOf(text)['neo'] ?? {}) as Data

/** What Neo writes of a task. */
const bookkeeping = fc.record(
  {
    status: fc.constantFrom(
      'pending',
      'in_progress',
      'review',
      'blocked',
      'completed',
      'failed',
      'cancelled',
    ),
    neo: fc.record(
      {
        attempt: fc.nat(3),
        session: fc.constantFrom('s-1', 's-2'),
        started_at: fc.constantFrom('2026-01-02T00:00:00Z', '2026-01-03T00:00:00Z'),
        completed_at: fc.constantFrom('2026-01-04T00:00:00Z', '2026-01-05T00:00:00Z'),
        result: fc.constantFrom('done', 'Fix: it', 'no'),
        created_at: fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z'),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ['neo'] },
)
const byNeo = bookkeeping.map(({ status, neo }) =>
  editDocument(BASE, { set: status === undefined ? {} : { status }, neo: neo as Record<string, Json> }),
)
const eol = fc.constantFrom('\n', '\n', '\r\n')
const withEol = (text: string, by: string) => text.replaceAll('\n', by)

test('both hosts get the same result, no matter which one is ours', () => {
  fc.assert(
    fc.property(byNeo, byNeo, eol, eol, (a, b, one, other) => {
      const [ours, theirs] = [withEol(a, one), withEol(b, other)]
      const merged = mergeSides({ base: BASE, ours, theirs })
      expect(mergeSides({ base: BASE, ours: theirs, theirs: ours })).toEqual(merged)
      expect(merged.kind).toBe('text')
    }),
    { numRuns: 300 },
  )
})

test('merging by rule changes no line that people wrote, and invents no value', () => {
  fc.assert(
    fc.property(byNeo, byNeo, (ours, theirs) => {
      const merged = mergeSides({ base: BASE, ours, theirs })
      if (merged.kind !== 'text') throw new Error(merged.kind)
      expect(merged.text).toContain('title: A   # mine\npriority: low\n')
      expect(merged.text).toContain('\nlabels: [x, y]\nneo:\n')
      expect(bodyOf(merged.text)).toBe(bodyOf(BASE))
      expect([dataOf(ours)['status'], dataOf(theirs)['status']]).toContain(dataOf(merged.text)['status'])
      const [our, their, now] = [blockOf(ours), blockOf(theirs), blockOf(merged.text)]
      for (const [key, value] of Object.entries(now)) expect([our[key], their[key]]).toContainEqual(value)
      for (const key of [...Object.keys(our), ...Object.keys(their)]) expect(now).toHaveProperty(key)
    }),
    { numRuns: 300 },
  )
})

test('what one host alone changed is the result, and merging again changes nothing', () => {
  fc.assert(
    fc.property(byNeo, eol, (changed, by) => {
      const text = withEol(changed, by)
      expect(mergeSides({ base: BASE, ours: BASE, theirs: text })).toEqual({ kind: 'text', text })
      expect(mergeSides({ base: BASE, ours: text, theirs: text })).toEqual({ kind: 'text', text })
      expect(mergeSides({ base: text, ours: text, theirs: text })).toEqual({ kind: 'text', text })
    }),
  )
})

const edits: readonly (readonly [string, string])[] = [
  ['One.', 'One and more.'],
  ['- [ ] b\n', '- [ ] b\n- [ ] c\n'],
  ['priority: low', 'priority: high'],
  ['title: A   # mine', 'title: B   # mine'],
  ['labels: [x, y]', 'labels: [x, y, z]'],
]

test.each(edits)('an edit of a person, %j to %j, joins what Neo wrote elsewhere', (from, to) => {
  fc.assert(
    fc.property(byNeo, (theirs) => {
      const merged = mergeSides({ base: BASE, ours: BASE.replace(from, to), theirs })
      expect(merged).toEqual({ kind: 'text', text: theirs.replace(from, to) })
    }),
  )
})

const others = [
  'One and other.',
  '- [ ] b\n- [ ] d\n',
  'priority: urgent',
  'title: C   # mine',
  'labels: [x]',
]

test.each(edits.map(([from, to], at) => [from, to, others[at] ?? '']))(
  'two edits of %j are a conflict, whatever Neo wrote',
  (from, to, other) => {
    fc.assert(
      fc.property(byNeo, byNeo, (a, b) => {
        const sides = { base: BASE, ours: a.replace(from, to), theirs: b.replace(from, other) }
        expect(mergeSides(sides)).toEqual({ kind: 'conflict' })
      }),
    )
  },
)

test('a file that one host deleted goes, unless the other changed what people write', () => {
  fc.assert(
    fc.property(byNeo, fc.constantFrom(...edits), eol, (text, [from, to], by) => {
      expect(mergeSides({ base: BASE, ours: withEol(text, by), theirs: null })).toEqual({ kind: 'delete' })
      const edited = text.replace(from, to)
      expect(mergeSides({ base: BASE, ours: null, theirs: edited })).toEqual({ kind: 'conflict' })
    }),
  )
  expect(mergeSides({ base: BASE, ours: null, theirs: null })).toEqual({ kind: 'delete' })
  expect(mergeSides({ base: null, ours: BASE, theirs: null })).toEqual({ kind: 'conflict' })
})

const ORDER = ['pending', 'in_progress', 'draft', 'blocked', 'review', 'failed', 'cancelled', 'completed']

test.each(ORDER.flatMap((less, at) => ORDER.slice(at + 1).map((more) => [less, more] as const)))(
  'where both changed the status, %s gives way to %s',
  (less, more) => {
    const base = BASE.replace('pending', 'verifying')
    const with_ = (status: string) => base.replace('verifying', status)
    const merged = mergeSides({ base, ours: with_(less), theirs: with_(more) })
    expect(merged).toEqual({ kind: 'text', text: with_(more) })
    expect(mergeSides({ base, ours: with_(more), theirs: with_(less) })).toEqual(merged)
  },
)

test('a stale buffer with edits of a person keeps them, and takes all that Neo wrote', () => {
  fc.assert(
    fc.property(byNeo, fc.subarray([...edits]), eol, (ours, chosen, by) => {
      const edited = (text: string) => chosen.reduce((all, [from, to]) => all.replace(from, to), text)
      const { text, bodyConflict } = mergeStale(BASE, ours, withEol(edited(BASE), by))
      expect(bodyConflict).toBe(false)
      expect(text).toBe(withEol(edited(ours), by))
    }),
    { numRuns: 200 },
  )
})
