import fc from 'fast-check'
import matter from 'gray-matter'
import { describe, expect, test } from 'vitest'
import { readDocument } from '../../../src/files/header/document.ts'
import { splitHeader } from '../../../src/files/header/read-header.ts'

function problemsOf(bytes: Buffer | string) {
  const read = readDocument('rooms/a/tasks/x.md', bytes)
  return read.kind === 'bad' ? read.problems : []
}

function documentOf(bytes: Buffer | string) {
  const read = readDocument('x.md', bytes)
  if (read.kind !== 'ok') throw new Error(JSON.stringify(read))
  return read.value
}

describe('readDocument', () => {
  test('gives header, data and body with their lines', () => {
    const doc = documentOf(Buffer.from('---\ntitle: A\nlabels: [b]\n---\nbody\n'))
    expect(doc).toMatchObject({
      data: { title: 'A', labels: ['b'] },
      body: 'body\n',
      bodyLine: 5,
    })
    expect(doc.header).toStrictEqual({ source: 'title: A\nlabels: [b]\n', from: 4 })
  })

  test('keeps byte order mark and CRLF in the text', () => {
    const doc = documentOf(Buffer.from('\ufeff---\r\ntitle: A\r\n---\r\nb\r\n'))
    expect(doc).toMatchObject({ data: { title: 'A' }, body: 'b\r\n', bodyLine: 4 })
    expect(doc.text.slice(doc.header?.from, (doc.header?.from ?? 0) + 8)).toBe('title: A')
  })

  test('reads a file without a header as body', () => {
    expect(documentOf('# Fix the login\n\nIt is broken.')).toMatchObject({
      header: null,
      data: {},
      bodyLine: 1,
    })
  })

  test('takes a rule of four dashes for body', () => {
    expect(documentOf('----\ntext\n')).toMatchObject({ header: null, body: '----\ntext\n' })
  })

  test('accepts blanks after a fence', () => {
    expect(documentOf('---  \ntitle: A\n--- \nbody')).toMatchObject({ data: { title: 'A' }, body: 'body' })
  })

  test('reads an empty header and one of comments only', () => {
    expect(documentOf('---\n---\nx')).toMatchObject({ data: {}, body: 'x' })
    expect(documentOf('---\n# note\n---\nx')).toMatchObject({ data: {}, body: 'x' })
  })

  test('keeps a second fence in the body, whatever its language', () => {
    const body = '---js\n{a: (globalThis.pwned = 1)}\n---\n'
    expect(documentOf(`---\ntitle: A\n---\n${body}`).body).toBe(body)
    expect(globalThis).not.toHaveProperty('pwned')
  })

  test.each(['---js', '---JS', '--- javascript', '---coffee', '---json', '---yaml', '---toml', '--- js '])(
    'refuses the fence %j and runs nothing',
    (fence) => {
      const [problem] = problemsOf(`${fence}\n{a: (globalThis.pwned = 1)}\n---\nbody`)
      expect(problem).toMatchObject({ code: 'fence', line: 1, column: 1 })
      expect(globalThis).not.toHaveProperty('pwned')
    },
  )

  test.each(['---x', '----', '--- end'])('refuses the header line %j, which is no exact fence', (line) => {
    const [problem] = problemsOf(`---\na: |\n  b\n${line}\nc: d\n---\nbody`)
    expect(problem).toMatchObject({ code: 'fence', line: 4 })
  })

  test('refuses a header that starts below blank lines', () => {
    expect(problemsOf('\n---\nstatus: draft\n---\n')[0]).toMatchObject({ code: 'fence', line: 2 })
  })

  test.each([
    ['', 'empty'],
    ['\n  \n', 'empty'],
    ['\ufeff', 'empty'],
    ['---', 'closing'],
    ['---\ntitle: half a he', 'closing'],
    ['---\r\ntitle: x\r\n', 'closing'],
  ])('calls %j unfinished', (text, why) => {
    const read = readDocument('x.md', Buffer.from(text))
    expect(read).toMatchObject({ kind: 'unfinished', why: expect.stringContaining(why) })
  })

  test.each([
    [Buffer.from('a\0b'), 'NUL'],
    [Buffer.from([0x61, 0xff, 0xfe]), 'UTF-8'],
    [Buffer.from('\ufeffa', 'utf16le'), 'NUL'],
    [Buffer.from('---\ntitle: é\n---\n', 'latin1'), 'UTF-8'],
  ])('refuses bytes that are no text', (bytes, what) => {
    expect(problemsOf(bytes)[0]).toMatchObject({ code: 'encoding', message: expect.stringContaining(what) })
  })

  test('keeps a replacement character that is really there', () => {
    expect(documentOf(Buffer.from('a\ufffdb')).body).toBe('a\ufffdb')
  })

  test('refuses 9 KB of opening brackets before any parser', () => {
    expect(problemsOf(`---\n${'['.repeat(9000)}\n---\n`)[0]).toMatchObject({ code: 'depth', line: 2 })
  })

  test('refuses nesting by indentation and by list marks', () => {
    const steps = Array.from({ length: 40 }, (_, at) => `${' '.repeat(at)}a:\n`).join('')
    expect(problemsOf(`---\n${steps}---\n`)[0]?.code).toBe('depth')
    expect(problemsOf(`---\na:\n  ${'- '.repeat(40)}x\n---\n`)[0]?.code).toBe('depth')
  })

  test('accepts nesting 30 deep', () => {
    const steps = Array.from({ length: 30 }, (_, at) => `${' '.repeat(at)}a:\n`).join('')
    expect(problemsOf(`---\n${steps}---\n`)).toStrictEqual([])
  })

  test('refuses a header over 16 KB and accepts one just under', () => {
    expect(problemsOf(`---\na: ${'x'.repeat(16_384)}\n---\n`)[0]?.code).toBe('size')
    expect(problemsOf(`---\na: ${'x'.repeat(16_000)}\n---\n`)).toStrictEqual([])
    expect(problemsOf(`---\na: ${'é'.repeat(9_000)}\n---\n`)[0]?.code).toBe('size')
  })

  test('refuses aliases that multiply', () => {
    const levels = Array.from(
      { length: 9 },
      (_, at) => `l${at + 1}: &l${at + 1} [${`*l${at},`.repeat(5)}]\n`,
    ).join('')
    expect(problemsOf(`---\nl0: &l0 [x,x,x,x]\n${levels}---\n`)[0]).toMatchObject({ code: 'yaml' })
  })

  test('refuses many aliases', () => {
    expect(problemsOf(`---\na: &a x\nb: [${'*a, '.repeat(60)}]\n---\n`)[0]?.code).toBe('yaml')
  })

  test('refuses an alias within what it repeats, which would have no end', () => {
    for (const header of ['a: &a\n  k: *a', '&a\nk: *a', 'a: &a [1, [*a]]'])
      expect(problemsOf(`---\n${header}\n---\n`)[0]).toMatchObject({
        code: 'yaml',
        message: 'the YAML alias *a contains itself',
      })
  })

  test('reads a few aliases', () => {
    expect(documentOf('---\na: &a [x]\nb: *a\n---\n').data).toStrictEqual({ a: ['x'], b: ['x'] })
  })

  test.each([
    '---\n<<<<<<< HEAD\nstatus: draft\n=======\nstatus: pending\n>>>>>>> other\n---\n',
    '---\ntitle: a\n---\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n',
    '<<<<<<< HEAD\n---\ntitle: a\n---\n=======\n---\ntitle: b\n---\n>>>>>>> other\n',
    '---\r\n<<<<<<< HEAD\r\na: b\r\n---\r\n',
  ])('refuses conflict markers in %j', (text) => {
    expect(problemsOf(text)[0]).toMatchObject({ code: 'conflict' })
  })

  test('keeps a setext heading and a lone marker in a body', () => {
    expect(problemsOf('Title\n=======\n<<<<<<< is how git begins\n')).toStrictEqual([])
  })

  test('gives the same error for the same broken text each time', () => {
    const text = '---\na: [1\n---\nx'
    expect(problemsOf(text)).toStrictEqual(problemsOf(text))
    expect(problemsOf(text)).toHaveLength(1)
  })

  test('gives results that share nothing', () => {
    const text = '---\na: { b: &x 1, c: *x }\n---\nx'
    const first = documentOf(text).data as { a: { b: number } }
    first.a.b = 99
    expect(documentOf(text).data).toStrictEqual({ a: { b: 1, c: 1 } })
  })

  test('keeps dates, words and merge keys as they are written', () => {
    const { data } = documentOf('---\ndue: 2026-03-01\nno: no\nat: 12:30:45\n<<: { a: 1 }\n---\n')
    expect(data).toStrictEqual({ due: '2026-03-01', no: 'no', at: '12:30:45', '<<': { a: 1 } })
  })

  test('never throws and stays linear for any text', () => {
    const parts = fc.constantFrom(
      '---',
      '---\n',
      '\n',
      '\r\n',
      'a: b\n',
      '<<<<<<<',
      '[',
      '{',
      '"',
      "'",
      '```',
      '\ufeff',
      '&a',
      '*a',
      ': ',
      '- ',
      '| ',
      '\t',
      '#',
      '%',
      '@',
      '!!x',
      '? ',
    )
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 30 }), (all) => {
        readDocument('x.md', Buffer.from(all.join('')))
        readDocument('x.md', Buffer.from(`---\n${all.join('')}\n---\n`))
      }),
      { numRuns: 1500 },
    )
  })
})

describe('splitHeader', () => {
  test('splits as gray-matter does wherever it does not refuse', () => {
    const parts = fc.constantFrom('---', '---\n', '---\r\n', '\n', 'a: b\n', 'x', '-', '\ufeff', '\r\n')
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 12 }), (all) => {
        const text = all.join('')
        const split = splitHeader(text)
        if (split.kind === 'open' || split.kind === 'refused') return
        const theirs = matter(text, { engines: { yaml: { parse: () => ({}), stringify: () => '' } } })
        expect(text.slice(split.bodyFrom)).toBe(theirs.content)
      }),
      { numRuns: 5000 },
    )
  })
})
