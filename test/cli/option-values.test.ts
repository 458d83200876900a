/** What options and arguments mean, whatever a person types or a pipe holds. */
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import {
  answersYes,
  countOption,
  durationOption,
  paramsOf,
  stdinText,
  textOrStdin,
} from '../../src/cli/option-values.ts'
import type { Call, Option } from '../../src/cli/spec.ts'
import { shownStream } from './streams.ts'

/** A call with these values of options, and this on stdin. */
function callWith(
  values: Readonly<Record<string, string | string[] | true>>,
  options: readonly Option[] = [],
) {
  return {
    options,
    text: (name: string) => (typeof values[name] === 'string' ? values[name] : null),
    all: (name: string) => (Array.isArray(values[name]) ? values[name] : []),
    isSet: (name: string) => values[name] !== undefined,
  } as unknown as Call
}

function callOn(pieces: readonly (Buffer | string)[], more: object = {}): Call {
  return { around: { stdin: Object.assign(Readable.from(pieces), more) } } as unknown as Call
}

test.each([
  ['1', 1],
  ['999999999', 999_999_999],
  ['0', null],
  ['-1', null],
  ['1.5', null],
  ['1e3', null],
  ['01', null],
  ['', null],
  [' 1', null],
  ['9999999999', null],
])('countOption() takes %j as %j', (text, wanted) => {
  const count = () => countOption(callWith({ limit: text }), 'limit')
  if (wanted !== null) expect(count()).toBe(wanted)
  else expect(count).toThrow(/^Invalid value ".*" for --limit: use a whole number from 1 on$/)
})

test.each([
  ['30s', 30_000],
  ['10m', 600_000],
  ['0s', null],
  ['10', null],
  ['soon', null],
])('durationOption() takes %j as %j', (text, wanted) => {
  const ms = () => durationOption(callWith({ timeout: text }), 'timeout')
  if (wanted !== null) expect(ms()).toBe(wanted)
  else expect(ms).toThrow(/^Invalid value ".*" for --timeout: use a duration/)
})

test('an option that is absent has no count and no duration', () => {
  expect([countOption(callWith({}), 'limit'), durationOption(callWith({}), 'timeout')]).toEqual([null, null])
})

test('paramsOf() takes what is given and has a parameter, by the kind of the option', () => {
  const options: readonly Option[] = [
    { flags: '--room <room>', about: '', param: 'roomId' },
    { flags: '-n, --limit <count>', about: '', param: 'limit' },
    { flags: '--depends-on <task>', about: '', param: 'dependsOn', many: true },
    { flags: '--title <title>', about: '', param: 'title' },
    { flags: '--absent <absent>', about: '', param: 'absent' },
    { flags: '--own', about: '' },
  ]
  const given = {
    room: 'rooms/shop',
    limit: '5',
    dependsOn: ['a', 'b'],
    title: 'rooms/x',
    own: true,
  } as const
  expect(paramsOf(callWith({ ...given, dependsOn: ['a', 'b'] }, options))).toEqual({
    roomId: 'shop',
    limit: 5,
    dependsOn: ['a', 'b'],
    title: 'rooms/x',
  })
})

test.each([
  ['pieces of one character', [Buffer.from([0xe9, 0xa1]), Buffer.from([0x8c, 0x0a])], '題\n'],
  ['the replacement character itself', [Buffer.from('a \uFFFD b')], 'a \uFFFD b'],
  ['texts', ['a', 'b'], 'ab'],
  ['nothing', [], ''],
])('stdinText() reads %s', async (_, pieces, wanted) => {
  expect(await stdinText(callOn(pieces))).toBe(wanted)
})

test.each([
  ['half a character', [Buffer.from([0xe9, 0xa1])], 'it is not UTF-8'],
  ['latin1', [Buffer.from('caf\xe9', 'latin1')], 'it is not UTF-8'],
  ['a NUL', [Buffer.from('a\0b')], 'it is not UTF-8'],
  ['more than fits', [Buffer.alloc(1024 * 1024), Buffer.from('a')], 'it is larger than 1048576 bytes'],
])('stdinText() refuses %s', async (_, pieces, why) => {
  await expect(stdinText(callOn(pieces))).rejects.toMatchObject({
    code: 'failed',
    message: `Cannot read the text from stdin: ${why}`,
  })
})

test('textOrStdin() takes an argument as it is, and reads stdin for a dash', async () => {
  expect(await textOrStdin(callOn(['piped']), 'typed')).toBe('typed')
  expect(await textOrStdin(callOn(['piped']), '-')).toBe('piped')
})

test('textOrStdin() does not wait for a person at a terminal', async () => {
  await expect(textOrStdin(callOn([], { isTTY: true }), '-')).rejects.toMatchObject({ code: 'usage' })
})

test.each([
  ['y\n', true],
  ['YES\n', true],
  [' yes \n', true],
  ['\n', false],
  ['yesterday\n', false],
  ['n\n', false],
  ['', false],
  ['y', true],
])('answersYes() takes %j as %j', async (typed, wanted) => {
  const { stdin } = callOn([typed]).around
  const shown = shownStream()
  expect(await answersYes(stdin, shown.stream, 'Continue? ')).toBe(wanted)
  expect(shown.text()).toBe('Continue? ')
})
