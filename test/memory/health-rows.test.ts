/** How the state of memory reads in `neo status`, and marks, names and settings that the index goes by. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { openFiles } from '../../src/adapters/disk/disk-files.ts'
import { readConfig } from '../../src/files/config/read-config.ts'
import {
  forgottenIn,
  isWaitingSource,
  markAt,
  noteForgotten,
  saveMarkAt,
  talkName,
  waitingSource,
  whenOf,
} from '../../src/memory/distill/read-transcripts.ts'
import { memoryRows } from '../../src/memory/health-rows.ts'
import { isCalm, isSame, keptStat } from '../../src/memory/index/change-detector.ts'
import { isNote, isTalk, memoryKind } from '../../src/memory/index/sources.ts'
import { distillEvery, syncEveryMs } from '../../src/memory/memory-settings.ts'
import { isMirrorEvent } from '../../src/memory/mirror-log.ts'

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'neo-memory-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

const WELL = {
  by: 'index',
  runs: 12,
  failures: 0,
  lastSuccess: '2026-03-01T09:12:30Z',
  lastError: '',
  sources: 3,
  passages: 40,
}

test.each<[string, object, string]>([
  ['well', {}, 'ok: 40 passages from 3 files; 12 runs, last success 2026-03-01 09:12 UTC'],
  [
    'of one run',
    { runs: 1, passages: 1, sources: 1 },
    'ok: 1 passage from 1 file; 1 run, last success 2026-03-01 09:12 UTC',
  ],
  [
    'with failures',
    { failures: 2 },
    'ok: 40 passages from 3 files; 12 runs, 2 failed, last success 2026-03-01 09:12 UTC',
  ],
  [
    'indexing',
    { indexing: '5 of 9 files', lastSuccess: '' },
    'ok: 40 passages from 3 files, indexing: 5 of 9 files',
  ],
  ['not run yet', { runs: 0 }, 'off: not indexed yet'],
  [
    'without an index',
    { by: 'words', why: 'no packages', next: 'Run npm i' },
    'off: word search only: no packages. Run npm i',
  ],
  [
    'failing',
    { lastError: 'disk full', failures: 1 },
    'trouble: disk full; 12 runs, 1 failed, last success 2026-03-01 09:12 UTC',
  ],
  ['never well', { lastError: 'disk full', lastSuccess: '' }, 'trouble: disk full'],
])('memoryRows() of an index that is %s', (_, more, row) => {
  expect(memoryRows({ ...WELL, ...more }).map(({ state, says }) => `${state}: ${says}`)).toEqual([row])
})

test('memoryRows() names long files and conversations that fail', () => {
  const distilling = [{ room: 'shop', error: 'it is not UTF-8', retryAt: '2026-03-01T09:13:00Z' }, null]
  expect(memoryRows({ ...WELL, large: ['a/MEMORY.md'], distilling }).slice(1)).toEqual([
    {
      part: 'memory',
      state: 'ok',
      says: 'a/MEMORY.md is long: only search finds what comes after its first 8,000 characters',
    },
    { part: 'distilling', state: 'trouble', says: 'shop: it is not UTF-8; retry at 2026-03-01T09:13:00Z' },
    { part: 'distilling', state: 'trouble', says: 'undefined: undefined; retry at undefined' },
  ])
})

test('memoryRows() of any file has rows that can be shown', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.jsonValue(),
        fc.record({ runs: fc.jsonValue(), large: fc.jsonValue(), lastError: fc.jsonValue() }),
      ),
      (said) => {
        for (const { part, says } of memoryRows(said)) expect([part, typeof says]).toEqual([part, 'string'])
      },
    ),
  )
})

const configOf = (text: string) => {
  const read = readConfig('neo.yaml', text, {})
  if (read.kind !== 'ok') throw new Error(JSON.stringify(read))
  return read.value
}

test.each([
  ['', 600_000, 20],
  ['memory: { sync_every: 5s, distill_every: 3 }', 5_000, 3],
  ['memory: {}', 600_000, 20],
])('settings of %j', (text, ms, every) => {
  expect([syncEveryMs(configOf(text)), distillEvery(configOf(text))]).toEqual([ms, every])
})

test.each([
  ['MEMORY.md', 'fact'],
  ['HISTORY.md', 'history'],
  ['2026-03-01.md', 'daily'],
  ['2026-3-1.md', 'memory'],
  ['memory.md', 'memory'],
])('memoryKind(%s) is %s', (name, kind) => {
  expect(memoryKind(name)).toBe(kind)
})

test.each([
  ['a.md', true, false],
  ['README.md', false, false],
  ['.hidden.md', false, false],
  ['_draft.md', false, false],
  ['a.jsonl', false, true],
  ['.a.jsonl', false, false],
  ['a.md~', false, false],
])('%s: a note is %s, a talk is %s', (name, note, talk) => {
  expect([isNote(name), isTalk(name)]).toEqual([note, talk])
})

const STAT = { size: 5, mtimeMs: 10_000.5, ctimeMs: 10_000.5, ino: 7 }
const mark = { path: 'a', part: '', hash: 'h', offset: 0, ...STAT }

test.each<[object, object, boolean]>([
  [{}, {}, true],
  [{}, { size: 6 }, false],
  [{}, { mtimeMs: 1 }, false],
  [{}, { ctimeMs: 1 }, false],
  [{}, { ino: 8 }, false],
  [{ hash: '' }, {}, false],
])('isSame() of a mark with %j and a stat with %j is %s', (of, stat, same) => {
  expect(isSame({ ...mark, ...of }, { ...STAT, ...stat })).toBe(same)
})

test.each([
  [10_000.5, 10_050, false],
  [10_000.5, 10_101, true],
  [10_000, 12_999, false],
  [10_000, 13_001, true],
  [10_000.5, 9_000, false],
])('a file changed at %d and read at %d: a later change would show is %s', (ctimeMs, readAt, calm) => {
  const stat = { ...STAT, ctimeMs }
  expect(isCalm(stat, readAt)).toBe(calm)
  expect(isSame({ ...mark, ...keptStat(stat, readAt) }, stat)).toBe(calm)
})

test.each([
  [0, 'UTC', { day: '1970-01-01', time: '00:00' }],
  [Date.UTC(2026, 2, 1, 23, 30), 'Europe/Paris', { day: '2026-03-02', time: '00:30' }],
  [Date.UTC(9999, 11, 31), 'UTC', { day: '9999-12-31', time: '00:00' }],
  [Date.UTC(9999, 11, 31) + 1, 'UTC', null],
  [-1, 'UTC', null],
  [Number.NaN, 'UTC', null],
])('whenOf(%d) in %s is %j', (ms, zone, when) => {
  expect(whenOf(ms, zone)).toEqual(when)
})

test('what waited in an inbox has a source of its own, the same each time; other triggers have none', () => {
  const source = waitingSource('inbox:rooms/a/inbox/x.md@abc') ?? ''
  expect(source).toMatch(/^inbox-[\w-]+:1$/)
  expect(waitingSource('inbox:rooms/a/inbox/x.md@abc')).toBe(source)
  expect(waitingSource('inbox:rooms/a/inbox/x.md@abd')).not.toBe(source)
  expect([isWaitingSource(source), isWaitingSource('neo-2026-03-01-1:1')]).toEqual([true, false])
  for (const other of ['failed:t-1', '', null, 7]) expect(waitingSource(other)).toBeNull()
})

test.each([
  ['live/neo-shop-2026-03-01-1.jsonl', 'shop', 'neo-2026-03-01-1'],
  ['rooms/shop/transcripts/neo-2026-03-01-1.jsonl', 'shop', 'neo-2026-03-01-1'],
  ['workspace/scopes/club/transcripts/neo-club-2026-03-01-2.jsonl', 'scope:club', 'neo-2026-03-01-2'],
  ['rooms/shop/transcripts/s-1.jsonl', 'shop', ''],
])('facts name the transcript %s of %s as %j', (path, part, name) => {
  expect(talkName(path, part)).toBe(name)
})

test('places that are forgotten are kept once, the newest 5,000, and a damaged list counts as empty', () => {
  const files = openFiles()
  const path = join(folder(), 'a', 'x.forgotten.json')
  expect(forgottenIn(files, path).size).toBe(0)
  noteForgotten(files, path, [])
  expect(files.stat(path)).toBeNull()
  noteForgotten(files, path, ['a:1', 'a:2'])
  noteForgotten(files, path, ['a:2', 'a:3'])
  expect([...forgottenIn(files, path)]).toEqual(['a:1', 'a:2', 'a:3'])
  noteForgotten(
    files,
    path,
    Array.from({ length: 5_000 }, (_, at) => `b:${at}`),
  )
  expect([forgottenIn(files, path).size, forgottenIn(files, path).has('a:3')]).toEqual([5_000, false])
  for (const text of ['{', '{"a":1}', 'null', '[1, null, "a:1"]', '']) {
    writeFileSync(path, text)
    expect([...forgottenIn(files, path)]).toEqual(text.startsWith('[') ? ['a:1'] : [])
  }
})

test.each([
  '',
  '{',
  '[]',
  '"x"',
  '{"file": 7, "line": "x", "failures": null, "retryAt": "soon", "error": 1}',
])('a mark of %j starts from the beginning', (text) => {
  const world = { files: openFiles() }
  const path = join(folder(), 'mark.json')
  writeFileSync(path, text)
  const start = { file: '', line: 0, failures: 0, retryAt: 0, error: '' }
  expect(markAt({ world }, path)).toEqual(start)
  saveMarkAt({ world }, path, { ...start, file: 'neo-2026-03-01-1', line: 3, error: 'x' })
  expect(markAt({ world }, path)).toEqual({ ...start, file: 'neo-2026-03-01-1', line: 3, error: 'x' })
})

test.each([
  [{ kind: 'file.saved', at: '2026', room: 'a' }, true],
  [{ kind: 'file.odd', at: '2026', room: 'a' }, false],
  [{ kind: 'file.saved', at: 1, room: 'a' }, false],
  [{ kind: 'file.saved', at: '2026' }, false],
  [null, false],
  ['x', false],
])('isMirrorEvent(%j) is %s: it needs a kind, a time and a room', (value, is) => {
  expect(isMirrorEvent(value)).toBe(is)
})
