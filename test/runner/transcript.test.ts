import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openTranscript } from '../../src/runner/live-transcript.ts'
import { bench } from './builders.ts'

function opened() {
  const made = bench([])
  const path = join(made.repository, '.git/neo/transcripts', `${made.record.id}.jsonl`)
  return { ...made, path, open: () => openTranscript(made.record, made.deps) }
}

describe('openTranscript()', () => {
  test('adds no entry twice when it is replayed', () => {
    const { open, entries } = opened()
    const first = open()
    first.add('start', 'start', { title: 'x' })
    first.add('tool_call', 'step-0:call', { command: 'true' })
    const before = entries()
    const second = open()
    second.add('start', 'start', { title: 'x' })
    second.add('tool_call', 'step-0:call', { command: 'true' })
    second.add('end', 'end', {})
    expect(entries().slice(0, 2)).toEqual(before)
    expect(entries().map((entry) => entry['parent'])).toEqual([null, before[0]?.['id'], before[1]?.['id']])
  })

  test('writes an entry again whose line a crash has torn', () => {
    const { open, path, entries } = opened()
    open().add('start', 'start', {})
    const whole = readFileSync(path, 'utf8')
    const torn = open()
    torn.add('start', 'start', {})
    appendFileSync(path, whole.slice(0, 40))
    torn.add('end', 'end', {})
    expect(entries().map((entry) => entry['type'])).toEqual(['start', 'end'])
  })

  test('gives ids that sort in the order of the entries', () => {
    const { open, entries } = opened()
    const transcript = open()
    for (let i = 0; i < 40; i += 1) transcript.add('tool_call', `step-${i}:call`, {})
    const ids = entries().map((entry) => String(entry['id']))
    expect(ids).toEqual([...ids].sort())
    expect(ids.every((id) => /^[0-9A-HJKMNP-TV-Z]{26}$/.test(id))).toBe(true)
  })

  test('does not repeat in an error what the command above it wrote', () => {
    const { open, entries } = opened()
    const transcript = open()
    transcript.add('tool_result', 'step-0:result', { output: 'no such file' })
    transcript.add('error', 'error', { message: 'failed', output: 'no such file' })
    transcript.add('error', 'other', { message: 'failed', output: 'something else' })
    expect(entries().map((entry) => entry['output'])).toEqual(['no such file', '', 'something else'])
  })

  test('writes no secret', () => {
    const { open, path } = opened()
    const token = `ghp_${'a1B2'.repeat(9)}`
    open().add('tool_call', 'step-0:call', { command: `curl -H "Authorization: Bearer ${token}"` })
    expect(readFileSync(path, 'utf8')).not.toContain(token)
  })
})
