/** The keyed log: what was written is there after a kill, once a key, whichever byte or call of the disk is the last. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { openFiles } from '../../src/adapters/disk/disk-files.ts'
import { finish, KeyedLog, type LogFiles, type LogFormat } from '../../src/store/keyed-log.ts'
import { faultyFs } from '../adapters/disk/faulty-fs.ts'

type Line =
  | { readonly op: 'set'; readonly key: string; readonly value: number }
  | { readonly op: 'end'; readonly key: string }

const format: LogFormat<Line, number> = {
  read: (value) => {
    const { op, key } = (value ?? {}) as { readonly op?: unknown; readonly key?: unknown }
    return (op === 'set' || op === 'end') && typeof key === 'string' ? (value as Line) : null
  },
  apply: (state, line) => {
    if (line.op === 'set') state.open.set(line.key, line.value)
    else finish(state, line.key)
  },
  lines: ({ open, finished }) => [
    ...[...finished].map((key): Line => ({ op: 'end', key })),
    ...[...open].map(([key, value]): Line => ({ op: 'set', key, value })),
  ],
}

const KEYS = ['a', 'b', 'c', 'd'] as const

function place(): string {
  const dir = mkdtempSync(join(tmpdir(), 'neo-log-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return join(dir, 'neo', 'log.jsonl')
}

/** Small, so that it is compacted all the time. */
function open(path: string, files: LogFiles = openFiles()): KeyedLog<Line, number> {
  return new KeyedLog(files, path, { format, keptKeys: 100, compactBytes: 120 })
}

/** As a user writes: a key that is known is set once; only what is open ends. True if a line was written. */
function write(log: KeyedLog<Line, number>, { op, key, value }: Step): boolean {
  const isOpen = log.open.has(key)
  if (op === 'set' ? log.has(key) : !isOpen) return false
  log.write(op === 'set' ? { op, key, value } : { op, key })
  return true
}

interface Step {
  readonly op: 'set' | 'end'
  readonly key: string
  readonly value: number
}

const step = fc.record({
  op: fc.constantFrom('set' as const, 'end' as const),
  key: fc.constantFrom(...KEYS),
  value: fc.nat(9),
})

const seen = (log: KeyedLog<Line, number>) => ({
  open: [...log.open],
  known: KEYS.filter((key) => log.has(key)),
})

test('KeyedLog says after a restart and after compaction what it said before', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const path = place()
      const log = open(path)
      for (const one of steps) {
        write(log, one)
        expect(seen(open(path))).toEqual(seen(log))
      }
    }),
  )
})

test('KeyedLog takes a key once, also after it is finished, compacted and opened again', () => {
  const path = place()
  const log = open(path)
  const set = { op: 'set', key: 'a', value: 1 } as const
  expect([write(log, set), write(log, set), write(log, { ...set, op: 'end' })]).toEqual([true, false, true])
  log.compact()
  expect(write(open(path), set)).toBe(false)
})

test('KeyedLog cut at any byte says what its whole lines say, and can be written on', () => {
  const path = place()
  const log = new KeyedLog(openFiles(), path, { format, keptKeys: 100, compactBytes: 1_000_000 })
  for (const [n, key] of KEYS.entries()) write(log, { op: 'set', key, value: n })
  write(log, { op: 'end', key: 'b', value: 0 })
  const whole = readFileSync(path)
  fc.assert(
    fc.property(fc.nat(whole.length), (cut) => {
      writeFileSync(path, whole.subarray(0, cut))
      const lines = whole.toString('utf8', 0, cut).split('\n').slice(0, -1)
      const before = place()
      openFiles().save(before, Buffer.from(lines.map((line) => `${line}\n`).join('')), null)
      const torn = open(path)
      // A line that lacks its line end alone is whole.
      const isWhole = whole[cut] === 0x0a
      if (!isWhole) expect(seen(torn)).toEqual(seen(open(before)))
      torn.write({ op: 'set', key: 'new', value: 7 })
      expect(open(path).open.get('new')).toBe(7)
    }),
  )
})

test('KeyedLog counts lines that it does not know and keeps the others', () => {
  const path = place()
  write(open(path), { op: 'set', key: 'a', value: 1 })
  writeFileSync(path, `{"op":"later"}\nnull\n\0\0\n${readFileSync(path, 'utf8')}`)
  const log = open(path)
  expect([log.broken, log.open.get('a')]).toEqual([3, 1])
})

test('KeyedLog keeps the newest finished keys and every open entry', () => {
  const path = place()
  const log = new KeyedLog(openFiles(), path, { format, keptKeys: 3, compactBytes: 200 })
  log.write({ op: 'set', key: 'first', value: 0 })
  for (let n = 0; n < 50; n++) {
    log.write({ op: 'set', key: `k${n}`, value: n })
    log.write({ op: 'end', key: `k${n}` })
  }
  log.compact()
  const again = open(path)
  expect([...again.open.keys()]).toEqual(['first'])
  expect(['k49', 'k47', 'k46'].map((key) => again.has(key))).toEqual([true, true, false])
})

/** Sets and ends every key; each write that returned is in `done`, in order. */
function work(files: LogFiles, path: string): readonly Step[] {
  const done: Step[] = []
  const steps = KEYS.flatMap((key, value): Step[] => [
    { op: 'set', key, value },
    ...(key === 'd' ? [] : [{ op: 'end', key, value } as const]),
  ])
  try {
    const log = open(path, files)
    for (const one of steps) if (write(log, one)) done.push(one)
  } catch {
    // The process is dead from here on.
  }
  return done
}

test.each([
  ['fails', (n: number) => (at: number) => (at === n ? ('EIO' as const) : null)],
  ['is the last before a kill', (n: number) => (at: number) => (at >= n ? ('EIO' as const) : null)],
])('KeyedLog loses nothing that it has written, whichever call of the disk %s', (_, faultAt) => {
  const count = (() => {
    const { fs, calls } = faultyFs(() => null)
    work(openFiles({ fs }), place())
    return calls.length
  })()
  expect(count).toBeGreaterThan(30)
  for (let n = 1; n <= count; n++) {
    const path = place()
    const { fs } = faultyFs(faultAt(n))
    const done = work(openFiles({ fs }), path)
    const log = open(path)
    for (const { key } of done) expect(log.has(key), `call ${n}: ${key}`).toBe(true)
    const ended = new Set(done.filter(({ op }) => op === 'end').map(({ key }) => key))
    for (const key of ended) expect(log.open.has(key), `call ${n}: ${key}`).toBe(false)
    // One write may be on the disk of which nobody was told.
    const known = KEYS.filter((key) => log.has(key)).length
    expect(known - new Set(done.map(({ key }) => key)).size).toBeLessThanOrEqual(1)
  }
})
