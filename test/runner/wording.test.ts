import { describe, expect, test } from 'vitest'
import type { CommandResult } from '../../src/domain/session/session.ts'
import {
  checksText,
  durationText,
  failureText,
  errorLine,
  lastLine,
  placeText,
  successText,
} from '../../src/runner/ending.ts'
import type { Command } from '../../src/runner/step-command.ts'

const command: Command = {
  ...{
    key: 'step-0',
    kind: 'step',
    index: 0,
    of: 1,
    name: 'build',
    title: 'Step "build" (line 12)',
    text: 'x',
  },
  ...{ shell: 'sh', timeoutMs: null, continueOnError: 'no' },
}

function result(tail: string, over: Partial<CommandResult> = {}): CommandResult {
  return { command: 'build', exitCode: 0, ended: 'exit', tail, ms: 1, ...over }
}

test.each([
  ['', 'step 1 of 2'],
  ['step 1', 'step 1 of 2'],
  ['step 2', 'step 1 of 2: step 2'],
  ['build', 'step 1 of 2: build'],
])('placeText() of a step called %j says %j', (name, text) => {
  expect(placeText('step', { at: 1, of: 2, name })).toBe(text)
})

describe('failureText()', () => {
  test.each([
    [{ exitCode: 3 }, '', 'Step "build" (line 12) ended with exit code 3'],
    [{ exitCode: 1 }, 'a\nb\n\n', 'Step "build" (line 12) ended with exit code 1: b'],
    [{ exitCode: null, ended: 'timeout' }, '', 'Step "build" (line 12) timed out'],
    [
      { exitCode: null, ended: 'output-limit' },
      'y',
      'Step "build" (line 12) wrote more than 10 MiB of output: y',
    ],
    [{ exitCode: null, ended: 'stopped' }, '', 'Step "build" (line 12) was stopped'],
  ] as const)('words %j', (over, tail, text) => {
    expect(failureText(command, result(tail, over), { output: 10 * 1024 * 1024 })).toBe(text)
  })

  test('cuts a long last line between characters', () => {
    const text = failureText(command, result('\u{1f680}'.repeat(500), { exitCode: 1 }), { output: 1 })
    expect(Array.from(text.split(': ')[1] ?? '').length).toBe(160)
  })
})

describe('successText()', () => {
  test.each([
    [['ok\n'], 0, '1 step passed: ok'],
    [['', 'x'.repeat(81)], 0, '2 steps passed'],
    [['', 'fine'], 2, '2 steps and 2 checks passed: fine'],
    [[], 0, '0 steps passed'],
  ])('words %j with %d checks', (tails, checks, text) => {
    expect(
      successText(
        tails.map((tail) => result(tail)),
        Array(checks).fill(result('')),
      ),
    ).toBe(text)
  })

  test('tells how many passed when some were allowed to fail', () => {
    expect(successText([result(''), result('', { exitCode: 1 })], [])).toBe('1 of 2 steps passed')
  })
})

describe('lastLine()', () => {
  test.each([
    ['\u001b[31mred\u001b[0m\n', 'red'],
    ['10%\r50%\r100%\n', '100%'],
    ['a\tb\u0000c', 'a b c'],
    ['\n \n', ''],
  ])('of %j is %j', (output, line) => {
    expect(lastLine(output)).toBe(line)
  })
})

describe('errorLine()', () => {
  test.each([
    ['a\nb\n', 'b'],
    [
      'npm error code ENOTCACHED\nnpm error request failed\nnpm error\nnpm error A complete log of this run can be found in: /x/y.log\n',
      'npm error request failed',
    ],
    [
      'throw new Error("boom")\n^\n\nError: boom\n    at [eval]:1:21\n    at run (node:vm:209:10) {\n  code: 1\n}\n\nNode.js v20.20.2\n',
      'Error: boom',
    ],
    [
      'Error: boom\n    at f (/a/b.js:1:21)\n    at node:internal/x:51:3\n\nNode.js v20.20.2\n',
      'Error: boom',
    ],
    ['not ok 1 - a\n  ...\n1..2\n# tests 2\n# pass 1\n# fail 1\n# todo 0\n# duration_ms 8.48\n', '# fail 1'],
    ['}\n}\n', '}'],
  ])('of %j is %j', (output, line) => {
    expect(errorLine(output)).toBe(line)
  })
})

describe('checksText()', () => {
  test('gives the only red check as it is', () => {
    expect(checksText([result(''), result('', { exitCode: 1 })], 'Check "x" failed')).toBe('Check "x" failed')
  })
})

describe('durationText()', () => {
  test.each([
    [200, '200ms'],
    [90_000, '90s'],
    [1_800_000, '30m'],
    [7_200_000, '2h'],
  ])('of %d is %s', (ms, text) => {
    expect(durationText(ms)).toBe(text)
  })
})
