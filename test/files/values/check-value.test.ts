/** Data held against a shape: what comes out, what is said, and that nothing is taken for what it is not. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CheckContext, check, nameOf } from '../../../src/files/values/check-value.ts'
import {
  anything,
  choice,
  decimal,
  either,
  flag,
  integer,
  keys,
  list,
  map,
  matching,
  onlyKeys,
  type Shape,
  text,
  textList,
} from '../../../src/files/values/shape.ts'

function checked(shape: Shape<unknown>, value: unknown, file = 'neo.yaml') {
  const on: CheckContext = { file, text: '', source: '', from: 0, problems: [] }
  const found = check(on, keys({ a: shape }), { a: value })?.a
  return { found, said: on.problems.map(({ severity, message, hint }) => `${severity}: ${message}. ${hint}`) }
}

test.each<[string, Shape<unknown>, unknown, unknown]>([
  ['text', text(), 'x', 'x'],
  ['a number as text', text(), 12, '12'],
  ['true as text', text(), true, 'true'],
  ['empty text', text(), '', ''],
  ['a choice', choice('on', 'off'), 'on', 'on'],
  ['a whole number', integer(1, 3), 3, 3],
  ['a decimal', decimal(0, 1), 0.5, 0.5],
  ['a flag', flag(), false, false],
  ['a list', list(integer()), [1, 2], [1, 2]],
  ['a list with empty items', list(text()), ['a', null, 'b'], ['a', 'b']],
  ['an empty list', list(text()), [], []],
  ['one text for a list', textList(), 'a', ['a']],
  ['one number for a list of texts', textList(), 7, ['7']],
  ['a map', map(integer()), { x: 1, y: null }, { x: 1 }],
  ['keys', keys({ x: integer() }), { x: 1 }, { x: 1 }],
  ['empty keys', keys({ x: integer() }), { x: null }, {}],
  ['the first of two', either(integer(), text()), 1, 1],
  ['the second of two', either(integer(), text()), 'x', 'x'],
  ['anything', anything(), { x: [1] }, { x: [1] }],
])('check() reads %s', (_, shape, value, found) => {
  expect(checked(shape, value)).toEqual({ found, said: [] })
})

test.each<[Shape<unknown>, unknown, string]>([
  [text(), ['x'], 'error: a: unexpected list. Use text'],
  [text(), { x: 1 }, 'error: a: unexpected keys and values. Use text'],
  [matching('a word', /^\w+$/), 'a b', 'error: a: invalid value "a b". Use a word'],
  [matching('a word', /^\w+$/), '\n', 'error: a: invalid value "\\n". Use a word'],
  [choice('allow', 'ask', 'deny'), 'denny', 'error: a: invalid value "denny". Did you mean "deny"?'],
  [choice('allow', 'ask', 'deny'), 'x', 'error: a: invalid value "x". Use one of allow, ask, deny'],
  [choice('on', 'off'), true, 'error: a: invalid value true. Did you mean "on"?'],
  [integer(1, 3), 4, 'error: a: invalid value 4. Use a whole number from 1 to 3'],
  [integer(1, 3), 1.5, 'error: a: invalid value 1.5. Use a whole number from 1 to 3'],
  [integer(), 2 ** 60, 'error: a: invalid value 1152921504606847000. Use a whole number of at least 0'],
  [integer(), '1', 'error: a: invalid value "1". Use a whole number of at least 0'],
  [decimal(0, 2), Number.NaN, 'error: a: invalid value NaN. Use a number from 0 to 2'],
  [decimal(), Number.POSITIVE_INFINITY, 'error: a: invalid value Infinity. Use a number of at least 0'],
  [flag(), 'yes', 'error: a: invalid value "yes". Use true or false'],
  [list(text()), 'x', 'error: a: invalid value "x". Use a list such as [a, b]'],
  [textList(), { x: 1 }, 'error: a: unexpected keys and values. Use a list such as [a, b]'],
  [map(text()), 'x', 'error: a: invalid value "x". Use keys and values such as { name: value }'],
  [keys({ x: text(), y: text() }), [1], 'error: a: unexpected list. Use the keys x, y'],
  [
    either(choice('self', 'off'), keys({ x: text() })),
    [1],
    'error: a: unexpected list. Use one of self, off, or the keys x',
  ],
  [list(integer()), [1, 'x'], 'error: a[1]: invalid value "x". Use a whole number of at least 0'],
  [map(map(flag())), { x: { y: 1 } }, 'error: a.x.y: invalid value 1. Use true or false'],
  [text(), ''.padEnd(3), ''],
  [matching('b', /^b$/), 'x'.repeat(99), `error: a: invalid value "${'x'.repeat(58)}…. Use b`],
])('check() says of %j and %j what is wrong', (shape, value, said) => {
  expect(checked(shape, value).said).toEqual(said === '' ? [] : [said])
})

test('a wrong item of a list is left out, and the others stay', () => {
  expect(checked(list(integer(0, 9)), [1, 10, 2, 'x']).found).toEqual([1, 2])
  expect(checked(map(integer(0, 9)), { a: 1, b: 10 }).found).toEqual({ a: 1 })
})

test.each<[Shape<unknown>, object, readonly string[]]>([
  [keys({ title: text() }), { titel: 'x' }, ['warning: unknown key "a.titel". Did you mean "title"?']],
  [keys({ title: text() }), { zzz: 'x' }, ['warning: unknown key "a.zzz". Known keys are title']],
  [
    keys({ title: text() }, { unused: ['old'] }),
    { old: 1 },
    ['warning: "a.old" has no effect in this version. Remove it, or keep it for a later version'],
  ],
  [
    onlyKeys({ title: text() }),
    { zzz: 'x' },
    ['error: unknown key "a.zzz". Correct or remove it; known keys are title'],
  ],
  [
    onlyKeys({ title: text() }),
    { titel: 'x' },
    ['error: unknown key "a.titel". Did you mean "title"? If the key is your own, start it with x-'],
  ],
  [onlyKeys({ title: text() }, ['tags']), { tags: 'x' }, []],
  [onlyKeys({ title: text() }), { 'x-title': 'x' }, []],
  [
    keys(Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`key_${at}_x`, text()]))),
    { zzz: 1 },
    ['warning: unknown key "a.zzz". Remove it, or keep it: Neo ignores it'],
  ],
])('check() says of unknown keys of %# what they may be', (shape, value, said) => {
  expect(checked(shape, value).said).toEqual(said)
})

test('keys of other programs need no word at the top of a markdown file, and only there', () => {
  const at = (file: string, shape: Shape<unknown>, value: object) => {
    const on: CheckContext = { file, text: '', source: '', from: 0, problems: [] }
    check(on, shape, value)
    return on.problems.map(({ message }) => message)
  }
  const shape = keys({ title: text(), below: keys({ x: text() }) })
  expect(at('a.md', shape, { Tags: 1, 'kanban-plugin': 1 })).toEqual([])
  expect(at('neo.yaml', shape, { tags: 1 })).toEqual(['unknown key "tags"'])
  expect(at('a.md', shape, { below: { tags: 1 } })).toEqual(['unknown key "below.tags"'])
  expect(at('a.md', onlyKeys({ title: text() }), { tags: 1 })).toEqual(['unknown key "tags"'])
})

test('a key of a prototype is unknown, and changes nothing', () => {
  const value = JSON.parse('{"__proto__": {"x": 1}, "constructor": 1, "toString": 2}') as object
  const { found, said } = checked(keys({ x: integer() }), value)
  expect(found).toEqual({})
  expect(said).toHaveLength(3)
})

test('check() changes no value that it is given, and reads it twice alike', () => {
  const shape = keys({ x: either(integer(), textList()), y: map(anything()), z: list(keys({ q: flag() })) })
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('x', 'y', 'z', 'w'), fc.jsonValue()), (value) => {
      const before = structuredClone(value)
      const first = checked(shape, value)
      expect(checked(shape, value)).toEqual(first)
      expect(value).toEqual(before)
    }),
  )
})

test.each([
  [[], ''],
  [['a'], 'a'],
  [['a', 'b', 0, 'c'], 'a.b[0].c'],
  [[0, 1], '[0][1]'],
])('nameOf(%j) is %j', (path, name) => {
  expect(nameOf(path)).toBe(name)
})
