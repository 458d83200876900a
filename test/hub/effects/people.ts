/** What the parameters of member.* do. */
import { expect } from 'vitest'
import type { HubHome } from '../hub-home.ts'
import { type Effects, effects, type Files, inUpdates } from './effect.ts'

const MEMBERS: Files = {
  'workspace/members/kim.md': '---\nname: Kim\nrole: child\n---\n',
  'workspace/members/lou.md': '---\nname: Lou\nrole: child\n---\n',
}
const tokens = async ({ call }: HubHome) => (await call('member.list', {})).map(({ hasToken }) => hasToken)

export const PEOPLE: readonly Effects[] = [
  effects(
    'member.pair',
    { ...MEMBERS, 'neo.yaml': 'daemon: { settle: 0s }\nchannels: { telegram: { token: "1:abc" } }\n' },
    {
      memberId: async ({ call }) =>
        expect((await call('member.pair', { memberId: 'kim' })).memberId).toBe('kim'),
      channel: async ({ call, refusal }) => {
        expect((await call('member.pair', { memberId: 'kim', channel: 'telegram' })).channel).toBe('telegram')
        expect(await refusal('member.pair', { memberId: 'kim', channel: 'post' })).toMatchObject({
          code: -32602,
        })
      },
    },
  ),
  effects('member.remove', MEMBERS, {
    memberId: async ({ call }) => {
      await call('member.remove', { memberId: 'lou' })
      expect((await call('member.list', {})).map(({ id }) => id)).toEqual(['kim'])
    },
  }),
  effects('member.token', MEMBERS, {
    memberId: async (home) => {
      await home.call('member.token', { memberId: 'lou' })
      expect(await tokens(home)).toEqual([false, true])
    },
    expiresInDays: async ({ call }) => {
      expect((await call('member.token', { memberId: 'lou' })).expiresAt).toBeNull()
      const { expiresAt } = await call('member.token', { memberId: 'lou', expiresInDays: 7 })
      expect(Date.parse(expiresAt ?? '')).toBeGreaterThan(Date.now() + 6 * 86_400_000)
    },
  }),
  effects('member.update', MEMBERS, {
    memberId: async ({ call, home }) => {
      await call('member.update', { memberId: 'lou', updates: { name: 'Louise' } })
      expect(home.read('workspace/members/kim.md')).not.toContain('Louise')
    },
    ...inUpdates({
      name: async ({ home }) => expect(home.read('workspace/members/lou.md')).toContain('name: Louise'),
      role: async ({ call }) =>
        expect((await call('member.update', { memberId: 'lou', updates: { role: 'guest' } })).role).toBe(
          'guest',
        ),
      rooms: async ({ call }) => {
        const { rooms } = await call('member.update', { memberId: 'lou', updates: { rooms: ['shop'] } })
        expect(rooms).toEqual(['shop'])
      },
      suspended: async ({ call }) => {
        const set = (suspended: boolean) => call('member.update', { memberId: 'lou', updates: { suspended } })
        expect([(await set(true)).suspended, (await set(false)).suspended]).toEqual([true, false])
      },
    }),
  }),
  effects(
    'member.unpair',
    { 'workspace/members/kim.md': '---\nchannels: { telegram: "77" }\n---\n' },
    {
      memberId: async ({ refusal }) =>
        expect(await refusal('member.unpair', { memberId: 'lou', channel: 'telegram' })).toMatchObject({
          code: -32002,
        }),
      channel: async ({ call }) =>
        expect((await call('member.unpair', { memberId: 'kim', channel: 'telegram' })).channels).toEqual({}),
    },
  ),
  effects('member.revoke', MEMBERS, {
    memberId: async (home) => {
      for (const memberId of ['kim', 'lou']) await home.call('member.token', { memberId })
      await home.call('member.revoke', { memberId: 'kim' })
      expect(await tokens(home)).toEqual([false, true])
    },
  }),
]
