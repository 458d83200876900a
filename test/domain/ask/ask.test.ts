/** A request in a line, and its state. */
import { expect, test } from 'vitest'
import { standOf } from '../../../src/domain/ask/approve.ts'
import { type Ask, askSays } from '../../../src/domain/ask/ask.ts'

const says = (reason: string, args: Readonly<Record<string, unknown>>) =>
  askSays({ reason, action: { tool: 'shell', arguments: args, files: [], sha256: 'x' } })

test.each<[string, Readonly<Record<string, unknown>>, string]>([
  ['needs the network', {}, 'needs the network'],
  ['needs the network', { command: 'npm i' }, 'needs the network: npm i'],
  ['runs npm i', { command: 'npm i' }, 'runs npm i'],
  ['', { command: 'npm i' }, 'npm i'],
  ['reads it', { url: 'https://x.example/a' }, 'reads it: https://x.example/a'],
  ['both', { command: 'a', url: 'b' }, 'both: a'],
  ['lines', { command: ' a\n  b\t c ' }, 'lines: a b c'],
  ['blank', { command: ' \n ' }, 'blank'],
  ['no text', { command: 7, url: null }, 'no text'],
  ['the second', { command: ['x'], url: 'u' }, 'the second: u'],
])('askSays() of %j with %j is %j', (reason, args, line) => expect(says(reason, args)).toBe(line))

test('askSays() shows the beginning of a long command, and no half of a character', () => {
  expect(says('', { command: 'x'.repeat(100) })).toBe('x'.repeat(100))
  expect(says('', { command: 'x'.repeat(101) })).toBe(`${'x'.repeat(99)}…`)
  expect(says('', { command: `${'x'.repeat(98)}😀y` })).toBe(`${'x'.repeat(98)}…`)
})

test.each<[Ask['decision'], string | undefined, string]>([
  ['pending', undefined, 'pending'],
  ['pending', 'yes', 'answered'],
  ['pending', '', 'answered'],
  ['approved', undefined, 'approved'],
  ['approved', 'yes', 'approved'],
  ['denied', 'no', 'denied'],
])('standOf() a request that is %s with the answer %j is %s', (decision, answer, stand) => {
  const ask = { decision, ...(answer === undefined ? {} : { answer }) }
  expect(standOf(ask as Ask)).toBe(stand)
})
