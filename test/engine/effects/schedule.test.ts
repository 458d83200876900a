/** The marks of schedules on disk, and what cron expressions mean beside node-cron's own reading. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { createTask } from 'node-cron'
import { expect, onTestFinished, test } from 'vitest'
import { openFiles } from '../../../src/adapters/disk/disk-files.ts'
import type { Mark } from '../../../src/domain/schedule/schedule.ts'
import { nextSlot } from '../../../src/domain/schedule/schedule-slots.ts'
import { cronFields, openSchedules } from '../../../src/engine/snapshot/schedules.ts'

const MARK: Mark = {
  rule: 'every 60s UTC active',
  upTo: 120_000,
  fired: [60_000, 120_000],
  floor: 0,
  queue: [],
}
const clock = { now: () => 500_000, after: () => () => {} }

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'neo-schedules-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

const open = (dir: string) => openSchedules({ files: openFiles(), clock, dir, waits: 'yes' })

test('a mark is there again after a restart, and nobody else reads it', () => {
  const dir = folder()
  open(dir).put('c-1', MARK)
  open(dir).put('c-2', { ...MARK, queue: [180_000] })
  expect(open(dir).facts()).toEqual({
    marks: new Map([
      ['c-1', MARK],
      ['c-2', { ...MARK, queue: [180_000] }],
    ]),
    since: 500_000,
    waits: 'yes',
  })
  expect(statSync(join(dir, 'schedules.json')).mode & 0o077).toBe(0)
})

test.each(['', '{', '[]', '{"marks": 3}', '{"marks": {"c-1": {"upTo": "x"}}}', '{"marks": {"c-1": null}}'])(
  'a file that says %j holds no marks, and is written anew',
  (text) => {
    const dir = folder()
    writeFileSync(join(dir, 'schedules.json'), text)
    expect(open(dir).facts().marks.size).toBe(0)
    open(dir).put('c-2', MARK)
    expect(JSON.parse(readFileSync(join(dir, 'schedules.json'), 'utf8'))).toEqual({
      v: 1,
      marks: { 'c-2': MARK },
    })
  },
)

const field = (least: number, most: number) =>
  fc.oneof(
    fc.constant('*'),
    fc.integer({ min: least, max: most }).map(String),
    fc.integer({ min: 2, max: 20 }).map((step) => `*/${step}`),
    fc
      .tuple(fc.integer({ min: least, max: most }), fc.integer({ min: least, max: most }))
      .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
  )
const expressions = fc
  .tuple(field(0, 59), field(0, 23), field(1, 28), field(1, 12), field(0, 6))
  // Both days restricted is "and" to node-cron, and "or" to crontab(5) and us.
  .map(([minute, hour, day, month, weekday]) =>
    [minute, hour, day, month, day === '*' ? weekday : '*'].join(' '),
  )

test('the next slot is one of node-cron, and no minute before it is', () => {
  fc.assert(
    fc.property(
      expressions,
      fc.integer({ min: 1_700_000_000, max: 1_900_000_000 }),
      (expression, seconds) => {
        const fields = cronFields(expression)
        if ('wrong' in fields) throw new Error(fields.wrong)
        const zone = 'Asia/Tokyo'
        const task = createTask(expression, () => {}, { timezone: zone })
        const after = seconds * 1000
        const slot = nextSlot(
          { when: { kind: 'cron', cron: expression, fields }, zone, anchor: 0 },
          after,
        ) as number
        expect(task.match(new Date(slot))).toBe(true)
        const first = Math.floor(after / 60_000) * 60_000 + 60_000
        for (let at = first; at < Math.min(slot, first + 300 * 60_000); at += 60_000)
          expect(task.match(new Date(at))).toBe(false)
      },
    ),
    { numRuns: 60 },
  )
})

test('node-cron leaves out what a clock change skips, so that its next runs are not ours', () => {
  const task = createTask('30 2 * * *', () => {}, { timezone: 'Europe/Paris' })
  const day = Date.parse('2026-03-29T00:00:00Z')
  const matching = Array.from({ length: 20 * 60 }, (_, minute) => day + minute * 60_000).filter((at) =>
    task.match(new Date(at)),
  )
  expect(matching).toEqual([])
})

test.each([
  ['0 0 31 2 *', 'never runs'],
  ['0 0 L-30 2 *', 'never runs'],
  ['* * * * * *', 'runs every 1 second;'],
  ['*/5 * * * * *', 'runs every 5 seconds'],
  ['5,58 * * * * *', 'runs every 7 seconds'],
  ['0 25 * * *', '25 is not a valid hour'],
  ['0 0 * * 9', '9 is not a valid day of week'],
  ['*/0 * * * *', 'is not a valid minute'],
])('%s is refused with words', (expression, words) => {
  expect(cronFields(expression)).toMatchObject({ wrong: expect.stringContaining(words) })
})
