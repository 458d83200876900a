/** What a press of a button decides: the request that it showed, in its chat, and nothing else. */
import { expect, test } from 'vitest'
import {
  type AskSeen,
  asksIn,
  buttonMeaning,
  buttonsOf,
  withRequest,
} from '../../src/channels/commands/approval-buttons.ts'
import type { Snapshot } from '../../src/domain/plan/snapshot.ts'

const ASK: AskSeen = {
  ...{ id: 'a-1', kind: 'approval', sha256: 'f'.repeat(64), room: 'shop', isOpen: true },
  shows: 'git_push {}',
}
const CHAT = '-100123'
const AT = { channel: 'telegram', chatId: CHAT }
const finding =
  (...asks: readonly AskSeen[]) =>
  (id: string) =>
    asks.find((one) => one.id === id) ?? null
const [yes, no] = buttonsOf(ASK, CHAT).map(({ data }) => data)

test('the buttons decide the request that they were made for, either way', () => {
  expect(buttonMeaning(finding(ASK), yes ?? '', AT)).toEqual({
    kind: 'decision',
    ask: ASK,
    decision: 'approved',
  })
  expect(buttonMeaning(finding(ASK), no ?? '', AT)).toEqual({
    kind: 'decision',
    ask: ASK,
    decision: 'denied',
  })
})

test.each([
  ['in another chat', finding(ASK), yes, '-100124'],
  ['after the request has changed', finding({ ...ASK, sha256: 'e'.repeat(64) }), yes, CHAT],
  ['of a request that is gone', finding(), yes, CHAT],
  ['of another request', finding(ASK, { ...ASK, id: 'a-2' }), (yes ?? '').replace('a-1', 'a-2'), CHAT],
  ['without a seal', finding(ASK), 'y:a-1', CHAT],
  ['with an empty seal', finding(ASK), 'y:a-1:', CHAT],
  ['with more behind the seal', finding(ASK), `${yes}x`, CHAT],
  ['with another letter', finding(ASK), (yes ?? '').replace('y:', 'x:'), CHAT],
  ['of nobody', finding(ASK), '', CHAT],
])('a press %s decides nothing', (_, find, data, chat) => {
  expect(buttonMeaning(find, data ?? '', { channel: 'telegram', chatId: chat }).kind).toBe('nothing')
})

test.each([
  ['a question', { kind: 'question' as const }],
  ['a request that is decided', { isOpen: false }],
  ['a request whose id does not fit', { id: 'a'.repeat(41) }],
])('%s has no buttons', (_, more) => {
  expect(buttonsOf({ ...ASK, ...more }, CHAT)).toEqual([])
})

test('the data of a button fits 64 bytes, whatever the id and the chat', () => {
  for (const { data } of buttonsOf({ ...ASK, id: 'a'.repeat(40) }, `-${'9'.repeat(30)}`))
    expect(Buffer.byteLength(data)).toBeLessThanOrEqual(64)
})

const file = (more: object = {}, action: object = {}) => ({
  ask: {
    ...{ id: 'a-1', kind: 'approval', decision: 'pending', body: '' },
    action: { tool: 'git_push', arguments: {}, files: [], sha256: 'f', ...action },
    ...more,
  },
  room: 'shop',
})
const seen = (...files: readonly object[]) =>
  asksIn(() => ({ asks: new Map(files.map((one, at) => [`${at}.md`, one])) }) as unknown as Snapshot)

test('all that an approval allows is shown, and nothing of a question', () => {
  const action = { arguments: { remote: 'origin' }, files: ['a.txt', 'b.txt'] }
  expect(seen(file({}, action))('a-1')?.shows).toBe('git_push\n{\n  "remote": "origin"\n}\na.txt\nb.txt')
  expect(seen(file({ kind: 'question' }, action))('a-1')?.shows).toBe('')
})

test('the commands of a task are shown with its request, without how the file is decided', () => {
  const body =
    'Set `decision: approved` or `decision: denied`, or run `neo ask approve a-1`.\n\n```sh\nmake\n```\n'
  const shows = seen(file({ body }))('a-1')?.shows
  expect(shows).toBe('git_push\n\n```sh\nmake\n```')
  const text = withRequest(seen(file({ body })), { content: 'shop needs you', ask: 'a-1' })
  expect(text).toBe('shop needs you\n\n````\ngit_push\n\n```sh\nmake\n```\n````')
})

test('what is too long to show whole has no buttons, and says where to read it', () => {
  const find = seen(file({ body: 'x'.repeat(20_000) }))
  expect(buttonsOf(find('a-1') as AskSeen, CHAT)).toEqual([])
  const text = withRequest(find, { content: 'shop needs you', ask: 'a-1' })
  expect(text).toContain('Read it with `neo ask show a-1`')
  expect(text.length).toBeLessThan(13_000)
})

test('what is too long is not cut within a character', () => {
  const find = seen(file({ body: `x${'😀'.repeat(10_000)}` }))
  const text = withRequest(find, { content: 'shop needs you', ask: 'a-1' })
  expect(text).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/)
})

test.each([
  ['a question', { kind: 'question' }, 'Why?\n\n*Reply to this message to answer.*'],
  ['a request that is decided', { decision: 'approved' }, 'Why?'],
])('a message about %s', (_, more, text) => {
  expect(withRequest(seen(file(more)), { content: 'Why?', ask: 'a-1' })).toBe(text)
})

test.each([
  ['pending', {}, true],
  ['decided', { decision: 'approved' }, false],
  ['carried out', { handledAt: 1 }, false],
  ['answered', { answer: 'yes' }, false],
])('a request that is %s', (_, more, isOpen) => {
  expect(seen(file(more))('a-1')?.isOpen).toBe(isOpen)
})

test('of two open files with one id, none is the one that was shown; of an open and an ended one, the open one', () => {
  expect(seen(file(), file())('a-1')).toBeNull()
  expect(seen(file({ handledAt: 1 }), file({}, { sha256: 'open' }))('a-1')?.sha256).toBe('open')
  expect(seen(file())('a-2')).toBeNull()
  expect(asksIn(() => null)('a-1')).toBeNull()
})
