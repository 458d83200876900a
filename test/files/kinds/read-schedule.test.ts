/** When a schedule runs, what its tasks get of it, and what is wrong with one. */
import { expect, test } from 'vitest'
import { readSchedule, type ReadCron } from '../../../src/files/kinds/read-schedule.ts'

const FILE = 'rooms/a/schedules/s.md'
const read = (header: string, body = 'Do it.') => readSchedule(FILE, `---\n${header}\n---\n${body}\n`)

function problemsOf(header: string, body?: string) {
  const result = read(header, body)
  return result.kind === 'ok' ? result.warnings : result.kind === 'bad' ? result.problems : []
}

test.each([
  ['2026-03-05T09:00', '2026-03-05T09:00:00Z', false],
  ['2026-03-05 09:00:30', '2026-03-05T09:00:30Z', false],
  ['2026-03-05', '2026-03-05T00:00:00Z', false],
  ['2026-03-05T09:00Z', '2026-03-05T09:00:00Z', true],
  ['2026-03-05T09:00:00z', '2026-03-05T09:00:00Z', true],
  ['2026-03-05T09:00+02:00', '2026-03-05T07:00:00Z', true],
  ['2026-03-05T09:00-0330', '2026-03-05T12:30:00Z', true],
  ['2026-03-05 09:00 +09:00', '2026-03-05T00:00:00Z', true],
  ['2026-03-05 09:00:00 Z', '2026-03-05T09:00:00Z', true],
])('at: %s is %s, the same in every zone: %s', (at, utc, isFixed) => {
  expect(read(`at: ${at}`)).toMatchObject({
    value: { when: { kind: 'at', at, wall: Date.parse(utc), isFixed } },
  })
})

const task = (more: string) => read(`every: 1h\n${more}`)

test('a schedule has defaults for all but its time', () => {
  expect(read('every: 1h')).toEqual({
    kind: 'ok',
    warnings: [],
    value: {
      catchUp: 'latest',
      overlap: 'skip',
      kind: 'task',
      status: 'active',
      params: {},
      when: { kind: 'every', everyMs: 3_600_000 },
      settings: {},
      neo: {},
      body: 'Do it.\n',
    },
  })
})

test('keys of tasks are settings of its tasks, as they are written; its own are not', () => {
  const header =
    'title: Report\npriority: high\nworker: exec:claude\nlabels: 0012\nretry: { max: 2 }\nbudget: 1.50\ntimeout: 1h\npersona:'
  expect(task(header)).toMatchObject({
    kind: 'ok',
    value: {
      title: 'Report',
      settings: {
        priority: 'high',
        worker: 'exec:claude',
        labels: ['0012'],
        retry: { max: 2 },
        budget: 1.5,
        timeout: '1h',
      },
    },
  })
  expect(task(header)).not.toHaveProperty('value.settings.title')
  expect(task(header)).not.toHaveProperty('value.settings.verify')
})

test('reads its own keys', () => {
  const header =
    'cron: "@daily"\ntimezone: Asia/Tokyo\ncatch_up: all\noverlap: queue\nkind: message\nparams: { a: 1 }\nstatus: paused\nneo: { id: c-1, created_by: member:kim }'
  expect(read(header)).toMatchObject({
    kind: 'ok',
    warnings: [],
    value: {
      when: { kind: 'cron', cron: '@daily', fields: null },
      timezone: 'Asia/Tokyo',
      catchUp: 'all',
      overlap: 'queue',
      kind: 'message',
      params: { a: '1' },
      status: 'paused',
      neo: { id: 'c-1', createdBy: 'member:kim' },
    },
  })
})

test.each([
  ['every: 9s', '', 'error', 2, 'every: 9s is too short', 'Use 10s or more'],
  ['every: 5m\nat: 2026-03-01', '', 'error', 3, 'more than one of cron, every and at', 'Keep one of them'],
  ['status: active', '', 'error', 2, 'cron, every or at is missing', 'Add one of them, such as every: 30m'],
  [
    'every: 1h\ndepends_on: [a]',
    '',
    'error',
    3,
    'unknown key "depends_on"',
    "Set depends_on in tasks; schedules don't have this key. If the key is your own, start it with x-",
  ],
  [
    'every: 1h\ndue: 2026-03-01',
    '',
    'warning',
    3,
    'unknown key "due"',
    'Remove it, or keep it: Neo ignores it',
  ],
  [
    'every: 1h\nparams: { A: 1 }',
    '',
    'error',
    3,
    'invalid parameter name "A"',
    'Use a-z, 0-9 and _, such as a',
  ],
  [
    'every: 1h\ntemplate: x\nkind: message',
    '',
    'error',
    3,
    'template has no effect with kind: message',
    'Write the message below the header and remove template, or use kind: task',
  ],
  [
    'every: 1h\ntemplate: x',
    'Text.',
    'warning',
    3,
    'the text below the header is not used because template is set',
    'Move the text to the template, or remove template',
  ],
])('%j with the body %j: %s in line %i', (header, body, severity, line, message, hint) => {
  expect(problemsOf(header, body)).toMatchObject([{ file: FILE, severity, line, message, hint }])
})

test('a time that is invalid is not also called missing', () => {
  expect(problemsOf('every: soon')).toMatchObject([{ message: 'every: invalid value "soon"' }])
})

test.each(['0 9 * * 1-5', '*/5 * * * *', '0 0 9 * * 1', '@hourly', '0 9 1,15 * MON#2', '0 9 L * ?'])(
  'cron: %j has the form of an expression',
  (cron) => {
    expect(read(`cron: "${cron}"`)).toMatchObject({ value: { when: { kind: 'cron', cron, fields: null } } })
  },
)

test.each(['daily', '@', '* * * *', '* * * * * * *', '0 9 * * $', ''])('cron: %j has not', (cron) => {
  expect(read(`cron: "${cron}"`)).toMatchObject({
    kind: 'bad',
    problems: [{ line: 2, column: 7, message: `cron: invalid value "${cron}"` }],
  })
})

test('what the reader of expressions says against one is a problem at its place', () => {
  const cron: ReadCron = (text) => ({ wrong: `cron: no ${text}`, hint: 'Use five fields' })
  expect(readSchedule(FILE, '---\ncron: "0 9 * * 8"\n---\nx', cron)).toMatchObject({
    kind: 'bad',
    problems: [{ code: 'cron', line: 2, column: 7, message: 'cron: no 0 9 * * 8', hint: 'Use five fields' }],
  })
})
