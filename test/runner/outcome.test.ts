/** What a session's end becomes: one line for people, without secrets, with what was left undone. */
import { describe, expect, test } from 'vitest'
import type { CommandResult } from '../../src/domain/session/session.ts'
import {
  type Ending,
  type Gathered,
  NOTHING_GATHERED,
  outcomeOf,
  unknownEnding,
} from '../../src/runner/ending.ts'
import { stepCommands } from '../../src/runner/step-command.ts'
import { record } from '../builders.ts'

const AT = '2026-03-02T10:00:00Z'
const step = (tail: string, exitCode = 0): CommandResult => ({
  ...{ command: 'build', exitCode, ended: 'exit', tail, ms: 1 },
})
const committed = { kind: 'ok', commit: 'c1', changed: true } as const
const of = (ending: Ending, over: Partial<Gathered> = {}) =>
  outcomeOf(ending, { ...NOTHING_GATHERED, from: 'c0', ...over }, AT)

describe('outcomeOf() of work that passed', () => {
  const passed = (over: Partial<Gathered>) => of({ kind: 'passed' }, over)

  test.each<[string, Partial<Gathered>, object]>([
    ['nothing was committed', { committed: null }, { commit: '', changed: 'no' }],
    ['the commit changes something', { committed }, { commit: 'c1', from: 'c0', changed: 'yes' }],
    [
      'the branch is as it was',
      { committed: { ...committed, changed: false } },
      { commit: 'c1', changed: 'no' },
    ],
    ['steps ran', { steps: [step('deployed')] }, { result: '1 step passed: deployed' }],
    [
      'warnings were gathered',
      { steps: [step('')], warnings: ['not run: js', 'Setup "x" changed .git/config'] },
      { result: '1 step passed; not run: js; Setup "x" changed .git/config' },
    ],
    [
      'the checks could not run',
      { said: { result: 'Done.', report: '' }, unchecked: 'there is no sandbox' },
      { result: 'Done.; there is no sandbox', unchecked: 'there is no sandbox' },
    ],
    [
      'an agent reports',
      { said: { result: 'Done.\n  Well.', report: 'Long\ntext' } },
      { result: 'Done. Well.', report: 'Long\ntext' },
    ],
  ])('where %s', (_what, over, outcome) => {
    expect(passed(over)).toMatchObject({ kind: 'done', endedAt: AT, ...outcome })
  })

  test('has no empty report and no word of checks that ran', () => {
    const outcome = passed({ said: { result: 'Done.', report: '' } })
    expect([Object.hasOwn(outcome, 'report'), Object.hasOwn(outcome, 'unchecked')]).toEqual([false, false])
  })
})

test.each<[Ending, object]>([
  [
    { kind: 'failed', why: 'step', error: 'Step "a" ended\nwith exit code 1', tail: 'last\nlines' },
    {
      kind: 'failed',
      why: 'step',
      error: 'Step "a" ended with exit code 1; left',
      tail: 'last\nlines',
      commit: 'c1',
    },
  ],
  [
    { kind: 'parked', by: 'budget', error: 'spent', retryAt: AT },
    { kind: 'parked', by: 'budget', error: 'spent; left', retryAt: AT, commit: 'c1' },
  ],
  [
    { kind: 'unknown', step: 'a', error: 'interrupted' },
    { kind: 'unknown', step: 'a', error: 'interrupted' },
  ],
  [
    { kind: 'stopped', why: 'by  hand' },
    { kind: 'stopped', why: 'by hand', endedAt: AT },
  ],
])('outcomeOf() of %j', (ending, outcome) => {
  expect(of(ending, { committed, warnings: ['left'] })).toMatchObject(outcome)
})

test('outcomeOf() leaves out an empty tail and a time that nobody knows', () => {
  const failed = of({ kind: 'failed', why: 'place', error: 'x', tail: '' })
  const parked = of({ kind: 'parked', by: 'model', error: 'x' })
  expect([Object.hasOwn(failed, 'tail'), Object.hasOwn(parked, 'retryAt')]).toEqual([false, false])
})

test.each<[string, Ending, Partial<Gathered>]>([
  [
    'an error',
    { kind: 'failed', why: 'step', error: `key ${'sk-ant-'}api03-${'a'.repeat(90)}`, tail: '' },
    {},
  ],
  ['a result', { kind: 'passed' }, { said: { result: `key sk-ant-api03-${'a'.repeat(90)}`, report: '' } }],
  ['a report', { kind: 'passed' }, { said: { result: 'x', report: `key sk-ant-api03-${'a'.repeat(90)}` } }],
])('outcomeOf() has no secret of %s', (_what, ending, over) => {
  expect(JSON.stringify(of(ending, over))).not.toContain('aaaaaaaa')
})

test('unknownEnding() names the step that nobody saw the end of', () => {
  const steps = [{ name: 'deploy', line: 3, script: 'x', shell: 'sh', continueOnError: 'no' }] as const
  const [command] = stepCommands(record('s-a', 'a', { steps }))
  expect(command === undefined ? null : unknownEnding(command)).toEqual({
    kind: 'unknown',
    step: 'deploy',
    error: 'Step "deploy" (line 3) was interrupted: it started, and it is unknown how it ended',
  })
})
