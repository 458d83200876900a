/** What two hosts wrote of one file becomes one text where only Neo's keys differ; people's words are never chosen between. */
import { expect, test } from 'vitest'
import { mergeSides } from '../../../src/files/merge/merge-sides.ts'

const PLAIN = '# Fix\n\nDo it.\n'
const task = (of: { status?: string; neo?: string; header?: string; body?: string }) =>
  `---\n${of.header ?? 'priority: low # soon\n'}status: ${of.status ?? 'pending'}\nneo:\n  id: t-1\n  created_at: "2026-01-01T00:00:00Z"\n${of.neo ?? ''}---\n${of.body ?? PLAIN}`
const adopted = (id: string, second: number, more = '') =>
  `---\n${more}neo:\n  id: ${id}\n  created_at: "2026-01-01T00:00:0${second}Z"\n  created_by: human\n---\n${PLAIN}`
const ask = (decision: string, at: string, by: string) =>
  `---\nkind: approval\ndecision: ${decision}\ndecided_by: ${by}\ndecided_at: "${at}"\nneo:\n  id: a-1\n---\nRun it?\n`
const started = task({ status: 'in_progress', neo: '  session: s-1\n  attempt: 1\n' })

test.each<[string, { base: string | null; ours: string | null; theirs: string | null }, string | null]>([
  ['both adopted it', { base: PLAIN, ours: adopted('t-1', 1), theirs: adopted('t-1', 2) }, adopted('t-1', 1)],
  ['both have it new', { base: null, ours: adopted('t-1', 2), theirs: adopted('t-1', 1) }, adopted('t-1', 1)],
  [
    'both gave ids of their own',
    { base: PLAIN, ours: adopted('t-9', 1), theirs: adopted('t-1', 2) },
    adopted('t-9', 1),
  ],
  [
    'one runs what the other cancelled',
    { base: task({}), ours: started, theirs: task({ status: 'cancelled', neo: '  completed_at: "2026"\n' }) },
    task({ status: 'cancelled', neo: '  completed_at: "2026"\n  session: s-1\n  attempt: 1\n' }),
  ],
  [
    'one completed it, the other failed',
    {
      base: task({}),
      ours: task({ status: 'failed', neo: '  session: s-2\n  error: it broke\n' }),
      theirs: task({ status: 'completed', neo: '  session: s-1\n  result: done\n' }),
    },
    task({ status: 'completed', neo: '  session: s-1\n  result: done\n  error: it broke\n' }),
  ],
  [
    'one runs it, the other edits text and a key',
    {
      base: task({}),
      ours: started,
      theirs: task({ header: 'priority: high # soon\n', body: `${PLAIN}And that.\n` }),
    },
    task({
      status: 'in_progress',
      header: 'priority: high # soon\n',
      neo: '  session: s-1\n  attempt: 1\n',
      body: `${PLAIN}And that.\n`,
    }),
  ],
  ['one runs what the other deleted', { base: task({}), ours: started, theirs: null }, 'delete'],
  [
    'one edits what the other deleted',
    { base: task({}), ours: task({ body: 'Other.\n' }), theirs: null },
    null,
  ],
  [
    'both changed the text',
    { base: task({}), ours: task({ body: 'A\n' }), theirs: task({ body: 'B\n' }) },
    null,
  ],
  [
    'both changed a key of people',
    {
      base: task({}),
      ours: task({ header: 'priority: high\n' }),
      theirs: task({ header: 'priority: urgent\n' }),
    },
    null,
  ],
  [
    'both wrote a new file of one name',
    { base: null, ours: task({ body: 'A\n' }), theirs: task({ body: 'B\n' }) },
    null,
  ],
  [
    'one has a status that nobody knows',
    { base: task({}), ours: task({ status: 'odd' }), theirs: started },
    null,
  ],
  [
    'one changed the line ends alone',
    { base: task({}), ours: task({}).replaceAll('\n', '\r\n'), theirs: started },
    started.replaceAll('\n', '\r\n'),
  ],
  [
    'one has the LF that the other took away',
    { base: task({}).replaceAll('\n', '\r\n'), ours: started, theirs: task({}).replaceAll('\n', '\r\n') },
    started,
  ],
  ['one cannot be read', { base: task({}), ours: '---\na: [1\n---\nx\n', theirs: started }, null],
  [
    'both decided a request',
    {
      base: '---\nkind: approval\ndecision: pending\nneo:\n  id: a-1\n---\nRun it?\n',
      ours: ask('denied', '2026-01-02', 'ana'),
      theirs: ask('approved', '2026-01-01', 'ben'),
    },
    ask('approved', '2026-01-01', 'ben'),
  ],
])('mergeSides() where %s, the same from both sides', (_, { base, ours, theirs }, wanted) => {
  const expected =
    wanted === null
      ? { kind: 'conflict' }
      : wanted === 'delete'
        ? { kind: 'delete' }
        : { kind: 'text', text: wanted }
  expect(mergeSides({ base, ours, theirs })).toEqual(expected)
  expect(mergeSides({ base, ours: theirs, theirs: ours })).toEqual(expected)
})
