import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { NeoError } from '../../../src/domain/home/error.ts'
import { readDocument } from '../../../src/files/header/document.ts'
import { editDocument, type Json, type Patch, renderDocument } from '../../../src/files/edit/edit-header.ts'
import { json } from '../files.ts'

const header = (...lines: string[]): string => `---\n${lines.map((line) => `${line}\n`).join('')}---\nbody\n`

function dataOf(text: string): Readonly<Record<string, unknown>> {
  const read = readDocument('x.md', text)
  if (read.kind !== 'ok') throw new Error(JSON.stringify(read))
  return read.value.data
}

describe('editDocument', () => {
  test.each<[string, string, Patch, string]>([
    [
      'a plain value',
      'status: pending  # draft',
      { set: { status: 'completed' } },
      'status: completed  # draft',
    ],
    ['a quoted value, in its quotes', "title: 'a'", { set: { title: "it's" } }, "title: 'it''s'"],
    ['a value in double quotes', 'title: "a" # x', { set: { title: 'b: c' } }, 'title: "b: c" # x'],
    ['an empty value', 'due:   # when', { set: { due: 'later' } }, 'due: later   # when'],
    [
      'a label in a flow list',
      'labels: [auth, "x, y"] # tags',
      { set: { labels: ['auth', 'x, y', 'new'] } },
      'labels: [auth, "x, y", new] # tags',
    ],
    [
      'a key of a flow map',
      'retry: { max: 2, backoff: 30s } # r',
      { set: { retry: { max: 3, backoff: '30s' } } },
      'retry: { max: 3, backoff: 30s } # r',
    ],
    ['a date, in quotes', 'due: 2026-03-05', { set: { due: '2026-03-06' } }, 'due: "2026-03-06"'],
  ])('sets %s and keeps the rest of the line', (_what, line, patch, expected) => {
    expect(editDocument(header('# top', line, 'due_date: 2026-03-01', 'sha: 61e9540'), patch)).toBe(
      header('# top', expected, 'due_date: 2026-03-01', 'sha: 61e9540'),
    )
  })

  test('adds a label to a block list as one line', () => {
    const text = header('labels:', '  - auth # first', "  - 'web'", 'status: pending')
    expect(editDocument(text, { set: { labels: ['auth', 'web', 'new'] } })).toBe(
      header('labels:', '  - auth # first', "  - 'web'", '  - new', 'status: pending'),
    )
  })

  test('takes an item out of a block list as one line', () => {
    const text = header('labels:', '- a', '- b', '- c')
    expect(editDocument(text, { set: { labels: ['a', 'c'] } })).toBe(header('labels:', '- a', '- c'))
  })

  test('sets a key of a block map on its own line', () => {
    const text = header('retry:', '  max: 2 # most', '  backoff: 30s # wait', 'x: 1')
    expect(editDocument(text, { set: { retry: { max: 3, backoff: '30s' } } })).toBe(
      header('retry:', '  max: 3 # most', '  backoff: 30s # wait', 'x: 1'),
    )
  })

  test('writes the value out where others repeat it, so that they keep theirs', () => {
    const text = header('a: &x one # keep', 'b: *x', 'c: [*x, two]')
    const edited = editDocument(text, { set: { a: 'three' } })
    expect(dataOf(edited)).toStrictEqual({ a: 'three', b: 'one', c: ['one', 'two'] })
    expect(edited).toContain('a: three # keep')
  })

  test('puts a new key before the neo block and new neo keys at its end', () => {
    const text = header('title: A', '', '# ours', 'neo:', '  id: t-1 # id', 'later: 1')
    const edited = editDocument(header('title: A', '', '# ours', 'neo:', '  id: t-1 # id'), {
      set: { status: 'draft' },
      neo: { attempt: 2 },
    })
    expect(edited).toBe(
      header('title: A', 'status: draft', '', '# ours', 'neo:', '  id: t-1 # id', '  attempt: 2'),
    )
    expect(dataOf(editDocument(text, { neo: { attempt: 2 } }))['neo']).toStrictEqual({
      id: 't-1',
      attempt: 2,
    })
  })

  test('makes the neo block at the end', () => {
    expect(editDocument(header('title: A'), { neo: { id: 't-1', verified: { at: 'x', commands: 1 } } })).toBe(
      header('title: A', 'neo:', '  id: t-1', '  verified: { at: x, commands: 1 }'),
    )
  })

  test('edits a neo block in flow style', () => {
    expect(
      editDocument(header('neo: { id: r-1, created_at: "x" } # ours'), { neo: { id: 'r-2', keep: 1 } }),
    ).toBe(header('neo: { id: r-2, created_at: "x", keep: 1 } # ours'))
  })

  test('adds a header to a file that has none, and keeps every byte of it', () => {
    const text = '\ufeff# Fix the login\r\n\r\nIt is broken.'
    expect(editDocument(text, { neo: { id: 't-1' } })).toBe(
      `\ufeff---\r\nneo:\r\n  id: t-1\r\n---\r\n${text.slice(1)}`,
    )
  })

  test('fences off a new body that begins like a header', () => {
    const edited = editDocument('text', { body: '---\nstatus: completed\n---\n' })
    expect(readDocument('x.md', edited)).toMatchObject({
      value: { data: {}, body: '---\nstatus: completed\n---\n' },
    })
  })

  test('gives a closing fence at the end of the file its line break before a body', () => {
    expect(editDocument('---\na: 1\n---', { body: 'x' })).toBe('---\na: 1\n---\nx')
  })

  test('keeps a payload with fences and our own marks through three saves', () => {
    const body = '---\nneo:\n  id: x\n---\n```sh\n---\n```\n## Answer\n---js\nx\n---\n'
    const once = editDocument(`---\ntitle: A\n---\n${body}`, { set: { title: 'B' }, body })
    const thrice = editDocument(editDocument(once, { set: { title: 'C' }, body }), {
      set: { title: 'B' },
      body,
    })
    expect(thrice).toBe(once)
    expect(once.endsWith(body)).toBe(true)
  })

  test('keeps a plain date and a time with an offset when the status changes', () => {
    const text = header('due: 2026-03-01', 'at: 2026-03-01T09:00:00+09:00', 'status: pending')
    expect(editDocument(text, { set: { status: 'draft' } })).toBe(text.replace('pending', 'draft'))
  })

  test('replaces values over several lines', () => {
    const text = header('error: |', '  one', '', '  two', 'x: [a,', '  b] # end', 'y: 1')
    expect(editDocument(text, { set: { error: 'short', x: 'z' } })).toBe(
      header('error: short', 'x: z # end', 'y: 1'),
    )
  })

  test('rewrites a header with explicit keys by the document model', () => {
    const edited = editDocument(header('? status', ': pending', 'x: 1'), { set: { status: 'draft' } })
    expect(dataOf(edited)).toStrictEqual({ status: 'draft', x: 1 })
  })

  test('gives the same text for an empty patch', () => {
    const text = '---\n  odd:   1\n---\n\n'
    expect(editDocument(text, {})).toBe(text)
    expect(editDocument('', {})).toBe('')
  })

  test.each([
    '---\na: 1\n',
    '---js\n---\n',
    '---\na: [1\n---\n',
    '---\n- a\n---\n',
    '---\na: 1\na: 2\n---\n',
  ])('refuses to edit %j', (text) => {
    expect(() => editDocument(text, { set: { status: 'draft' } })).toThrow(NeoError)
  })

  test('refuses to write a header that would be too long to be read', () => {
    expect(() => editDocument('x', { set: { error: 'x'.repeat(17_000) } })).toThrow(/the limit is 16384/)
  })
})

describe('renderDocument', () => {
  test('puts the neo block last and quotes what other readers of YAML would take for something else', () => {
    const text = renderDocument(
      { neo: { id: 't-1' }, title: 'Fix: it', due: '2026-03-01', no: 'no', labels: ['a', 'b: c'] },
      'x',
    )
    expect(renderDocument({ title: 'E0', no: 'e-7' }, 'x')).toBe('---\ntitle: "E0"\n"no": "e-7"\n---\nx')
    expect(text).toBe(
      '---\ntitle: "Fix: it"\ndue: "2026-03-01"\n"no": "no"\nlabels: [a, "b: c"]\nneo:\n  id: t-1\n---\nx',
    )
  })

  test('gives text that reads back as the data, by YAML 1.2 and 1.1', () => {
    const keys = fc.constantFrom('title', 'status', 'action', 'a b', 'no', 'x: y', '2026-01-01')
    fc.assert(
      fc.property(fc.dictionary(keys, json, { noNullPrototype: true }), fc.string(), (data, body) => {
        fc.pre(!body.includes('\0') && body.trim() !== '')
        const text = renderDocument(data as Record<string, Json>, body)
        const read = readDocument('x.md', text)
        expect(read).toMatchObject({ kind: 'ok', value: { data, body } })
        const source = read.kind === 'ok' ? (read.value.header?.source ?? '') : ''
        expect(parse(source, { version: '1.1' }) ?? {}).toStrictEqual(data)
      }),
      { numRuns: 600 },
    )
  })

  test('gives a plain body where there is nothing to put above it', () => {
    expect(renderDocument({}, 'x')).toBe('x')
    expect(renderDocument({}, '---\nx')).toBe('---\n---\n---\nx')
  })
})
