import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readTranscript, transcriptLine } from '../../src/formats/transcript.ts'

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
