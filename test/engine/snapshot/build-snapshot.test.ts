/**
 * The picture of the same entries again costs only what has changed, and says the same as a picture made afresh.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { kindOf } from '../../../src/domain/home/home-paths.ts'
import { indexOf } from '../../../src/domain/task/depends.ts'
import { isOpen } from '../../../src/domain/task/readiness.ts'
import { buildSnapshot, type Entry, type SnapshotInput } from '../../../src/engine/snapshot/build-snapshot.ts'
import { readKnown } from '../../../src/engine/snapshot/file-catalog.ts'
import { config } from '../../builders.ts'

const NAMES = ['a', 'b', 'c', 'd'] as const
const IDS = ['t-1', 't-2', 't-3'] as const

const step = fc.oneof(
  fc.record({
    do: fc.constant('write' as const),
    name: fc.constantFrom(...NAMES),
    id: fc.constantFrom(...IDS),
    after: fc.constantFrom('', ...NAMES),
    status: fc.constantFrom('pending', 'completed'),
  }),
  fc.record({
    do: fc.constantFrom('go', 'come', 'drop', 'break', 'commit'),
    name: fc.constantFrom(...NAMES),
  }),
)

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

describe('a picture', () => {
  test('says the same as one made afresh, whatever has happened to the entries before', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const entries = new Map<string, Entry>()
        for (const one of steps) {
          take(entries, one)
          expect(seen(entries)).toEqual(seen(new Map(entries)))
        }
      }),
      { numRuns: 300 },
    )
  })

  test('says the same as one made afresh where it is told which entries have changed', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const entries = new Map<string, Entry>()
        for (const one of steps) {
          take(entries, one)
          const changed = one.do === 'drop' ? 'all' : new Set([pathOf(one)])
          expect(seen(entries, { changed })).toEqual(seen(new Map(entries)))
        }
      }),
      { numRuns: 300 },
    )
  })

  test.each(['at once', 'one after the other'])(
    'says of a dependency whose file is broken that it cannot be read, come %s',
    (how) => {
      const entries = new Map<string, Entry>()
      take(entries, { do: 'write', name: 'a', id: 't-1', after: 'b', status: 'pending' })
      if (how !== 'at once') expect(dependsIn(entries)).toEqual(['depends_on: no task "b"'])
      take(entries, { do: 'break', name: 'b' })
      expect(dependsIn(entries)).toEqual([`depends_on: rooms/room/tasks/b.md ("b") can't be read`])
      take(entries, { do: 'write', name: 'b', id: 't-2', after: '', status: 'pending' })
      expect(dependsIn(entries)).toEqual([])
    },
  )

  test('says nothing of dependencies of a task that has ended', () => {
    const entries = new Map<string, Entry>()
    take(entries, { do: 'write', name: 'a', id: 't-1', after: 'b', status: 'pending' })
    expect(dependsIn(entries)).toHaveLength(1)
    take(entries, { do: 'write', name: 'a', id: 't-1', after: 'b', status: 'completed' })
    expect(dependsIn(entries)).toEqual([])
  })

  test('gives the very same tasks where nothing has changed', () => {
    const entries = new Map<string, Entry>()
    take(entries, { do: 'write', name: 'a', id: 't-1', after: '', status: 'pending' })
    const before = picture(entries)
    expect(picture(entries).tasks).toBe(before.tasks)
    take(entries, { do: 'write', name: 'b', id: 't-2', after: '', status: 'pending' })
    expect([...picture(entries).tasks.keys()]).toHaveLength(2)
    expect([...before.tasks.keys()]).toHaveLength(1)
  })
})

type Told = Pick<SnapshotInput, 'changed'>

function seen(entries: Map<string, Entry>, told: Told = {}): unknown {
  const { tasks, open, rooms, asks, problems, invalid } = picture(entries, told)
  const kept = [...(open ?? [])].map(([path]) => path).sort()
  expect(kept).toEqual([...tasks.values()].flatMap((file) => (isOpen(file) ? [file.path] : [])).sort())
  const originals = [...indexOf(tasks).originals].sort()
  return {
    originals,
    tasks: [...tasks],
    rooms: [...rooms],
    asks: [...asks],
    problems,
    invalid: [...invalid].sort(),
  }
}

function picture(entries: Map<string, Entry>, told: Told = {}) {
  const git = { kind: 'home', branch: 'main', commit: '' } as const
  return buildSnapshot({
    entries,
    ...told,
    deleted: [],
    git,
    config: config(),
    problems: [],
    names: { member: [], persona: [], peer: [] },
    now: 0,
  })
}

function dependsIn(entries: Map<string, Entry>): string[] {
  return picture(entries).problems.flatMap(({ code, message }) => (code === 'depends' ? [message] : []))
}

function pathOf({ name }: Step): string {
  return `rooms/room/tasks/${name}.md`
}

function take(entries: Map<string, Entry>, one: Step): void {
  const path = pathOf(one)
  const entry = entries.get(path)
  switch (one.do) {
    case 'write': {
      const needs = one.after === '' ? '' : `depends_on: [${one.after}]\n`
      entries.set(
        path,
        entryOf(path, `---\nstatus: ${one.status}\n${needs}neo: { id: ${one.id} }\n---\nText\n`),
      )
      return
    }
    case 'break':
      entries.set(path, { ...entryOf(path, '---\nstatus: nonsense\n---\n'), good: entry?.good ?? null })
      return
    case 'drop':
      entries.delete(path)
      return
    case 'go':
    case 'come':
      if (entry !== undefined) entry.gone = one.do === 'go'
      return
    case 'commit':
      if (entry?.good) entry.good = { ...entry.good, against: 'another' }
  }
}

function entryOf(path: string, text: string): Entry {
  const known = kindOf(path)
  if (known === null) throw new Error(`${path} is no file of a home`)
  const reading = readKnown({ path, known, bytes: Buffer.from(text), zone: 'UTC' })
  const rest = { path, known, hash: text, stat: { size: 0, mtimeMs: 0, ino: 0 }, gone: false, why: '' }
  if (reading.kind === 'unfinished') return { ...rest, good: null, problems: [], state: 'unfinished' }
  const { problems } = reading
  if (reading.kind === 'bad') return { ...rest, good: null, problems, state: 'bad' }
  const good = { hash: text, content: reading.content, gitStatus: 'same', committedStatus: null } as const
  return { ...rest, good: { ...good, against: null }, problems, state: 'ok' }
}
