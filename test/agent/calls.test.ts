/** When the same failing call ends a session, and when it is work that goes on. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stuckOn } from '../../src/agent/calls.ts'
import type { JsonObject } from '../../src/domain/agent/model-message.ts'

type Ended = Parameters<typeof stuckOn>[1][number]
type Effect = Ended['effect']

let ids = 0
function ended(name: string, input: JsonObject, of: { effect?: Effect; error?: string }): Ended {
  const id = `c${ids++}`
  const { effect, error } = of
  return {
    call: { kind: 'call', id, name, input },
    result: { kind: 'result', call: id, name, text: error ?? 'ok', isError: error !== undefined },
    effect,
  }
}

const fails = (command: string, error = 'exit code 1') =>
  ended('shell', { command }, { effect: 'runs', error })
const works = (command: string) => ended('shell', { command }, { effect: 'runs' })
const writes = () => ended('write_file', { path: 'a' }, { effect: 'changes' })
const reads = () => ended('read_file', { path: 'a' }, { effect: 'reads' })
const denied = (name: string, input: JsonObject) => ended(name, input, { effect: 'changes', error: 'denied' })
const unknown = (name: string) => ended(name, {}, { error: `unknown tool ${name}` })

/** The number of the answer that ended it; 0 if none did. */
function endsAt(answers: readonly (readonly Ended[])[]): number {
  const failing = new Map<string, number>()
  return answers.findIndex((answer) => stuckOn(failing, answer) !== null) + 1
}

test.each<[string, readonly (readonly Ended[])[], number]>([
  ['the same command three times', [[fails('make')], [fails('make')], [fails('make')]], 3],
  [
    'the same command, whatever it prints',
    [[fails('make', 'a')], [fails('make', 'b')], [fails('make', 'c')]],
    3,
  ],
  [
    'white space and comments are no difference',
    [[fails('make  x')], [fails('make x # again')], [fails(' make x')]],
    3,
  ],
  ['other commands', [[fails('make a')], [fails('make b')], [fails('make c')]], 0],
  [
    'three times in one answer counts once',
    [[fails('make'), fails('make'), fails('make')], [fails('make')]],
    0,
  ],
  [
    'a change in between is work',
    [[fails('make')], [fails('make')], [writes()], [fails('make')], [fails('make')]],
    0,
  ],
  [
    'another command that works is work',
    [[fails('make')], [fails('make')], [works('ls')], [fails('make')]],
    0,
  ],
  [
    'reading in between is no work',
    [[fails('make')], [reads()], [fails('make')], [reads()], [fails('make')]],
    5,
  ],
  [
    'a change in the same answer is work',
    [[fails('make')], [fails('make')], [writes(), fails('make')], [fails('make')]],
    0,
  ],
  [
    'the same reason, whatever the arguments',
    [
      [denied('write_file', { path: 'a' })],
      [denied('write_file', { path: 'b' })],
      [denied('write_file', { path: 'c' })],
    ],
    3,
  ],
  [
    'the order of arguments is no difference',
    [[denied('x', { a: 1, b: [2] })], [denied('x', { b: [2], a: 1 })], [denied('x', { a: 1, b: [2] })]],
    3,
  ],
  ['unknown tools of any name', [[unknown('a')], [unknown('b')], [unknown('c')]], 3],
  [
    'a command that works once begins anew',
    [[fails('make')], [fails('make')], [works('make')], [fails('make')], [fails('make')]],
    0,
  ],
])('%s', (_, answers, at) => {
  expect(endsAt(answers)).toBe(at)
})

test('the message names the tool, how often, and what it said', () => {
  const failing = new Map<string, number>()
  const said = [0, 1, 2].map(() => stuckOn(failing, [fails('make', 'no rule to make target')]))
  expect(said).toEqual([null, null, 'the same call of shell failed 3 times: no rule to make target'])
})

test('a session whose calls all succeed never ends by this', () => {
  const one = fc.constantFrom(works, writes, reads)
  fc.assert(
    fc.property(fc.array(fc.array(one, { minLength: 1, maxLength: 3 }), { maxLength: 20 }), (answers) => {
      expect(endsAt(answers.map((answer) => answer.map((make) => make('make'))))).toBe(0)
    }),
  )
})

test('the same failing call alone ends it at the third answer, whatever its arguments hold', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (input) => {
      const again = () => [ended('x', input as JsonObject, { effect: 'runs', error: 'no' })]
      expect(endsAt([again(), again(), again()])).toBe(3)
    }),
  )
})
