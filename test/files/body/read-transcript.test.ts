import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  isFailure,
  readTranscript,
  saidBy,
  saysOf,
  transcriptLine,
} from '../../../src/files/body/read-transcript.ts'

const entry = (id: string, more: Record<string, unknown> = {}) => ({
  v: 1,
  id,
  parent: null,
  ts: '2026-03-01T09:00:00Z',
  session: 's-1',
  room: 'a',
  task: 't-1',
  type: 'user',
  ...more,
})
const one = transcriptLine(entry('1'))
const two = transcriptLine(entry('2'))

function idsOf(file: Buffer | string): string[] {
  return readTranscript(file).entries.map(({ id }) => id)
}

describe('transcriptLine', () => {
  test('gives one line whatever the text is, and it reads back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const line = transcriptLine(entry('1', { text: `${text}\u2028\u2029\u0085\r\n` }))
        expect(line.split(/[\n\r\u2028\u2029\u0085]/)).toStrictEqual([line.slice(0, -1), ''])
        expect(readTranscript(line).entries[0]?.['text']).toBe(`${text}\u2028\u2029\u0085\r\n`)
      }),
    )
  })
})

describe('readTranscript', () => {
  test('gives all entries of a whole file', () => {
    expect(readTranscript(one + two)).toStrictEqual({
      entries: [entry('1'), entry('2')],
      torn: null,
      skipped: [],
    })
    expect(readTranscript('')).toStrictEqual({ entries: [], torn: null, skipped: [] })
  })

  test('sets a torn last line aside and keeps the rest', () => {
    expect(readTranscript(`${one}${two.slice(0, 20)}`)).toStrictEqual({
      entries: [entry('1')],
      torn: two.slice(0, 20),
      skipped: [],
    })
  })

  test('sets a line torn inside a character aside', () => {
    const bytes = Buffer.from(one + transcriptLine(entry('2', { text: 'é' })).trim())
    expect(readTranscript(bytes.subarray(0, bytes.length - 3))).toMatchObject({
      entries: [entry('1')],
      torn: expect.any(String),
    })
  })

  test('takes a last line that only lacks its line break', () => {
    expect(idsOf(one + two.trim())).toStrictEqual(['1', '2'])
  })

  test('passes over NUL bytes, a byte order mark, CRLF and blank lines', () => {
    expect(idsOf(`\ufeff${one.replace('\n', '\r\n')}\0\0\0${two}\n\n\0\0\0`)).toStrictEqual(['1', '2'])
    expect(readTranscript(`${one}\0\0\0`).torn).toBeNull()
  })

  test('counts a line once that a merge has doubled, and keeps two that only share an id', () => {
    expect(idsOf(one + two + one + two.trim())).toStrictEqual(['1', '2'])
    expect(idsOf(one + transcriptLine(entry('1', { type: 'end' })))).toStrictEqual(['1', '1'])
  })

  test('names the lines that are no entries', () => {
    expect(readTranscript(`${one}{broken\n[1]\n${two}"x"\n`)).toMatchObject({
      skipped: [2, 3, 5],
      torn: null,
    })
  })

  test('keeps entries of types that it does not know', () => {
    expect(readTranscript(transcriptLine(entry('1', { type: 'future' }))).entries[0]?.type).toBe('future')
  })
})

describe('saysOf', () => {
  const says = (type: string, more: Record<string, unknown>) =>
    saysOf({ ...entry('1'), ...more, type } as Parameters<typeof saysOf>[0])

  test('tells what an agent called, as `neo watch` does', () => {
    expect(says('tool_call', { tool: 'write_file', input: { path: 'tips.md', text: 'a\nb' } })).toBe(
      'write_file tips.md',
    )
    expect(says('tool_call', { tool: 'git_status', input: {} })).toBe('git_status')
    expect(says('tool_call', { tool: 'shell', name: 'greet', command: 'echo a\necho b' })).toBe(
      'greet: echo a …',
    )
  })

  test('tells the words of an answer, and its calls where it has none', () => {
    const call = { kind: 'call', id: '1', name: 'write_file', input: {} }
    const words = { parts: [{ kind: 'text', text: 'I look first.\nThen I write.' }, call] }
    expect(says('assistant', words)).toBe('I look first. …')
    expect(saidBy({ ...entry('1'), ...words } as Parameters<typeof saidBy>[0])).toBe(
      'I look first.\nThen I write.',
    )
    expect(says('assistant', { parts: [{ kind: 'thinking', text: 'hm' }, call] })).toBe('calls write_file')
  })

  test('gives results and prompts in one short line', () => {
    const result = { kind: 'result', text: 'Wrote tips.md\n3 lines', isError: 'yes' }
    expect(says('tool_result', { result })).toBe('Wrote tips.md …')
    expect(isFailure({ ...entry('1'), result } as Parameters<typeof isFailure>[0])).toBe(true)
    expect(says('user', { text: '# The task\n\nWrite tips' })).toBe('# The task …')
    expect([...says('user', { text: 'x'.repeat(500) })]).toHaveLength(160)
    expect(says('tool_result', { exit_code: 3, ended: 'exit', ms: 5 })).toBe('exit code 3 after 5 ms')
  })
})
