/** Records with an id: the newest version counts, and the oldest that have ended go. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openFiles } from '../../src/adapters/disk/disk-files.ts'
import { openRecords } from '../../src/store/record-log.ts'

interface Row {
  readonly id: string
  readonly state: 'open' | 'ended'
}

function openAt(most: number) {
  const dir = mkdtempSync(join(tmpdir(), 'neo-records-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const open = () =>
    openRecords<Row>(openFiles(), join(dir, 'rows.jsonl'), {
      most,
      hasEnded: ({ state }) => state === 'ended',
    })
  return open
}

const row = (id: string, state: Row['state'] = 'open'): Row => ({ id, state })

test('a record has its newest version and its first place, also after a restart', () => {
  const open = openAt(10)
  const records = open()
  for (const one of [row('a'), row('b'), row('c'), row('a', 'ended')]) records.set(one)
  records.remove('b')
  const expected = [row('a', 'ended'), row('c')]
  expect(records.all()).toEqual(expected)
  expect(open().all()).toEqual(expected)
  expect(open().get('b')).toBe(null)
})

test('the oldest that have ended go, and none that is open', () => {
  const open = openAt(5)
  const records = open()
  records.set(row('first'))
  for (let at = 0; at < 20; at++) records.set(row(`r-${at}`, 'ended'), 'later')
  const kept = open().all()
  expect(kept.length).toBeLessThanOrEqual(7)
  expect([kept.at(0)?.id, kept.at(-1)?.id]).toEqual(['first', 'r-19'])
})

test('what another process writes counts, in the order of the file', () => {
  const open = openAt(5)
  const [daemon, command] = [open(), open()]
  daemon.set(row('a'))
  command.set(row('b'))
  expect(daemon.get('b')).toEqual(row('b'))
  command.remove('a')
  daemon.set(row('c'))
  for (const records of [daemon, command, open()]) expect(records.all()).toEqual([row('b'), row('c')])
})
