/** What a failure prints, and the exit code that it ends with. */
import { existsSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { brokenFile, explain, usage, wholeFile } from '../../src/cli/cli-failure.ts'
import { EXIT_CODES, NeoError, type NeoErrorCode } from '../../src/domain/home/error.ts'

function explained(error: unknown) {
  const lines: string[] = []
  const code = explain(error, {
    error: (label, text) => lines.push(`${label}: ${text}`),
    progress: (text) => lines.push(...(text === null ? [] : [text])),
  })
  return { code, lines }
}

test.each(Object.entries(EXIT_CODES))('a failure of the kind %s ends with %i', (kind, code) => {
  const error = new NeoError(kind as NeoErrorCode, 'Cannot do it')
  expect(explained(error)).toEqual({ code, lines: ['neo: Cannot do it'] })
})

test('why and next are lines of their own, and the cause is not printed', () => {
  const error = new NeoError('missing', 'Cannot find it', {
    why: 'it is gone',
    next: 'neo x',
    cause: new Error('c'),
  })
  expect(explained(error)).toEqual({
    code: 4,
    lines: ['neo: Cannot find it', 'why: it is gone', 'next: neo x'],
  })
})

test('a why that the message already says is not repeated', () => {
  const error = new NeoError('disk', 'Cannot write "a": ENOSPC: no space', {
    why: 'ENOSPC: no space',
    next: 'n',
  })
  expect(explained(error).lines).toEqual(['neo: Cannot write "a": ENOSPC: no space', 'next: n'])
})

test('what is no failure of Neo is named as a bug, with its place', () => {
  const { code, lines } = explained(new TypeError('x is not a function'))
  expect(code).toBe(1)
  expect(lines[0]).toBe('neo: Unexpected error: x is not a function')
  expect(lines[1]).toMatch(/^why: this is a bug in Neo \(at .*cli-failure\.test/)
  expect(lines[2]).toMatch(/^next: run neo doctor/)
})

test.each([['a text'], [null], [{ a: 1 }]])('%j can be thrown as well', (thrown) => {
  expect(explained(thrown).lines[0]).toBe(`neo: Unexpected error: ${thrown}`)
})

test.each(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM', 'EIO'])(
  'a disk that fails with %s is no bug of Neo',
  (code) => {
    const error = Object.assign(new Error(`${code}: no, write`), { code })
    const ended = explained(error)
    expect(ended.code).toBe(1)
    expect(ended.lines[0]).toBe(`neo: Cannot read or write a file: ${code}: no, write`)
    expect(ended.lines.join()).not.toContain('bug')
  },
)

test.skipIf(!existsSync('/dev/full'))('a real error of a full disk has the shape that is looked for', () => {
  try {
    writeFileSync('/dev/full', 'x')
  } catch (error) {
    expect(explained(error).lines[0]).toMatch(/^neo: Cannot read or write a file: ENOSPC/)
  }
  expect.assertions(1)
})

test('usage() ends with 2 and says what to type', () => {
  expect(explained(usage('Cannot do it', 'neo x --help'))).toEqual({
    code: 2,
    lines: ['neo: Cannot do it', 'next: neo x --help'],
  })
})

test.each([
  [[], 'Cannot use it: the file cannot be read', undefined],
  [[wholeFile('a.md', 'It is a folder')], 'Cannot use it: a.md: It is a folder', 'neo config check'],
  [[wholeFile('a.md', 'No', 'Do this'), wholeFile('b.md', 'No')], 'Cannot use it: a.md: No', 'Do this'],
  [[{ ...wholeFile('a.md', 'No', 'x'), line: 3, column: 5 }], 'Cannot use it: a.md:3:5: No', 'x'],
])('brokenFile(%j) names the first problem', (problems, message, next) => {
  const error = brokenFile('Cannot use it', problems)
  expect([error.code, error.message, error.more.next]).toEqual(['failed', message, next])
})
