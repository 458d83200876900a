/** A room's conversation as people read it, made of the entries of its transcript. */
import { expect, test } from 'vitest'
import type { TranscriptEntry } from '../../src/files/body/read-transcript.ts'
import { type ChatItem, chatItems } from '../../src/hub/views/chat-items.ts'

let count = 0
const entry = (type: string, more: Readonly<Record<string, unknown>> = {}): TranscriptEntry => ({
  ...{ v: 1, id: `e${++count}`, parent: null, session: '', room: 'shop', task: '' },
  ts: '2026-03-01T09:00:00Z',
  type,
  ...more,
})
const answer = (text: string) => entry('assistant', { parts: [{ kind: 'text', text }] })
const call = (name: string, input: object, id = 'c1') =>
  entry('action', { phase: 'call', call: id, name, input })
const result = (text: string, more: object = {}) =>
  entry('action', { phase: 'result', call: 'c1', text, ...more })

const said = (items: readonly ChatItem[]) => items.map(({ kind, from, text }) => [kind, from, text])

test('a turn is what people said, what happened, and the answer', () => {
  const text = [
    '<message from="member:kim" at="x">\nHello\n</message>',
    'A task failed.\n<data from="neo">\nfix-login: exit 1\n</data>',
  ].join('\n\n')
  expect(said(chatItems([entry('user', { text }), answer(' Done. ')]))).toEqual([
    ['message', 'member:kim', 'Hello'],
    ['event', 'neo', 'fix-login: exit 1'],
    ['answer', '', 'Done.'],
  ])
})

test('each message of a turn has an id of its own, that stays the same', () => {
  const turn = entry('user', {
    text: '<message from="a">\n1\n</message>\n<message from="b">\n2\n</message>',
  })
  const ids = chatItems([turn]).map(({ id }) => id)
  expect(ids).toEqual([`${turn.id}-0`, `${turn.id}-1`])
  expect(chatItems([turn]).map(({ id }) => id)).toEqual(ids)
})

test.each<[string, readonly TranscriptEntry[], unknown]>([
  ['an answer without words', [answer('  ')], []],
  ['an answer whose parts are no list', [entry('assistant', { parts: 'x' })], []],
  ['parts that are no text', [entry('assistant', { parts: [null, 7, { kind: 'image', text: 'x' }] })], []],
  ['a user entry without text', [entry('user')], []],
  ['text outside of a mark', [entry('user', { text: 'stray words' })], []],
  ['a turn that ended well', [entry('end', { of: 'turn', why: '' })], []],
  ['another kind of entry', [entry('summary', { text: 'x' })], []],
  [
    'a turn that stopped',
    [entry('end', { of: 'turn', why: 'The budget is used up' })],
    [['note', '', 'The budget is used up']],
  ],
  [
    'a conversation that was closed',
    [entry('end', { of: 'conversation' })],
    [['new', '', 'A new conversation begins.']],
  ],
])('%s', (_, entries, wanted) => {
  expect(said(chatItems(entries))).toEqual(wanted)
})

test('what Neo did is in the answer that it was said in; without words it is one of its own', () => {
  const items = chatItems([
    answer('I make it.'),
    call('create_task', { title: 'Paint' }),
    result('Created t-aaaaaa'),
    entry('user', { text: '<message from="human">\nAnd?\n</message>' }),
    call('search', { query: 'paint' }),
  ])
  expect(items.map(({ kind, did }) => [kind, did.map(({ action, result: end }) => [action, end])])).toEqual([
    ['answer', [['create_task', 'Created t-aaaaaa']]],
    ['message', []],
    ['answer', [['search', null]]],
  ])
})

test('a result belongs to its own call, in whatever order results come', () => {
  const [item] = chatItems([
    call('create_task', { title: 'One' }, 'c1'),
    call('create_task', { title: 'Two' }, 'c2'),
    entry('action', { phase: 'result', call: 'c2', text: 'Created t-bbbbbb' }),
    result('Created t-aaaaaa'),
  ])
  expect(item?.did.map(({ about, link }) => [about, link?.id])).toEqual([
    ['One', 't-aaaaaa'],
    ['Two', 't-bbbbbb'],
  ])
})

test('a result whose call is not in the page is shown too', () => {
  const [item] = chatItems([result('It is closed', { name: 'complete_task' })])
  expect(item?.did).toMatchObject([{ action: 'complete_task', result: 'It is closed', failed: false }])
})

test.each<[string, object, string, unknown]>([
  ['create_task', { title: 'x' }, 'Created t-aaaaaa', { kind: 'task', id: 't-aaaaaa' }],
  ['assign_task', { task_id: 't-b' }, 'It starts by itself', { kind: 'task', id: 't-b' }],
  ['complete_task', { task_id: 't-b' }, 'Finished t-aaaaaa, checks follow', { kind: 'task', id: 't-aaaaaa' }],
  ['create_session', {}, 'Opened session s-aaaaaa', { kind: 'session', id: 's-aaaaaa' }],
  ['send_message', { session_id: 's-b' }, 'Sent', { kind: 'session', id: 's-b' }],
  ['send_message', { room_id: 'shop' }, 'Sent', { kind: 'room', id: 'shop' }],
  ['send_message', {}, 'Sent', null],
  ['add_memory', {}, 'Saved m-aaaaaa', { kind: 'memory', id: 'm-aaaaaa' }],
  ['add_memory', {}, 'Saved the fact', null],
  ['schedule', {}, 'Scheduled daily', { kind: 'schedule', id: 'daily' }],
  ['create_room', {}, 'Created room web', { kind: 'room', id: 'web' }],
  ['search', { query: 'x' }, 'Created t-aaaaaa', null],
  ['create_task', {}, 'Approval required (request a-aaaaaa)', { kind: 'request', id: 'a-aaaaaa' }],
  ['create_task', {}, 'A person decides (a-bbbbbb); do not retry', { kind: 'request', id: 'a-bbbbbb' }],
])('%s %j that gave "%s" leads to %j', (action, input, text, wanted) => {
  const [item] = chatItems([call(action, input), result(text)])
  expect(item?.did[0]?.link).toEqual(wanted)
})

test('what failed leads nowhere, unless it became a request', () => {
  const failed = (text: string) =>
    chatItems([call('create_task', { task_id: 't-b' }), result(text, { is_error: true })])[0]?.did[0]
  expect(failed('Created t-aaaaaa')).toMatchObject({ failed: true, link: null })
  expect(failed('Approval required (request a-aaaaaa)')).toMatchObject({
    failed: true,
    link: { kind: 'request' },
  })
})

test.each<[unknown, string]>([
  [{ path: 'p', title: 'The title\nmore' }, 'The title'],
  [{ name: '', question: 'Why?' }, 'Why?'],
  [{ title: 7, content: 'x'.repeat(500) }, 'x'.repeat(200)],
  [{ other: 'x' }, ''],
  [null, ''],
  ['text', ''],
])('an action with the input %j is about "%s"', (input, about) => {
  const [item] = chatItems([entry('action', { phase: 'call', call: 'c', name: 'do', input })])
  expect(item?.did[0]?.about).toBe(about)
})
