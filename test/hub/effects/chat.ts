/** Effects of the parameters by which a room's conversation and its files are read. */
import { expect } from 'vitest'
import type { HubHome } from '../hub-home.ts'
import { type Effects, effects, type Files } from './effect.ts'

let made = 0
const line = (type: string, fields: object) => {
  made += 1
  const base = {
    v: 1,
    id: `e${made}`,
    parent: null,
    ts: '2026-03-01T09:00:00Z',
    session: 'neo-shop',
    room: 'shop',
  }
  return `${JSON.stringify({ ...base, task: '', type, ...fields })}\n`
}
const said = (text: string) =>
  line('user', { turn: 'n1', keys: [], text: `<message from="human">\n${text}\n</message>` })
const answer = (text: string) => line('assistant', { turn: 'n1', parts: [{ kind: 'text', text }] })

export const TALK: Files = {
  'rooms/web/ROOM.md': '---\nname: Web\n---\n',
  'rooms/shop/tasks/plan.md': '---\nstatus: draft\nneo: { id: t-aaaaaa }\n---\n# Plan\n',
  'rooms/web/transcripts/neo-2026-03-01-1.jsonl': said('Of the web'),
  'rooms/shop/transcripts/neo-2026-03-01-1.jsonl': `${said('First')}${answer('One')}`,
  'rooms/shop/transcripts/neo-2026-03-02-1.jsonl': [
    said('Second'),
    answer('I make a task'),
    line('action', { turn: 'n1', phase: 'call', call: 'c1', name: 'create_task', input: { title: 'Plan' } }),
    line('action', {
      turn: 'n1',
      phase: 'result',
      call: 'c1',
      name: 'create_task',
      text: 'Created t-aaaaaa, status pending',
      is_error: false,
    }),
    line('action', {
      turn: 'n1',
      phase: 'result',
      call: 'c2',
      name: 'update_room',
      text: 'Not done: Approval required: only a person can (request a-aaaaaa)',
      is_error: true,
    }),
    answer('Done'),
    line('end', { of: 'turn', turn: 'n1', keys: [], reply: 'Done', why: 'Stopped.' }),
  ].join(''),
  'rooms/shop/asks/a-aaaaaa.md':
    '---\nkind: approval\nreason: Change it\naction: { tool: x, arguments: {}, files: [], sha256: "0" }\ndecision: pending\nneo: { id: a-aaaaaa, created_at: 2026-03-01T09:00:00Z }\n---\n',
}

const texts = async ({ call }: HubHome, params: { readonly before?: string; readonly limit?: number }) =>
  (await call('chat.list', { roomId: 'shop', ...params })).items.map(({ text }) => text)

export const CHATS: readonly Effects[] = [
  effects('chat.list', TALK, {
    roomId: async ({ call }) => {
      const { items } = await call('chat.list', { roomId: 'web' })
      expect(items.map(({ text }) => text)).toEqual(['Of the web'])
    },
    limit: async (home) => expect(await texts(home, { limit: 2 })).toEqual(['Done', 'Stopped.']),
    before: async (home) => {
      const { earlier } = await home.call('chat.list', { roomId: 'shop', limit: 3 })
      expect(await texts(home, { before: earlier ?? '' })).toEqual(['First', 'One', 'Second'])
      for (const gone of [`${earlier}-gone`, 'neo-1999-01-01-1:a'])
        expect(await home.refusal('chat.list', { roomId: 'shop', before: gone })).toMatchObject({
          issues: [{ path: ['before'] }],
        })
    },
  }),
  effects('chat.attach', TALK, {
    roomId: async ({ call, refusal }) => {
      const { id } = await call('chat.attach', { roomId: 'web', name: 'a.txt', base64: 'aGVsbG8=' })
      expect(await refusal('chat.file', { roomId: 'shop', fileId: id })).toMatchObject({ code: -32002 })
    },
    name: async ({ call }) => {
      const params = { roomId: 'web', base64: 'aGVsbG8=' }
      const { name } = await call('chat.attach', { ...params, name: '../[a](b)\n.txt' })
      expect(name).toBe('.. a b .txt')
    },
    base64: async ({ call, refusal }) => {
      const params = { roomId: 'web', name: 'a.png' }
      const { type, bytes } = await call('chat.attach', { ...params, base64: 'iVBORw0KGgo=' })
      expect([type, bytes]).toEqual(['image/png', 8])
      expect(await refusal('chat.attach', { ...params, base64: 'no base!' })).toMatchObject({ code: -32602 })
    },
  }),
  effects('chat.file', TALK, {
    roomId: async ({ refusal }) =>
      expect(
        await refusal('chat.file', { roomId: 'nowhere', fileId: `${'0'.repeat(24)}.txt` }),
      ).toMatchObject({
        code: -32002,
      }),
    fileId: async ({ call, refusal }) => {
      const { id } = await call('chat.attach', { roomId: 'web', name: 'a.txt', base64: 'aGVsbG8=' })
      const found = await call('chat.file', { roomId: 'web', fileId: id })
      expect(found).toEqual({ name: 'a.txt', type: 'text/plain', base64: 'aGVsbG8=' })
      expect(await refusal('chat.file', { roomId: 'web', fileId: '../../neo.yaml' })).toMatchObject({
        code: -32602,
      })
    },
  }),
]
