import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readDocument } from '../../../src/files/header/document.ts'
import { editDocument, type Json } from '../../../src/files/edit/edit-header.ts'
import { json, type RealFile, realFile } from '../files.ts'

function headerOf(text: string): string {
  const read = readDocument('x.md', text)
  if (read.kind !== 'ok') throw new Error(JSON.stringify([read, text]))
  return read.value.header?.source ?? ''
}

/** The data by `yaml` itself, not by our reader. */
function dataOf(text: string): Record<string, unknown> {
  return (parse(headerOf(text), { version: '1.2', logLevel: 'silent' }) ?? {}) as Record<string, unknown>
}

function linesOf(text: string): string[] {
  return text.split('\n')
}

/** Lines of the entries that an edit of `key` may not touch, as blocks in order. */
function untouched(file: RealFile, key: string): string[][] {
  const held = file.entries.find((entry) => entry.key === key)
  return file.entries
    .filter((entry) => entry.key !== key && entry.key !== held?.aliasedBy)
    .map((entry) => entry.lines.map((line) => (file.eol === '\r\n' ? `${line}\r` : line)))
}

/** True where all blocks are in the lines, whole and in their order. */
function holdsInOrder(lines: readonly string[], blocks: readonly (readonly string[])[]): boolean {
  let from = 0
  for (const block of blocks) {
    const at = lines.findIndex(
      (_, index) => index >= from && block.every((line, step) => lines[index + step] === line),
    )
    if (at === -1) return false
    from = at + block.length
  }
  return true
}

const key = fc.constantFrom('title', 'status', 'labels', 'retry', 'x', 'base', 'new_key', 'a b', 'from')

describe('editDocument', () => {
  test('changes no line but those of the key that it sets, and the key then has the value', () => {
    fc.assert(
      fc.property(realFile, key, json, (file, name, value) => {
        const edited = editDocument(file.text, { set: { [name]: value as Json } })
        const data = dataOf(edited)
        expect(data[name]).toStrictEqual(value)
        expect({ ...data, [name]: 0 }).toStrictEqual({ ...dataOf(file.text), [name]: 0 })
        expect(holdsInOrder(linesOf(edited), untouched(file, name))).toBe(true)
        expect(edited.endsWith(file.body)).toBe(true)
        expect(edited.startsWith(file.bom ? '\ufeff---' : '---')).toBe(true)
        expect(edited.includes('\r\n---\r\n')).toBe(file.text.includes('\r\n---\r\n'))
      }),
      { numRuns: 500 },
    )
  })

  test('changes one line where one plain value on one line is set to another', () => {
    fc.assert(
      fc.property(realFile, fc.constantFrom('completed', 'Fix: it', '2026-03-01', 'no'), (file, value) => {
        const held = file.entries.find((entry) => entry.key === 'status')
        fc.pre(held !== undefined && held.lines.length === 1)
        const before = linesOf(file.text)
        const after = linesOf(editDocument(file.text, { set: { status: value } }))
        expect(after).toHaveLength(before.length)
        expect(after.filter((line, at) => line !== before[at]).length).toBeLessThanOrEqual(1)
      }),
      { numRuns: 150 },
    )
  })

  test('keeps the comment after a value', () => {
    fc.assert(
      fc.property(realFile, (file) => {
        const held = file.entries.find((entry) => entry.key === 'priority')
        const note =
          held?.lines.length === 1 ? /\s(# (?:why|draft pending))$/.exec(held.lines[0] ?? '')?.[1] : undefined
        fc.pre(note !== undefined)
        const line = linesOf(editDocument(file.text, { set: { priority: 'low' } })).find((one) =>
          one.startsWith('priority:'),
        )
        expect(line?.replace('\r', '')).toMatch(/^priority: *["']?low["']?\s+# (?:why|draft pending)$/)
      }),
      { numRuns: 150 },
    )
  })

  test('sets keys of the neo block without touching anything above it', () => {
    fc.assert(
      fc.property(
        realFile,
        fc.constantFrom('id', 'attempt', 'result', 'verified', 'new'),
        json,
        (file, name, value) => {
          const edited = editDocument(file.text, { neo: { [name]: value as Json } })
          const { neo, ...rest } = dataOf(edited)
          const { neo: old, ...others } = dataOf(file.text)
          expect(neo).toStrictEqual({ ...(old as object), [name]: value })
          expect(rest).toStrictEqual(others)
          expect(holdsInOrder(linesOf(edited), untouched(file, 'neo'))).toBe(true)
          expect(Object.keys(dataOf(edited)).at(-1)).toBe('neo')
          expect(edited.endsWith(file.body)).toBe(true)
        },
      ),
      { numRuns: 200 },
    )
  })

  test('removes a key and leaves every other line', () => {
    fc.assert(
      fc.property(realFile, fc.constantFrom('title', 'labels', 'retry', 'x', 'base', 'neo'), (file, name) => {
        // A `|+` value takes in the blank lines that a removal brings next to it: the header is then written anew.
        fc.pre(!file.text.includes('|+'))
        const edited = editDocument(file.text, { set: { [name]: undefined } })
        const { [name]: _gone, ...others } = dataOf(file.text)
        expect(dataOf(edited)).toStrictEqual(others)
        expect(holdsInOrder(linesOf(edited), untouched(file, name))).toBe(true)
      }),
      { numRuns: 200 },
    )
  })

  test('changes nothing where the value is the same already', () => {
    fc.assert(
      fc.property(realFile, key, (file, name) => {
        const data = dataOf(file.text)
        fc.pre(name in data)
        expect(editDocument(file.text, { set: { [name]: data[name] as Json } })).toBe(file.text)
      }),
      { numRuns: 150 },
    )
  })

  test('replaces the body by exactly the given bytes', () => {
    fc.assert(
      fc.property(
        realFile,
        fc.constantFrom('', 'x', '---\n---\n', '\r\n\ufeff', '```\n---\n'),
        (file, next) => {
          const edited = editDocument(file.text, { body: next })
          expect(edited).toBe(file.text.slice(0, file.text.length - file.body.length) + next)
        },
      ),
      { numRuns: 150 },
    )
  })

  test('does what was asked, or refuses, for any header that can be read', () => {
    const marks = fc.constantFrom(
      ...'ab1:- #[]{},"\'\n\n|>&*!?~'.split(''),
      ': ',
      '\n  ',
      '- ',
      '\nk: ',
      '\nneo:',
      '? ',
      '&a ',
      '*a',
      '\ufeff',
    )
    fc.assert(
      fc.property(
        fc.array(marks, { maxLength: 14 }),
        fc.constantFrom('k', 'a', 'new'),
        json,
        (parts, name, value) => {
          const text = `---\n${parts.join('')}\n---\nbody`
          const read = readDocument('x.md', text)
          fc.pre(read.kind === 'ok' && read.value.header !== null)
          const edited = readDocument(
            'x.md',
            editDocument(text, { set: { [name]: value as Json }, neo: { id: 't-1' } }),
          )
          expect(edited).toMatchObject({
            kind: 'ok',
            value: { body: read.value.body, data: { [name]: value, neo: { id: 't-1' } } },
          })
        },
      ),
      { numRuns: 300 },
    )
  })
})
