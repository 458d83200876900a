/** Headers that YAML reads in another way than they look: a warning or problem names the place and the mend. */
import { expect, test } from 'vitest'
import { readTask } from '../../../src/files/kinds/read-task.ts'

const NB = '\u00a0'
const CASES: Readonly<
  Record<string, readonly [header: string, kind: 'ok' | 'bad', says: readonly string[]]>
> = {
  'a number sign': [
    'title: Fix issue #123 in parser',
    'ok',
    ['2:18 title is read as "Fix issue": "#123 in parser" starts a YAML comment'],
  ],
  'a value that is only a number sign': [
    'title: #123',
    'ok',
    ['2:8 title is empty: "#123" starts a YAML comment'],
  ],
  'a number sign in a list': [
    'labels:\n  - team #one',
    'ok',
    ['3:10 a list item is read as "team": "#one" starts a YAML comment'],
  ],
  'a comment for people': ['title: Fix # see the notes', 'ok', []],
  'a comment above a list': ['labels: #all\n  - one', 'ok', []],
  'quotes and words with a number sign': ['title: "Fix #123"\nlabels: [c#, "#a"]', 'ok', []],
  'a block of text': ['title: |\n  note: see #123', 'ok', []],
  'a no-break space after a colon': [
    `title:${NB}Fix\nstatus: pending`,
    'bad',
    ['2:7 the header has a no-break space (U+00A0) where YAML needs a normal space'],
  ],
  'a no-break space at the start of a line': [
    `title: Fix\n${NB}status: pending`,
    'bad',
    ['3:1 the header has a no-break space (U+00A0) where YAML needs a normal space'],
  ],
  'a no-break space at an end': [
    `title: Fix${NB}`,
    'ok',
    ['2:11 the header has a no-break space (U+00A0) where YAML needs a normal space'],
  ],
  'a no-break space between words': [`title: Run 10${NB}km`, 'ok', []],
}

for (const [name, [header, kind, says]] of Object.entries(CASES))
  test(`a header with ${name} ${says.length === 0 ? 'has no warning' : 'is warned about'}`, () => {
    const read = readTask('rooms/a/tasks/b.md', `---\n${header}\n---\nText.\n`, 'UTC')
    const problems = read.kind === 'ok' ? read.warnings : read.kind === 'bad' ? read.problems : []
    expect(read.kind).toBe(kind)
    const said = problems.filter(({ code }) => code !== 'unknown-key')
    expect(said.map((one) => `${one.line}:${one.column} ${one.message}`)).toEqual(says)
  })

test('the hint of a comment is the line with quotes', () => {
  const read = readTask('rooms/a/tasks/b.md', '---\ntitle: Fix issue #123 in parser\n---\nText.\n', 'UTC')
  expect(read).toMatchObject({
    kind: 'ok',
    warnings: [
      { severity: 'warning', hint: 'Use quotes: title: "Fix issue #123 in parser", or put a space after #' },
    ],
  })
})
