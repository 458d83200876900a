/** Laws of the durable queue and of records, held against a model in memory, over restarts and compactions. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { openFiles } from '../../src/adapters/disk/disk-files.ts'
import { NeoError } from '../../src/domain/home/error.ts'
import { openQueue, type Queue } from '../../src/store/durable-queue.ts'
import { KeyedLog, parseLines, readLines } from '../../src/store/keyed-log.ts'
import { openRecords } from '../../src/store/record-log.ts'

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'neo-laws-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const act = fc.oneof(
  fc.record({ op: fc.constant('put' as const), key, also: fc.subarray(['x', 'y', 'a', 'b']) }),
  fc.record({ op: fc.constant('later' as const), key }),
  fc.record({ op: fc.constant('note' as const), key, note: fc.nat(9) }),
  fc.record({ op: fc.constant('done' as const), keys: fc.array(key, { maxLength: 3 }) }),
  fc.record({ op: fc.constant('forget' as const), of: key }),
  fc.record({ op: fc.constant('reopen' as const) }),
)

/** What a queue promises, in a few lines. */
class Model {
  readonly waiting: { key: string; item: string; note: number | null; also: readonly string[] }[] = []
  readonly gone = new Set<string>()

  knows(one: string): boolean {
    return this.gone.has(one) || this.waiting.some((held) => held.key === one || held.also.includes(one))
  }

  put(of: string, also: readonly string[]): 'new' | 'known' {
    if ([of, ...also].some((one) => this.knows(one))) return 'known'
    this.waiting.push({ key: of, item: `item ${of}`, note: null, also })
    return 'new'
  }

  done(keys: readonly string[]): void {
    for (const one of keys) {
      const at = this.waiting.findIndex((held) => held.key === one)
      const [held] = at < 0 ? [] : this.waiting.splice(at, 1)
      if (held !== undefined) for (const name of [held.key, ...held.also]) this.gone.add(name)
    }
  }
}

test('a queue does what its model does, whatever is called, and says the same after a restart', () => {
  const dir = folder()
  let runs = 0
  fc.assert(
    fc.property(fc.array(act, { maxLength: 25 }), (acts) => {
      const path = join(dir, `${runs++}.jsonl`)
      const open = () => openQueue<string>(openFiles(), path, { compactBytes: 300 })
      const model = new Model()
      let queue: Queue<string> = open()
      for (const one of acts) {
        if (one.op === 'put')
          expect(queue.put(one.key, `item ${one.key}`, one.also)).toBe(model.put(one.key, one.also))
        else if (one.op === 'later')
          expect(queue.putLater(one.key, `item ${one.key}`)).toBe(model.put(one.key, []))
        else if (one.op === 'note') {
          queue.note(one.key, one.note)
          const held = model.waiting.find((other) => other.key === one.key)
          if (held !== undefined) held.note = one.note
        } else if (one.op === 'done') {
          queue.done(...one.keys)
          model.done(one.keys)
        } else if (one.op === 'forget') {
          const meant = model.waiting.filter(({ item }) => item.endsWith(one.of)).map((held) => held.key)
          expect(queue.forget((item) => item.endsWith(one.of))).toBe(meant.length)
          model.done(meant)
        } else queue = open()
        expect(queue.waiting().map(({ key: of, item, note }) => ({ key: of, item, note }))).toEqual(
          model.waiting.map(({ key: of, item, note }) => ({ key: of, item, note })),
        )
        for (const name of ['a', 'b', 'c', 'd', 'e', 'x', 'y'])
          expect(queue.has(name)).toBe(model.knows(name))
      }
    }),
  )
})

test('what is forgotten is in no line of the file, also if it was done before', () => {
  const path = join(folder(), 'queue.jsonl')
  const queue = openQueue<string>(openFiles(), path)
  queue.put('a', 'my secret')
  queue.note('a', 'secret note')
  queue.put('b', 'other')
  queue.done('a')
  queue.put('c', 'secret too')
  expect(queue.forget((item) => item.includes('secret'))).toBe(1)
  expect(readFileSync(path, 'utf8')).not.toContain('secret')
  expect(openQueue<string>(openFiles(), path).waiting()).toMatchObject([{ key: 'b', item: 'other' }])
})

test('an item put for later is in the file at once, and on the disk when kept resolves', async () => {
  const path = join(folder(), 'queue.jsonl')
  const queue = openQueue<string>(openFiles(), path)
  expect([queue.putLater('a', 'one'), queue.putLater('a', 'two')]).toEqual(['new', 'known'])
  await queue.kept()
  expect(openQueue<string>(openFiles(), path).get('a')).toMatchObject({ item: 'one', note: null })
})

test.each([
  ['{"op":"put","key":"a"}', 0],
  ['{"op":"note","key":"a"}', 0],
  ['{"op":"put","key":7,"item":"x"}', 0],
  ['{"op":"odd","key":"a","item":"x"}', 0],
  ['null\n7\n"x"\n[]', 0],
  ['{"op":"put","key":"a","item":null}', 1],
])('a queue counts %j as %i items, and goes on', (text, count) => {
  const path = join(folder(), 'queue.jsonl')
  writeFileSync(path, `${text}\n`)
  const queue = openQueue<string>(openFiles(), path)
  expect(queue.waiting()).toHaveLength(count)
  expect(queue.put('new', 'x')).toBe('new')
})

test('a file that cannot be read is an error, and not an empty queue', () => {
  const dir = folder()
  const refusing = { ...openFiles(), read: () => ({ kind: 'refused', why: 'is a folder' }) as const }
  expect(() => openQueue(refusing, join(dir, 'q.jsonl'))).toThrow(NeoError)
  expect(() => readLines(refusing, join(dir, 'q.jsonl'))).toThrow(/Cannot read ".*q.jsonl": it is a folder/)
})

test('a line that the disk refuses does not count', () => {
  const path = join(folder(), 'queue.jsonl')
  const files = openFiles()
  const full = { is: false }
  const queue = openQueue<string>(
    {
      ...files,
      append(...of) {
        if (full.is) throw new NeoError('disk', 'no space left')
        files.append(...of)
      },
    },
    path,
  )
  queue.put('a', 'one')
  full.is = true
  expect(() => queue.put('b', 'two')).toThrow(/no space/)
  expect(() => queue.done('a')).toThrow(/no space/)
  expect([queue.has('b'), queue.get('a')?.item]).toEqual([false, 'one'])
  full.is = false
  expect(queue.put('b', 'two')).toBe('new')
  expect(openQueue<string>(files, path).waiting()).toHaveLength(2)
})

test('onAppend counts the lines of this process, from 1', () => {
  const counts: number[] = []
  const format = {
    read: () => null,
    apply: () => {},
    lines: () => [],
  }
  const options = { format, keptKeys: 1, compactBytes: 1_000, onAppend: (n: number) => void counts.push(n) }
  const log = new KeyedLog<object, unknown>(openFiles(), join(folder(), 'log.jsonl'), options)
  for (const _ of [1, 2, 3]) log.write({})
  expect(counts).toEqual([1, 2, 3])
})

test('parseLines() gives each whole line, and only a line feed ends one', () => {
  const value = fc.oneof(fc.string(), fc.nat(), fc.constantFrom(null, true, '\u2028', { a: '\r' }))
  fc.assert(
    fc.property(fc.array(fc.tuple(value, fc.nat(2))), (lines) => {
      const text = lines.map(([one, broken]) => (broken === 0 ? '{' : JSON.stringify(one))).join('\n')
      expect(parseLines(text)).toEqual({
        values: lines.filter(([, broken]) => broken !== 0).map(([one]) => one),
        broken: lines.filter(([, broken]) => broken === 0).length,
      })
    }),
  )
})

const row = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
  n: fc.nat(9),
  ended: fc.boolean(),
})

test('records are the newest version of each, none that is open is lost, and a restart changes nothing', () => {
  const dir = folder()
  let runs = 0
  fc.assert(
    fc.property(fc.array(fc.tuple(row, fc.nat(4)), { maxLength: 25 }), (steps) => {
      const path = join(dir, `${runs++}.jsonl`)
      const open = () =>
        openRecords<{ id: string; n: number; ended: boolean }>(openFiles(), path, {
          most: 3,
          hasEnded: ({ ended }) => ended,
        })
      const records = open()
      const model = new Map<string, { id: string; n: number; ended: boolean }>()
      for (const [one, what] of steps) {
        if (what === 0) {
          records.remove(one.id)
          model.delete(one.id)
        } else {
          records.set(one, what === 1 ? 'later' : undefined)
          model.set(one.id, one)
        }
      }
      const kept = records.all()
      for (const one of kept) expect(model.get(one.id)).toEqual(one)
      for (const one of model.values()) if (!one.ended) expect(kept).toContainEqual(one)
      expect(open().all()).toEqual(kept)
    }),
  )
})
