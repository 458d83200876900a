/** member.update, member.unpair, tokens with a date, and the channel `members`. */
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { HubEvent } from '../../src/hub/hub.ts'
import { openMemberTokens } from '../../src/hub/rights/member-rules.ts'
import { until } from '../path/home.ts'
import { HUMAN, hubHome, last, turning } from './hub-home.ts'

const KIM = { kind: 'member', id: 'kim' } as const
const PATH = 'workspace/members/kim.md'
const FILES = {
  'rooms/desk/ROOM.md': '---\nname: Desk\n---\n',
  [PATH]:
    '---\n# our Kim\nname: Kim\nrole: member\npermissions: { rooms: [shop], shop2: allow, x: deny }\n---\nLikes tea.\n',
}
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

test('member.update changes the keys that are set, in a commit of the person, and counts at once', async () => {
  const { call, home } = await hubHome(FILES)
  const now = await call('member.update', { memberId: 'kim', updates: { role: 'guest', rooms: ['desk'] } })
  expect(now).toMatchObject({ role: 'guest', rooms: ['desk'] })
  expect(home.read(PATH)).toContain('# our Kim\nname: Kim\nrole: guest\n')
  expect(home.read(PATH)).toMatch(/x: deny[\s\S]*Likes tea\./)
  expect(last(home)).toContain('Person: neo(members): change kim')
  expect((await call('room.list', {}, KIM)).map(({ id }) => id)).toEqual(['desk'])
})

test('a suspended member has no rights, also not those of the owner, and gets them back', async () => {
  const { call, refusal, hub } = await hubHome(FILES)
  await call('member.update', { memberId: 'kim', updates: { suspended: true } })
  expect(await refusal('room.list', {}, KIM)).toMatchObject({ code: -32001 })
  await expect(hub.subscribe(KIM, { channel: 'inbox' }, () => {})).rejects.toMatchObject({ code: -32001 })
  expect((await call('member.list', {}))[0]).toMatchObject({ suspended: true, rooms: ['shop', 'shop2'] })
  await call('member.update', { memberId: 'kim', updates: { suspended: false } })
  expect(await call('room.list', {}, KIM)).toHaveLength(1)
})

test('an account is unlinked, unless that would make it the owner', async () => {
  const { call, refusal, home } = await hubHome({
    'neo.yaml': 'channels: { telegram: { token: "1:abc", allow_from: ["77"] } }\n',
    [PATH]: '---\nchannels: { telegram: "77" }\n---\n',
    'workspace/members/lou.md': '---\nchannels: { telegram: "88" }\n---\n',
  })
  const refused = await refusal('member.unpair', { memberId: 'kim', channel: 'telegram' })
  expect(refused.message).toContain('allow_from')
  expect(home.read(PATH)).toContain('"77"')
  expect((await call('member.unpair', { memberId: 'lou', channel: 'telegram' })).channels).toEqual({})
})

test('a token is over after its date, and its last use is known', async () => {
  const { context } = await hubHome()
  const { files } = context.world
  let now = Date.parse('2026-03-01T09:00:00Z')
  const tokens = openMemberTokens(files, { now: () => now }, context.dir)
  const hash = sha256(tokens.make('kim', now + 1_000))
  expect([tokens.of(hash), tokens.all().get('kim')?.lastUsedAt]).toEqual(['kim', null])
  tokens.used(hash)
  expect(tokens.all().get('kim')?.lastUsedAt).toBe('2026-03-01T09:00:00.000Z')
  now += 1_000
  expect(tokens.of(hash)).toBeNull()
  tokens.revoke('kim')
  tokens.used(hash)
  expect(tokens.all().size).toBe(0)
})

test('the channel members tells changes, without numbers of accounts, and not to members', async () => {
  const home = await turning(
    await hubHome({ ...FILES, [PATH]: '---\nchannels: { telegram: "123456" }\n---\n' }),
  )
  const events: HubEvent[] = []
  await home.hub.subscribe(HUMAN, { channel: 'members' }, (event) => void events.push(event))
  await until(() => events.length > 0)
  expect(events[0]?.data).toMatchObject({
    snapshot: { members: { kim: { accounts: ['telegram'], token: null } } },
  })
  expect(JSON.stringify(events)).not.toContain('123456')
  await home.call('member.update', { memberId: 'kim', updates: { name: 'Kimberly' } })
  await until(() => JSON.stringify(events).includes('Kimberly'))
  await expect(home.hub.subscribe(KIM, { channel: 'members' }, () => {})).rejects.toMatchObject({
    code: -32001,
  })
})
