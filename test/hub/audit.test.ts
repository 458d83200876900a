/** The audit log: every line chained to the one before, without values of parameters. */
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openFiles } from '../../src/adapters/disk/disk-files.ts'
import { blobId } from '../../src/adapters/disk/replace-file.ts'
import { systemClock } from '../../src/adapters/machine.ts'
import { type Audit, type AuditLine, brokenAt, openAudit } from '../../src/hub/rights/audit-log.ts'
import { makeFolder } from './folder.ts'
import { hubHome, NEO } from './hub-home.ts'

const ENTRY = {
  who: 'human',
  method: 'task.get',
  act: 'see',
  room: 'shop',
  about: {},
  effect: 'allow',
  rule: 'owner',
  reason: 'x',
} as const

function open(dir: string): Audit {
  return openAudit({ files: openFiles(), clock: systemClock(), dir, blobId })
}

function lines(dir: string, name = 'audit.jsonl'): AuditLine[] {
  const text = readFileSync(join(dir, name), 'utf8').trimEnd()
  return text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as AuditLine)
}

test('record() chains its lines, also after a restart and beside another writer', () => {
  const dir = makeFolder()
  const [one, other] = [open(dir), open(dir)]
  for (const audit of [one, other, one, open(dir), other]) audit.record(ENTRY)
  expect([lines(dir).length, brokenAt(lines(dir), '0'.repeat(64))]).toEqual([5, null])
})

test('the chain holds where another process writes between the look at the last line and ours', () => {
  const dir = makeFolder()
  const files = openFiles()
  const other = open(dir)
  const append: typeof files.append = (path, line) => {
    other.record(ENTRY)
    files.append(path, line)
  }
  const one = openAudit({ files: { ...files, append }, clock: systemClock(), dir, blobId })
  for (let n = 0; n < 3; n++) one.record(ENTRY)
  expect([lines(dir).length, brokenAt(lines(dir))]).toEqual([6, null])
})

test.each([
  [
    'changed',
    (all: AuditLine[]) => all.map((line, at) => (at === 1 ? { ...line, effect: 'deny' as const } : line)),
    2,
  ],
  ['taken out', (all: AuditLine[]) => all.filter((_, at) => at !== 1), 2],
  ['swapped', ([a, b, c]: AuditLine[]) => [a, c, b].flatMap((line) => line ?? []), 2],
])('brokenAt() finds a line that was %s', (_, harm, at) => {
  const dir = makeFolder()
  const audit = open(dir)
  for (let n = 0; n < 3; n++) audit.record(ENTRY)
  expect(brokenAt(harm(lines(dir)))).toBe(at)
})

test.each([8, 20])(
  'a log of %s MiB is set aside under the next number, whatever older ones are gone',
  (mib) => {
    const dir = makeFolder()
    const fill = (size: number) => {
      const first = `${readFileSync(join(dir, 'audit.jsonl'), 'utf8').trimEnd().split('\n').at(-1)}\n`
      const filler = `${' '.repeat(1023)}\n`.repeat(size * 1024)
      writeFileSync(join(dir, 'audit.jsonl'), filler + first)
      open(dir).record(ENTRY)
    }
    open(dir).record(ENTRY)
    fill(8)
    fill(8)
    rmSync(join(dir, 'audit-0001.jsonl'))
    fill(mib)
    const names = readdirSync(dir)
      .filter((name) => name.startsWith('audit'))
      .toSorted()
    expect(names).toEqual(['audit-0002.jsonl', 'audit-0003.jsonl', 'audit.jsonl'])
    expect(statSync(join(dir, 'audit.jsonl')).size).toBeLessThan(1024)
    const [last] = lines(dir, 'audit-0003.jsonl').slice(-1)
    expect(brokenAt(lines(dir), last?.hash)).toBeNull()
    expect(open(dir).last(5)).toHaveLength(1)
  },
)

test('numbers go on beyond four digits', () => {
  const dir = makeFolder()
  for (const number of ['9999', '10000']) writeFileSync(join(dir, `audit-${number}.jsonl`), '')
  writeFileSync(join(dir, 'audit.jsonl'), `${' '.repeat(1023)}\n`.repeat(8 * 1024))
  open(dir).record(ENTRY)
  expect(readdirSync(dir)).toContain('audit-10001.jsonl')
})

test('of the files that were set aside, the newest 20 stay, and the log goes on', () => {
  const dir = makeFolder()
  const named = (number: number) => `audit-${String(number).padStart(4, '0')}.jsonl`
  for (let number = 1; number <= 22; number++) writeFileSync(join(dir, named(number)), '')
  writeFileSync(join(dir, 'audit-notes.jsonl'), 'mine')
  writeFileSync(join(dir, 'audit.jsonl'), `${' '.repeat(1023)}\n`.repeat(8 * 1024))
  open(dir).record(ENTRY)
  const kept = Array.from({ length: 20 }, (_, at) => named(at + 4))
  expect(readdirSync(dir).toSorted()).toEqual([...kept, 'audit-notes.jsonl', 'audit.jsonl'].toSorted())
  expect(lines(dir)).toHaveLength(1)
})

test('record() sets a full file aside, and the chain goes on', () => {
  const dir = makeFolder()
  open(dir).record(ENTRY)
  const filler = `${' '.repeat(1023)}\n`.repeat(8 * 1024)
  const first = readFileSync(join(dir, 'audit.jsonl'), 'utf8')
  writeFileSync(join(dir, 'audit.jsonl'), filler.slice(first.length) + first)
  open(dir).record(ENTRY)
  open(dir).record(ENTRY)
  const [last] = lines(dir, 'audit-0001.jsonl').slice(-1)
  expect(brokenAt(lines(dir), last?.hash)).toBeNull()
})

test('no text of a call and no secret is in the log', async () => {
  const { home, call, refusal } = await hubHome()
  await call('task.create', { roomId: 'shop', title: 'Private words', description: 'More of them' })
  await refusal('task.get', { taskId: `sk-ant-${'a1'.repeat(20)}` })
  await refusal('room.update', { roomId: 'shop', updates: { env: ['PRIVATE'] } }, NEO)
  const text = home.read('.git/neo/audit.jsonl')
  expect(text).not.toMatch(/Private|PRIVATE|More of|sk-ant/)
  expect(text).toMatch(/"sets":"env".*"effect":"ask"/)
})
