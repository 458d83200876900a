/** What the files of a step mean together, also torn and half written: one answer, whoever reads them. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { self } from '../../../src/adapters/processes/process-table.ts'
import {
  beganAt,
  cutOutput,
  duration,
  makeStepDir,
  maskOutput,
  outputSize,
  readClaim,
  readStep,
  tailOf,
  writeStopped,
} from '../../../src/adapters/processes/step-files.ts'
import { learnSecret } from '../../../src/domain/secrets/known-secrets.ts'

const root = mkdtempSync(join(tmpdir(), 'neo-steps-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let count = 0

function step(files: Readonly<Record<string, string | Buffer>> = {}): string {
  const dir = join(root, `s-${++count}`, 'steps', '1')
  makeStepDir(dir)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text)
  return dir
}

const claim = (id: object) => `${JSON.stringify(id)}\n`
const LIVING = claim(self())
const DEAD = claim({ ...self(), startTime: '1' })
const OTHER_BOOT = claim({ ...self(), bootId: 'another' })

describe('readStep', () => {
  test.each<readonly [string, Record<string, string>, object]>([
    ['nothing', {}, { kind: 'absent' }],
    ['output alone', { out: 'x' }, { kind: 'absent' }],
    ['a living claim', { claim: LIVING }, { kind: 'running', claim: self() }],
    ['a dead claim', { claim: DEAD }, { kind: 'lost' }],
    ['a claim of another boot', { claim: OTHER_BOOT }, { kind: 'lost' }],
    ['an empty claim of nobody', { claim: '' }, { kind: 'lost' }],
    ['a torn claim of nobody', { claim: '{"pid":1' }, { kind: 'lost' }],
    ['an exit code', { claim: DEAD, exit: '7\n' }, { kind: 'ended', exitCode: 7 }],
    ['an exit code without its claim', { exit: '0\n' }, { kind: 'ended', exitCode: 0 }],
    ['a torn exit code', { claim: DEAD, exit: '7' }, { kind: 'lost' }],
    ['a torn exit code while it lives', { claim: LIVING, exit: '1' }, { kind: 'running' }],
    ['an odd exit code', { claim: DEAD, exit: '-1\n' }, { kind: 'lost' }],
    ['a stop', { claim: DEAD, stopped: 'timeout\n' }, { kind: 'stopped', reason: 'timeout' }],
    [
      'a stop and an exit code',
      { claim: DEAD, exit: '0\n', stopped: 'output-limit\n' },
      { kind: 'stopped', reason: 'output-limit' },
    ],
    ['a torn stop', { claim: LIVING, stopped: '' }, { kind: 'stopped', reason: 'stopped' }],
    ['a stop before the claim', { stopped: 'time' }, { kind: 'stopped', reason: 'stopped' }],
  ])('of %s', (_, files, wanted) => {
    expect(readStep(step(files))).toMatchObject(wanted)
  })

  test('of a folder that is gone is absent', () => {
    expect(readStep(join(root, 'none'))).toEqual({ kind: 'absent' })
  })
})

test.each([
  ['', null],
  ['{"pid":1,"startTime":"2","bootId":"3"}', null],
  ['{"pid":1,"startTime":"2","bootId":"3"}\n', { pid: 1, startTime: '2', bootId: '3' }],
  ['{"pid":-1,"startTime":"2","bootId":"3"}\n', null],
  ['{"pid":1,"startTime":"Mon Nov 30","bootId":""}\n', { pid: 1, startTime: 'Mon Nov 30', bootId: '' }],
])('readClaim() of %j', (text, wanted) => {
  expect(readClaim(step({ claim: text }))).toEqual(wanted)
})

test('makeStepDir() makes folders for the owner alone, and a second time changes nothing', () => {
  const dir = step({ out: 'x' })
  makeStepDir(dir)
  expect([dir, join(dir, '..'), join(dir, '..', '..')].map((path) => statSync(path).mode & 0o777)).toEqual([
    0o700, 0o700, 0o700,
  ])
  expect(readFileSync(join(dir, 'out'), 'utf8')).toBe('x')
})

test('writeStopped() keeps the first reason', () => {
  const dir = step()
  writeStopped(dir, 'timeout')
  writeStopped(dir, 'stopped')
  expect(readFileSync(join(dir, 'stopped'), 'utf8')).toBe('timeout\n')
  expect(() => writeStopped(join(root, 'none'), 'stopped')).toThrow('ENOENT')
})

test('cutOutput() cuts what is over the limit, and nothing else', () => {
  const dir = step({ out: '0123456789' })
  cutOutput(dir, 10)
  expect(outputSize(dir)).toBe(10)
  cutOutput(dir, 4)
  expect(readFileSync(join(dir, 'out'), 'utf8')).toBe('0123')
  const none = step()
  cutOutput(none, 0)
  expect([existsSync(join(none, 'out')), outputSize(none)]).toEqual([false, 0])
})

describe('tailOf', () => {
  test.each<readonly [string, string | Buffer, string]>([
    ['nothing', '', ''],
    ['a little', 'a\nb\n', 'a\nb\n'],
    ['much', `${'x'.repeat(9_000)}end`, `${'x'.repeat(4_093)}end`],
    ['signs of four bytes', `ab${'🙂'.repeat(3_000)}`, '🙂'.repeat(1_024)],
    ['signs that the cut would halve', `${'é'.repeat(3_000)}x`, `${'é'.repeat(2_047)}x`],
    ['bytes that are no text', Buffer.from([0xff, 0x41]), '\ufffdA'],
  ])('of %s', (_, out, wanted) => {
    expect(tailOf(step({ out }))).toBe(wanted)
  })

  test('of a step without output is empty', () => {
    expect(tailOf(step())).toBe('')
  })

  test('shows no end of a secret that the cut would halve', () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`
    const dir = step({ out: `${secret}${' '.repeat(4096 - 20)}` })
    expect(tailOf(dir)).not.toContain('a1B2')
  })
})

test('maskOutput() masks known values on disk, and keeps other bytes of what is no text', () => {
  learnSecret('correct-horse-battery')
  const plain = step({ out: 'it is correct-horse-battery\n' })
  maskOutput(plain)
  expect(readFileSync(join(plain, 'out'), 'utf8')).not.toContain('horse')
  const odd = step({
    out: Buffer.concat([
      Buffer.from([0xff, 0x00]),
      Buffer.from('correct-horse-battery'),
      Buffer.from([0xfe]),
    ]),
  })
  maskOutput(odd)
  const bytes = readFileSync(join(odd, 'out'))
  expect([bytes[0], bytes[1], bytes.at(-1), bytes.includes('horse')]).toEqual([0xff, 0x00, 0xfe, false])
  const same = step({ out: 'nothing here' })
  const before = statSync(join(same, 'out')).mtimeMs
  maskOutput(same)
  expect(statSync(join(same, 'out')).mtimeMs).toBe(before)
})

test('beganAt() is never before the command, and duration() counts from claim to end', () => {
  const at = (dir: string, name: string, ms: number) => utimesSync(join(dir, name), ms / 1000, ms / 1000)
  const dir = step({ claim: DEAD })
  at(dir, 'claim', 1_000_000)
  expect([beganAt(step()), beganAt(dir), duration(dir)]).toEqual([null, 1_005_000, 0])
  writeFileSync(join(dir, 'began'), '')
  at(dir, 'began', 1_002_000)
  expect(beganAt(dir)).toBe(1_002_010)
  writeFileSync(join(dir, 'exit'), '0\n')
  at(dir, 'exit', 1_004_500)
  expect(duration(dir)).toBe(4_500)
  writeStopped(dir, 'timeout')
  at(dir, 'stopped', 999_000)
  expect(duration(dir)).toBe(0)
})
