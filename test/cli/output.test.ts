/** What commands print: to people and to programs, into pipes and on terminals. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Cell, dim, fieldRows, jsonText, openOutput, printBody } from '../../src/cli/output.ts'
import { widthOf } from '../../src/cli/shown-text.ts'
import { learnSecret } from '../../src/domain/secrets/known-secrets.ts'
import { shownStream } from './streams.ts'

interface How {
  readonly columns?: number
  readonly json?: boolean
  readonly quiet?: boolean
  readonly color?: boolean
}

async function printer({ columns, json = false, quiet = false, color = true }: How = {}) {
  const stdout = shownStream(columns)
  const stderr = shownStream(columns)
  const out = await openOutput({ stdout: stdout.stream, stderr: stderr.stream }, { json, quiet, color })
  return { out, stdout: stdout.text, stderr: stderr.text }
}

const ROWS: readonly (readonly Cell[])[] = [
  ['a', { text: 'first', style: 'red' }, 'x'],
  ['題名', 'b', ''],
]

test('a table is aligned by columns of the terminal, without spaces at the ends of lines', async () => {
  const { out, stdout } = await printer()
  out.table(ROWS)
  expect(stdout()).toBe('a     first  x\n題名  b\n')
})

test('an empty table prints nothing', async () => {
  const { out, stdout } = await printer()
  out.table([])
  expect(stdout()).toBe('')
})

test('colours are printed on a terminal, and only if they are wanted', async () => {
  const [pipe, plain, terminal] = [
    await printer(),
    await printer({ columns: 80, color: false }),
    await printer({ columns: 80 }),
  ]
  for (const { out } of [pipe, plain, terminal]) out.line({ text: 'x', style: 'red' }, dim('y'))
  expect(pipe.stdout()).toBe('x y\n')
  expect(plain.stdout()).toBe('x y\n')
  expect(terminal.stdout()).toBe('\x1b[31mx\x1b[39m \x1b[2my\x1b[22m\n')
})

test('the flexible column of a table fits the terminal', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.string({ maxLength: 8 }), fc.string({ maxLength: 200 }), fc.constant('end')), {
        minLength: 1,
        maxLength: 5,
      }),
      async (rows) => {
        const { out, stdout } = await printer({ columns: 100, color: false })
        out.table(rows, 1)
        const lines = stdout().slice(0, -1).split('\n')
        expect(lines).toHaveLength(rows.length)
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(100)
      },
    ),
    { numRuns: 50 },
  )
})

test('a pipe gets every column whole', async () => {
  const { out, stdout } = await printer()
  out.table([['a', 'x'.repeat(300), 'b']], 1)
  expect(stdout()).toBe(`a  ${'x'.repeat(300)}  b\n`)
})

test('with --json, stdout has one document and no text', async () => {
  const { out, stdout, stderr } = await printer({ json: true })
  out.heading('Heading')
  out.line('line')
  out.block('block')
  out.table(ROWS)
  out.note('a note')
  out.data('task.list', [{ a: 1 }])
  expect(stdout()).toBe('{"schemaVersion":1,"kind":"task.list","data":[{"a":1}]}\n')
  expect(stderr()).toBe('a note\n')
})

test('without --json, no document is printed', async () => {
  const { out, stdout } = await printer()
  out.data('task.list', [1])
  expect(stdout()).toBe('')
})

test('with --quiet, notes and progress are left out, and errors are not', async () => {
  const { out, stdout, stderr } = await printer({ quiet: true, columns: 80, color: false })
  out.note('a note')
  out.progress('working')
  out.line('answer')
  out.error('neo', 'An error')
  expect([stdout(), stderr()]).toEqual(['answer\n', 'neo: An error\n'])
})

test('a progress line is one line, which the next output removes', async () => {
  const { out, stderr } = await printer({ columns: 10, color: false })
  out.progress('0123456789 much longer')
  expect(stderr()).toBe('01234567…')
  out.note('done')
  expect(stderr()).toBe('01234567…\r\x1b[Kdone\n')
  out.note('more')
  expect(stderr()).toBe('01234567…\r\x1b[Kdone\nmore\n')
})

test('a pipe gets no progress', async () => {
  const { out, stderr } = await printer()
  out.progress('working')
  out.progress(null)
  expect(stderr()).toBe('')
})

test('known secrets are masked in everything that is printed', async () => {
  learnSecret('s3cret-of-the-output-test')
  const secret = 'a s3cret-of-the-output-test b'
  const text = await printer()
  text.out.heading(secret)
  text.out.line(secret, dim(secret))
  text.out.block(secret)
  text.out.table([[secret]])
  text.out.note(secret)
  text.out.error('why', secret)
  const json = await printer({ json: true })
  json.out.data('x', { [secret]: [secret] })
  json.out.event({ a: secret })
  const all = text.stdout() + text.stderr() + json.stdout()
  expect(all).not.toContain('s3cret-of-the-output-test')
  expect(all.split('***')).toHaveLength(11)
})

test('a block keeps its lines and tabs, without carriage returns and escapes', async () => {
  const { out, stdout } = await printer()
  out.block('a\r\n\tb\x1b[2J\n\n')
  expect(stdout()).toBe('a\n\tb\\x1b[2J\n\n')
})

test('jsonText() is JSON of the same value, without characters that terminals act on', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, text) => {
      const whole = { value, text }
      const printed = jsonText(whole, 2)
      expect(JSON.parse(printed)).toEqual(JSON.parse(JSON.stringify(whole)))
      expect(printed).not.toMatch(/[^\P{Cc}\n]|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/u)
    }),
  )
})

test('fieldRows() leaves out what is not set', () => {
  const value: Cell = { text: 'v', style: 'green' }
  expect(
    fieldRows([
      ['a', 'x'],
      ['b', undefined],
      ['c', ''],
      ['d', value],
    ]),
  ).toEqual([
    [dim('a'), 'x'],
    [dim('d'), value],
  ])
})

test.each([
  ['', ''],
  [' \n\t\n', ''],
  ['Text\n', '\nText\n'],
])('printBody(%j) prints %j', async (body, wanted) => {
  const { out, stdout } = await printer()
  printBody(out, body)
  expect(stdout()).toBe(wanted)
})
