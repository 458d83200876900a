/** Each parameter of conversations on the page for its effect; and who reads them, with what links. */
import { describe, expect, test } from 'vitest'
import type { Principal } from '../../src/domain/policy/policy-acts.ts'
import { CHATS, TALK } from './effects/chat.ts'
import { prove } from './effects/run.ts'
import { hubHome, NEO } from './hub-home.ts'

describe('what was said is read as asked:', () => prove(CHATS))

test('chat.list names what Neo did, with the present title and status of each thing', async () => {
  const { call } = await hubHome(TALK)
  const { items, obstacle } = await call('chat.list', { roomId: 'shop' })
  const did = items.flatMap((item) => item.did)
  expect(did.map(({ action, link }) => [action, link?.kind, link?.title, link?.status])).toEqual([
    ['create_task', 'task', 'Plan', 'draft'],
    ['update_room', 'request', 'Change it', 'pending'],
  ])
  expect(obstacle).toBe('no-daemon')
})

test('chat.list shows what waits in the inbox, with its files apart', async () => {
  const id = `${'a1'.repeat(12)}.png`
  const { call } = await hubHome({
    'rooms/shop/inbox/20260301T090000Z-x.md': `---\nfrom: human\n---\nLook\n\n[image received: a.png, image/png, 8 bytes](neo-file:${id})\n`,
  })
  const { waiting } = await call('chat.list', { roomId: 'shop' })
  expect(waiting).toEqual([
    {
      at: '2026-03-01T09:00:00Z',
      from: 'human',
      text: 'Look',
      files: [{ id, name: 'a.png', type: 'image/png', bytes: 8 }],
    },
  ])
})

test('files of a room are for those who see it, and none is taken past a guard', async () => {
  const home = await hubHome({
    ...TALK,
    'workspace/members/kim.md': '---\nrole: member\npermissions: { rooms: [shop] }\n---\n',
    'workspace/members/lee.md':
      '---\nrole: member\npermissions: { rooms: [shop] }\nguards: { in: [./check.sh] }\n---\n',
  })
  const as = (id: string): Principal => ({ kind: 'member', id })
  const file = { roomId: 'web', name: 'a.txt', base64: 'aGVsbG8=' }
  const { id } = await home.call('chat.attach', file)
  expect(await home.refusal('chat.file', { roomId: 'web', fileId: id }, as('kim'))).toMatchObject({
    code: -32001,
  })
  expect(await home.refusal('chat.attach', file, as('kim'))).toMatchObject({ rule: 'member-rooms' })
  const own = { ...file, roomId: 'shop' }
  expect((await home.call('chat.attach', own, as('kim'))).bytes).toBe(5)
  expect(await home.refusal('chat.attach', own, as('lee'))).toMatchObject({ rule: 'chat-files' })
  expect(home.home.git('status', '--porcelain')).not.toContain('media')
  expect((await home.call('chat.list', { roomId: 'shop' }, NEO)).items.length).toBeGreaterThan(0)
})
