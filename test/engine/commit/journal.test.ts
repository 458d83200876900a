import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openFiles } from '../../../src/adapters/disk/disk-files.ts'
import { NeoError } from '../../../src/domain/home/error.ts'
import { type JournalStart, openJournal } from '../../../src/engine/commit/journal.ts'

const files = openFiles()

function journalPath(): string {
  const dir = mkdtempSync(join(tmpdir(), 'neo-journal-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return join(dir, 'neo', 'journal.jsonl')
}

function start(key: string, text = '# x\n'): JournalStart {
  const author = { name: 'Neo', email: 'neo@localhost' }
  return {
    key,
    kind: 'write',
    changes: [{ path: 'rooms/shop/tasks/a.md', before: null, after: text }],
    commit: { subject: 'neo(shop): start a', body: '', trailers: [['Neo-Room', 'shop']], author },
    branch: 'main',
  }
}

test('begin() is unfinished after a restart, with all that was given', () => {
  const path = journalPath()
  const seq = openJournal(files, path).begin(start('a'))
  expect(openJournal(files, path).unfinished()).toEqual([{ ...start('a'), seq, notes: [] }])
})

test('note() is kept with its data, newest last', () => {
  const path = journalPath()
  const journal = openJournal(files, path)
  const seq = journal.begin(start('a'))
  journal.note(seq, 'written')
  journal.note(seq, 'committed', { commit: 'abc' })
  const notes = [{ state: 'written' }, { state: 'committed', data: { commit: 'abc' } }]
  expect(journal.unfinished()[0]?.notes).toEqual(notes)
  expect(openJournal(files, path).unfinished()[0]?.notes).toEqual(notes)
})

test('done() finishes its entry alone, also after a restart', () => {
  const path = journalPath()
  const journal = openJournal(files, path)
  const first = journal.begin(start('a'))
  journal.begin(start('b'))
  journal.done(first)
  expect(
    openJournal(files, path)
      .unfinished()
      .map(({ key }) => key),
  ).toEqual(['b'])
})

test('begin() never uses a seq twice, over restarts and compaction', () => {
  const path = journalPath()
  const seen: number[] = []
  for (let round = 0; round < 5; round += 1) {
    const journal = openJournal(files, path, { compactBytes: 1 })
    const seq = journal.begin(start('a'))
    seen.push(seq)
    journal.done(seq)
  }
  expect(new Set(seen).size).toBe(5)
})

test('note() and done() ignore an entry that is done or unknown', () => {
  const path = journalPath()
  const journal = openJournal(files, path)
  const seq = journal.begin(start('a'))
  journal.done(seq)
  const size = statSync(path).size
  journal.note(seq, 'written')
  journal.done(seq)
  journal.done(99)
  expect(statSync(path).size).toBe(size)
})

test('openJournal() skips a torn last line and counts it', () => {
  const path = journalPath()
  openJournal(files, path).begin(start('a'))
  appendFileSync(path, '{"op":"done","seq":1')
  const journal = openJournal(files, path)
  expect([journal.broken, journal.unfinished().length]).toEqual([1, 1])
})

test('openJournal() skips lines of other shapes and counts them', () => {
  const path = journalPath()
  const journal = openJournal(files, path)
  const odd = [
    'null',
    '7',
    '{"op":"begin","seq":5}',
    '{"op":"begin","seq":5,"entry":{"key":"x"}}',
    '{"op":"note","seq":1}',
  ]
  journal.begin(start('a'))
  appendFileSync(path, `${odd.join('\n')}\n`)
  const again = openJournal(files, path)
  expect([again.broken, again.unfinished().length]).toEqual([odd.length, 1])
})

test('done() makes the file small when it is over the limit, and what is unfinished stays', () => {
  const path = journalPath()
  const journal = openJournal(files, path)
  const open = journal.begin(start('open'))
  for (let n = 0; n < 30; n += 1) journal.done(journal.begin(start(`k${n}`, 'x'.repeat(50_000))))
  expect(statSync(path).size).toBeLessThan(1024 * 1024)
  const unfinished = () =>
    openJournal(files, path)
      .unfinished()
      .map(({ seq }) => seq)
  expect(unfinished()).toEqual([open])
  journal.done(open)
  journal.shrink()
  expect(statSync(path).size).toBeLessThan(100)
  expect(unfinished()).toEqual([])
})

test('onAppend is told the number of each line after it is on the disk', () => {
  const path = journalPath()
  const lines: number[][] = []
  const onAppend = (n: number) =>
    void lines.push([n, readFileSync(path, 'utf8').trimEnd().split('\n').length])
  const journal = openJournal(files, path, { onAppend })
  const seq = journal.begin(start('a'))
  journal.note(seq, 'written')
  journal.done(seq)
  expect(lines).toEqual([
    [1, 1],
    [2, 2],
    [3, 3],
  ])
})

test('begin() remembers nothing when the disk is full, and the next one is kept', () => {
  const path = journalPath()
  let full = true
  const append = (at: string, line: string) => {
    if (full) throw new NeoError('disk', 'Cannot append: ENOSPC')
    files.append(at, line)
  }
  const journal = openJournal({ ...files, append }, path)
  expect(() => journal.begin(start('a'))).toThrow('ENOSPC')
  expect(journal.unfinished()).toEqual([])
  full = false
  journal.begin(start('b'))
  expect(
    openJournal(files, path)
      .unfinished()
      .map(({ key }) => key),
  ).toEqual(['b'])
})

const entry = fc.record({
  key: fc.string({ unit: 'binary' }),
  kind: fc.string(),
  changes: fc.array(
    fc.record({
      path: fc.string({ unit: 'grapheme' }),
      before: fc.option(fc.string(), { nil: null }),
      after: fc.option(fc.string({ unit: 'binary', maxLength: 200 }), { nil: null }),
    }),
    { maxLength: 3 },
  ),
  commit: fc.constant(null),
  branch: fc.string({ unit: 'grapheme' }),
})

describe('openJournal() gives back', () => {
  test('any entry as it was given', () => {
    const path = journalPath()
    fc.assert(
      fc.property(entry, (given) => {
        rmSync(path, { force: true })
        const seq = openJournal(files, path).begin(given)
        expect(openJournal(files, path).unfinished()).toEqual([{ ...given, seq, notes: [] }])
      }),
      { numRuns: 100 },
    )
  })

  test('what was begun and not done, after any run of calls', () => {
    const calls = fc.array(fc.tuple(fc.constantFrom('begin', 'note', 'done'), fc.nat(8)), { maxLength: 30 })
    fc.assert(
      fc.property(calls, (steps) => {
        const path = journalPath()
        const journal = openJournal(files, path, { compactBytes: 500 })
        for (const [step, n] of steps) {
          if (step === 'begin') journal.begin(start(`k${n}`))
          else if (step === 'note') journal.note(n, 'written', { n })
          else journal.done(n)
        }
        expect(openJournal(files, path).unfinished()).toEqual(journal.unfinished())
      }),
      { numRuns: 60 },
    )
  })

  test('the whole lines before the cut, wherever the file was cut', () => {
    const path = journalPath()
    const journal = openJournal(files, path)
    const first = journal.begin(start('ä 🚀'))
    journal.note(first, 'written')
    journal.begin(start('b'))
    journal.done(first)
    const whole = readFileSync(path)
    fc.assert(
      fc.property(fc.nat(whole.length), (cut) => {
        const part = whole.subarray(0, cut)
        writeFileSync(path, part)
        const cutShort = openJournal(files, path).unfinished()
        // A cut directly before the line end leaves the line whole.
        const lines = part.subarray(0, part.lastIndexOf(10) + 1)
        writeFileSync(path, isWhole(part) ? `${part}\n` : lines)
        expect(cutShort).toEqual(openJournal(files, path).unfinished())
      }),
      { numRuns: 200 },
    )
  })
})

function isWhole(part: Buffer): boolean {
  try {
    JSON.parse(part.subarray(part.lastIndexOf(10) + 1).toString())
    return true
  } catch {
    return false
  }
}
