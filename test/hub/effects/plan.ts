/**
 * Effects of the parameters of what is planned and what it used. Takes nothing; gives rows.
 */
import { expect } from 'vitest'
import type { ParamsOf } from '../../../src/hub/method-table.ts'
import type { HubHome } from '../hub-home.ts'
import { type Effects, effects, type Files } from './effect.ts'

const FILES: Files = {
  'rooms/web/ROOM.md': '---\nname: Web\n---\n',
  'rooms/web/schedules/daily.md':
    '---\nevery: 7h\nneo: { id: c-aaaaaa, created_at: 2026-03-01T09:00:05Z, created_by: human }\n---\nGo.\n',
}

const check = async ({ call }: HubHome, asked: Omit<ParamsOf<'schedule.check'>, 'roomId'>) =>
  await call('schedule.check', { roomId: 'web', ...asked })
const hours = (runs: readonly string[]) => runs.map((at) => at.slice(11, 16))

/** The file that comes of it. */
async function made({ call, home }: HubHome, more: object): Promise<string> {
  return home.read(
    (await call('schedule.create', { roomId: 'web', name: 'x', content: 'y', every: '1d', ...more })).path,
  )
}

export const PLANS: readonly Effects[] = [
  effects('usage.summary', FILES, {
    split: async ({ call, context }) => {
      const usage = { input: 10, cacheRead: 0, cacheWrite: 0, output: 5, source: 'told' } as const
      const one = { at: '2026-03-01T09:00:00Z', task: null, kind: 'session', usd: 1, usage } as const
      context.usage.add('a:1', { ...one, room: 'web', session: 'a', model: 'x/one' })
      context.usage.add('b:1', { ...one, room: 'shop', session: 'b', model: 'x/one' })
      const parts = async (split?: 'room' | 'model') =>
        (await call('usage.summary', split === undefined ? {} : { split })).rows.map((row) =>
          row.parts.map(({ name, tokens }) => [name, tokens]),
        )
      expect(await parts()).toEqual([[]])
      expect(await parts('model')).toEqual([[['x/one', 30]]])
      expect((await parts('room'))[0]?.toSorted()).toEqual([
        ['shop', 15],
        ['web', 15],
      ])
    },
  }),
  effects('usage.summary', FILES, {
    days: async ({ call, context }) => {
      const usage = { input: 10, cacheRead: 0, cacheWrite: 0, output: 5, source: 'told' } as const
      const one = { room: 'web', task: null, session: 'a', kind: 'session', model: 'x/one', usd: 1 } as const
      const at = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().replace(/\.\d+Z/, 'Z')
      for (const ago of [0, 3, 10]) context.usage.add(`a:${ago}`, { ...one, usage, at: at(ago) })
      const calls = async (days: number) => (await call('usage.summary', { days })).total.calls
      expect([await calls(1), await calls(4), await calls(30)]).toEqual([1, 2, 3])
    },
  }),
  effects('audit.timeline', FILES, {
    text: async ({ call }) => {
      await call('task.create', { roomId: 'web', title: 'Blue', description: '' })
      await call('task.create', { roomId: 'web', title: 'Green', description: '' })
      const { events } = await call('audit.timeline', { text: 'GREEN' })
      expect(events.map(({ says }) => says)).toEqual([expect.stringMatching(/create green/)])
    },
  }),
  effects('schedule.create', FILES, {
    catchUp: async (home) => expect(await made(home, { catchUp: 'none' })).toContain('catch_up: none\n'),
    overlap: async (home) => expect(await made(home, { overlap: 'queue' })).toContain('overlap: queue\n'),
  }),
  effects('schedule.check', FILES, {
    roomId: async ({ call, refusal }) => {
      expect((await call('schedule.check', { roomId: 'web', every: '1d' })).nextRuns).toHaveLength(3)
      expect(await refusal('schedule.check', { roomId: 'else', every: '1d' })).toMatchObject({ code: -32002 })
    },
    cron: async (home) =>
      expect(hours((await check(home, { cron: '30 9 * * *', timezone: 'UTC' })).nextRuns)).toEqual(
        Array(3).fill('09:30'),
      ),
    every: async (home) => {
      const [first = '', second = ''] = (await check(home, { every: '2h' })).nextRuns
      expect(Date.parse(second) - Date.parse(first)).toBe(7_200_000)
    },
    at: async (home) => {
      expect((await check(home, { at: '2099-01-01T09:00Z' })).nextRuns).toEqual(['2099-01-01T09:00:00Z'])
      expect((await check(home, { at: '2001-01-01T09:00Z' })).nextRuns).toEqual([])
    },
    timezone: async (home) => {
      const cron = '30 9 * * *'
      expect(hours((await check(home, { cron, timezone: 'Asia/Tokyo' })).nextRuns)[0]).toBe('00:30')
      expect((await check(home, { cron, timezone: 'Nowhere' })).problems[0]?.message).toMatch(/timezone/)
    },
    name: async (home) => {
      const seconds = async (name?: string) =>
        (await check(home, { every: '7h', ...(name === undefined ? {} : { name }) })).nextRuns[0]?.slice(-6)
      expect(await seconds('daily')).toBe('00:05Z'.slice(-6))
    },
  }),
]
