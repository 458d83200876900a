/** The state machine of tasks. This table is the specification: rows are where Neo finds a task, columns where it goes. */
import { expect, test } from 'vitest'
import { mayMove, TASK_STATUSES } from '../../../src/domain/task/task.ts'

/** `=` stays, `x` Neo may, `.` only a person may. */
const TABLE = `
to            draft pending in_progress blocked review completed failed cancelled
draft         =     .       .           .       .      .         .      .
pending       x     =       x           x       .      .         x      .
in_progress   x     x       =           x       x      x         x      .
blocked       x     x       .           =       .      .         x      .
review        x     x       .           .       =      x         x      .
completed     x     .       .           .       .      =         .      .
failed        x     .       .           .       .      .         =      .
cancelled     x     .       .           .       .      .         .      =`

const [head, ...rows] = TABLE.trim()
  .split('\n')
  .map((line) => line.split(/\s+/))

test('the table names every status once, in order', () => {
  expect(head?.slice(1)).toEqual([...TASK_STATUSES])
  expect(rows.map(([from]) => from)).toEqual([...TASK_STATUSES])
})

const CELLS = rows.flatMap(([from, ...marks]) =>
  marks.map((mark, index) => [from, TASK_STATUSES[index], mark !== '.'] as const),
)

test.each(CELLS)('mayMove() for %s → %s is %s', (from, to, allowed) => {
  expect(mayMove(from as (typeof TASK_STATUSES)[number], to as (typeof TASK_STATUSES)[number])).toBe(allowed)
})
