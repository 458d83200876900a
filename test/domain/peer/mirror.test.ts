/** What somebody does in an editor, as a context: the latest of each thing, bounded, and no chats for others. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  MIRROR_KINDS,
  type MirrorEvent,
  mirrorFacts,
  RECENT_MS,
  snapshotOf,
} from '../../../src/domain/peer/mirror.ts'

const NOW = '2026-03-02T09:00:00.000Z'
const ago = (ms: number) => new Date(Date.parse(NOW) - ms).toISOString()
const event = (kind: MirrorEvent['kind'], more: Partial<MirrorEvent> = {}): MirrorEvent => ({
  kind,
  at: ago(60_000),
  room: 'shop',
  ...more,
})
const EMPTY = snapshotOf([], NOW)

describe('snapshotOf', () => {
  test('is empty without events, and says so', () => {
    expect(EMPTY).toEqual({
      timestamp: NOW,
      activeFiles: [],
      recentChanges: [],
      recentChat: [],
      activeErrors: [],
      recentTests: [],
      focusSummary: 'Nothing in the last two hours.',
    })
  })

  test('forgets what is older than two hours', () => {
    const opened = (ms: number) => snapshotOf([event('file.opened', { file: 'a.ts', at: ago(ms) })], NOW)
    expect(opened(RECENT_MS).activeFiles).toEqual(['a.ts'])
    expect(opened(RECENT_MS + 1)).toEqual(EMPTY)
  })

  test('names each file once, the last one first', () => {
    const events = ['a.ts', 'b.ts', 'a.ts', 'c.ts'].map((file) => event('file.saved', { file }))
    expect(snapshotOf(events, NOW).activeFiles).toEqual(['c.ts', 'a.ts', 'b.ts'])
    expect(snapshotOf([event('test.run', { file: 'a.ts', name: 'x' })], NOW).activeFiles).toEqual([])
  })

  test('adds up the changes of a file, and keeps its last summary that says something', () => {
    const events = [
      event('file.edited', { file: 'a.ts', linesAdded: 1, linesRemoved: 2, summary: 'old' }),
      event('file.saved', { file: 'a.ts', linesAdded: 10, linesRemoved: 20, summary: 'new' }),
      event('file.saved', { file: 'a.ts', linesAdded: 100 }),
      event('file.opened', { file: 'b.ts' }),
      event('file.edited', { summary: 'of no file' }),
    ]
    expect(snapshotOf(events, NOW).recentChanges).toEqual([
      { file: 'a.ts', linesAdded: 111, linesRemoved: 22, summary: 'new' },
    ])
  })

  test('takes the last diagnostic of each place; one without a text ends it', () => {
    const at = (line: number, text: string, severity?: 'warning') =>
      event('diagnostic', { file: 'a.ts', line, text, severity })
    const events = [at(1, 'old'), at(2, 'gone'), at(3, 'stays', 'warning'), at(1, 'new'), at(2, '')]
    expect(snapshotOf(events, NOW).activeErrors).toEqual([
      { file: 'a.ts', line: 1, message: 'new', severity: 'error' },
      { file: 'a.ts', line: 3, message: 'stays', severity: 'warning' },
    ])
  })

  test('takes the last run of each test, as failed if it does not say how it went', () => {
    const events = [
      event('test.run', { name: 'a', status: 'failed' }),
      event('test.run', { name: 'b' }),
      event('test.run', { name: 'a', status: 'passed', durationMs: 12 }),
    ]
    expect(snapshotOf(events, NOW).recentTests).toEqual([
      { name: 'a', status: 'passed', durationMs: 12 },
      { name: 'b', status: 'failed', durationMs: null },
    ])
  })

  test('gives each word of a chat to who said it, the last one first', () => {
    const events = [event('chat.message', { text: 'why?' }), event('chat.response', { text: 'because' })]
    expect(snapshotOf(events, NOW).recentChat).toEqual([
      { role: 'assistant', content: 'because', timestamp: ago(60_000) },
      { role: 'user', content: 'why?', timestamp: ago(60_000) },
    ])
  })

  test.each([
    [1, 0, 'Works on f0.ts; 1 file changed.'],
    [2, 0, 'Works on f1.ts; 2 files changed.'],
    [1, 1, 'Works on f0.ts; 1 file changed; 1 open error.'],
    [2, 3, 'Works on f1.ts; 2 files changed; 3 open errors.'],
  ])('of %i changed files and %i errors: %s', (files, errors, says) => {
    const events = [
      ...Array.from({ length: errors }, (_, line) => event('diagnostic', { line, text: 'wrong' })),
      ...Array.from({ length: files }, (_, at) => event('file.saved', { file: `f${at}.ts` })),
    ]
    expect(snapshotOf(events, NOW).focusSummary).toBe(says)
  })

  test('names an open file without changes', () => {
    const { focusSummary } = snapshotOf([event('file.opened', { file: 'a.ts' })], NOW)
    expect(focusSummary).toBe('Works on a.ts.')
  })
})

test('snapshotOf() keeps the newest of many events, and no list grows without bound', () => {
  const each = Array.from({ length: 120 }, (_, n) =>
    MIRROR_KINDS.map((kind) => event(kind, { file: `f${n}.ts`, line: n, text: `t${n}`, name: `n${n}` })),
  ).flat()
  const { activeFiles, recentChanges, recentChat, activeErrors, recentTests } = snapshotOf(each, NOW)
  const sizes = [activeFiles, recentChanges, recentChat, activeErrors, recentTests].map(
    ({ length }) => length,
  )
  expect(sizes).toEqual([10, 20, 20, 50, 50])
  expect([activeFiles[0], recentChanges[0]?.file, activeErrors[0]?.message]).toEqual([
    'f119.ts',
    'f119.ts',
    't119',
  ])
})

describe('mirrorFacts', () => {
  const snapshot = snapshotOf(
    [
      event('chat.message', { text: 'CHAT', file: 'src/chat.ts' }),
      event('chat.response', { text: 'CHAT', summary: 'CHAT' }),
      event('file.saved', { file: 'src/a.ts', linesAdded: 3, linesRemoved: 1, summary: 'adds a check' }),
      event('file.opened', { file: 'docs/b.md' }),
      event('diagnostic', { file: 'src/a.ts', line: 7, text: 'x is unused', severity: 'warning' }),
      event('test.run', { name: 'adds', status: 'passed' }),
    ],
    NOW,
  )

  test('tells of the files that may be told of, and of tests only for the whole', () => {
    expect(mirrorFacts(snapshot, { isIn: (file) => file.startsWith('src/'), isWhole: false })).toEqual([
      'open file src/a.ts',
      'uncommitted src/a.ts +3 -1 adds a check',
      'warning src/a.ts:7 x is unused',
    ])
    const whole = mirrorFacts(snapshot, { isIn: () => true, isWhole: true })
    expect(whole).toContain('test adds passed')
    expect(whole).toContain('open file docs/b.md')
    expect(mirrorFacts(snapshot, { isIn: () => false, isWhole: false })).toEqual([])
  })

  test('holds no word of a chat, whatever was said and done', () => {
    const events = fc.array(
      fc
        .record({ kind: fc.constantFrom(...MIRROR_KINDS), file: fc.constantFrom('a.ts', undefined) })
        .map(({ kind, file }) =>
          event(kind, { file, text: kind.startsWith('chat.') ? 'CHAT' : 'said', name: 'n', summary: 's' }),
        ),
    )
    fc.assert(
      fc.property(events, (all) => {
        const facts = mirrorFacts(snapshotOf(all, NOW), { isIn: () => true, isWhole: true })
        expect(facts.join('\n')).not.toContain('CHAT')
      }),
    )
  })
})
