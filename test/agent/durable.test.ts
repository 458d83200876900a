/** What of a step is on the disk before what, and that a call of the model is counted before it is made. */
import { expect, test } from 'vitest'
import { ModelError, type ModelErrorKind } from '../../src/domain/agent/model-retry.ts'
import type { Files } from '../../src/ports/files-port.ts'
import { FINISH, type Says, stage } from './stage.ts'

const READ: Says = { calls: [['read_file', { path: 'a' }]] }
const WRITE: Says = { calls: [['write_file', { path: 'a', content: 'one\n' }]] }

/** Types of the lines of the transcript as they are written; `…` after one that waits for no disk. */
function recording(lines: string[]): (own: Files) => Files {
  return (own) => ({
    ...own,
    append(path, line, sync) {
      const { type, key } = JSON.parse(line) as { type: string; key?: string }
      if (key !== undefined) lines.push(sync === 'later' ? `${type}…` : type)
      own.append(path, line, sync)
    },
  })
}

test('a step waits for the disk once: before its tool runs, with all that led to it', async () => {
  const lines: string[] = []
  const at = stage((n) => [WRITE, READ][n] ?? FINISH, { files: recording(lines) })
  await at.run()
  const step = ['assistant…', 'tool_call', 'tool_result…']
  expect(lines.slice(0, 7)).toEqual(['user…', ...step, ...step])
  expect(lines.slice(-3)).toEqual(['assistant…', 'tool_call', 'tool_result'])
})

test('reading calls that run beside each other wait for the disk once', async () => {
  const lines: string[] = []
  const both: Says = {
    calls: [
      ['read_file', { path: 'a' }],
      ['read_file', { path: 'b' }],
    ],
  }
  await stage((n) => [both][n] ?? FINISH, { files: recording(lines) }).run()
  expect(lines.slice(1, 6).filter((line) => !line.endsWith('…'))).toEqual(['tool_call'])
})

/** What becomes of the count of each call. */
function counting(said: string[]) {
  return {
    calling: (_: unknown, { key }: { readonly key: string }) => {
      said.push(`begin ${key.split(':')[1]}`)
      return { used: () => void said.push('used'), nothing: () => void said.push('nothing') }
    },
  }
}

test('a call is counted before it is made, and settled before anything follows from it', async () => {
  const said: string[] = []
  const at = stage(
    (n) => {
      said.push(`asked ${n + 1}`)
      return [READ][n] ?? FINISH
    },
    { agent: counting(said) },
  )
  await at.run()
  expect(said).toEqual(['begin 1', 'asked 1', 'used', 'begin 2', 'asked 2', 'used'])
})

test.each<readonly [ModelErrorKind, readonly string[]]>([
  ['overloaded', ['begin 1', 'nothing', 'begin 1', 'used']],
  ['rate', ['begin 1', 'nothing', 'begin 1', 'used']],
  ['cut', ['begin 1', 'begin 1', 'used']],
  ['silent', ['begin 1', 'begin 1', 'used']],
])('a call that ends with %s counts as %j', async (kind, wanted) => {
  const said: string[] = []
  const at = stage(
    (n) => {
      if (n === 0) throw new ModelError(kind, 'no', { retryAfterMs: 1 })
      return FINISH
    },
    { agent: counting(said) },
  )
  await at.run()
  expect(said).toEqual(wanted)
})

test('the estimate stands for a call that was cut off by a stop', async () => {
  const said: string[] = []
  const abort = new AbortController()
  const at = stage(() => 'stay', { agent: counting(said) })
  const ended = at.run(abort.signal)
  await expect.poll(() => at.requests.length).toBe(1)
  abort.abort('stopped by hand')
  await ended
  expect(said).toEqual(['begin 1'])
})
