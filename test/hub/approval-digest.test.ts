/** What a person approves is bound to: the digest of a request, who asked, and tokens of agents. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openFiles } from '../../src/adapters/disk/disk-files.ts'
import type { Ask } from '../../src/domain/ask/ask.ts'
import { openAgentTokens } from '../../src/hub/rights/agent-tokens.ts'
import { callerOf, digestOf, type Shown } from '../../src/hub/rights/approval-rules.ts'
import { makeFolder } from './folder.ts'

const SHOWN: Shown = {
  id: 'a-aaaaaa',
  room: 'shop',
  principal: { kind: 'neo', room: 'shop' },
  method: 'task.delete',
  params: { taskId: 't-aaaaaa', more: { a: 1, b: [1, 2] } },
  files: ['rooms/shop/tasks/a.md'],
  reason: 'neo:shop wants task.delete',
}

test.each<[string, Partial<Shown>]>([
  ['id', { id: 'a-bbbbbb' }],
  ['room', { room: 'yard' }],
  ['caller', { principal: { kind: 'neo', room: 'yard' } }],
  ['kind of caller', { principal: { kind: 'session', id: 'shop', room: 'shop' } }],
  ['method', { method: 'task.cancel' }],
  ['value of a parameter', { params: { taskId: 't-bbbbbb', more: { a: 1, b: [1, 2] } } }],
  ['order of a list', { params: { taskId: 't-aaaaaa', more: { a: 1, b: [2, 1] } } }],
  ['files', { files: [] }],
  ['reason', { reason: 'x' }],
])('another %s is another request', (_, change) => {
  expect(digestOf({ ...SHOWN, ...change })).not.toBe(digestOf(SHOWN))
})

test('the order of keys, which a file does not keep, does not count, nor does a key without a value', () => {
  const params = fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue(), { maxKeys: 5 })
  fc.assert(
    fc.property(params, (given) => {
      const turned = Object.fromEntries(Object.entries(given).toReversed())
      const digest = digestOf({ ...SHOWN, params: given })
      expect(digestOf({ ...SHOWN, params: turned })).toBe(digest)
      expect(digestOf({ ...SHOWN, params: { ...given, none: undefined } })).toBe(digest)
    }),
  )
})

test.each<[string | undefined, unknown]>([
  ['neo:shop', { kind: 'neo', room: 'shop' }],
  ['session:s-aaaaaa', { kind: 'session', id: 's-aaaaaa', room: 'yard' }],
  ['member:kim', { kind: 'member', id: 'kim' }],
  ['editor', { kind: 'editor' }],
  ['human', null],
  ['human:', null],
  ['neo:', null],
  ['neo', null],
  ['peer:cat', null],
  ['', null],
  [undefined, null],
])('the request of "%s" is carried out for %j', (createdBy, wanted) => {
  expect(callerOf((createdBy === undefined ? {} : { createdBy }) as Ask, 'yard')).toEqual(wanted)
})

test('an agent has one token, kept as its hash; a new one replaces it', () => {
  const dir = makeFolder()
  const tokens = openAgentTokens(openFiles(), dir)
  const [first, other, second] = [tokens.make('cat'), tokens.make('dog'), tokens.make('cat')]
  expect([first, other, second].map((token) => tokens.of(token))).toEqual([null, 'dog', 'cat'])
  expect(JSON.stringify(openFiles().readJson(join(dir, 'agent', 'tokens.json')))).not.toContain(second)
  tokens.revoke('cat')
  tokens.revoke('cat')
  expect([second, other, '', 'cat'].map((token) => tokens.of(token))).toEqual([null, 'dog', null, null])
})

test.each(['[]', 'null', '"x"', '{"cat": 7}', 'no json'])('tokens that are %s are nobody’s', (text) => {
  const dir = makeFolder()
  const files = openFiles()
  const tokens = openAgentTokens(files, dir)
  const token = tokens.make('dog')
  writeFileSync(join(dir, 'agent', 'tokens.json'), text)
  expect([tokens.of(token), tokens.of('7')]).toEqual([null, null])
  expect(tokens.of(tokens.make('dog'))).toBe('dog')
})
