/** What the parameters of mirror.* do. */
import { expect } from 'vitest'
import type { HubHome } from '../hub-home.ts'
import { HOME, PEER, scope } from './agents.ts'
import { type Effects, effects, type Files } from './effect.ts'

const MIRROR_HOME: Files = {
  ...HOME,
  'neo.yaml': `${HOME['neo.yaml']}`.replace('  owner: Ana', '  owner: Ana\n  mirror: { enabled: true }'),
}
const snapshotOf = ({ call }: HubHome) => call('mirror.snapshot', { roomId: 'shop' })
const tell = ({ call }: HubHome, event: object) =>
  call('mirror.event', { roomId: 'shop', kind: 'file.saved', ...event })

export const MIRROR: readonly Effects[] = [
  effects('mirror.event', MIRROR_HOME, {
    roomId: async ({ refusal }) =>
      expect(await refusal('mirror.event', { roomId: 'none', kind: 'file.saved' })).toMatchObject({
        code: -32002,
      }),
    kind: async ({ refusal }) =>
      expect(await refusal('mirror.event', { roomId: 'shop', kind: 'x' })).toMatchObject({ code: -32602 }),
    file: async (home) => {
      await tell(home, { file: 'src/a.ts' })
      expect((await snapshotOf(home)).activeFiles).toEqual(['src/a.ts'])
      expect(
        await home.refusal('mirror.event', { roomId: 'shop', kind: 'file.saved', file: '../x' }),
      ).toMatchObject({ code: -32602 })
    },
    linesAdded: async (home) => {
      await tell(home, { file: 'b.ts', linesAdded: 3 })
      expect((await snapshotOf(home)).recentChanges).toMatchObject([
        { file: 'b.ts', linesAdded: 3 },
        { file: 'src/a.ts' },
      ])
    },
    linesRemoved: async (home) => {
      await tell(home, { file: 'b.ts', linesRemoved: 2 })
      expect((await snapshotOf(home)).recentChanges[0]).toMatchObject({ linesAdded: 3, linesRemoved: 2 })
    },
    summary: async (home) => {
      await tell(home, { file: 'b.ts', summary: 'rename it' })
      expect((await snapshotOf(home)).recentChanges[0]).toMatchObject({ summary: 'rename it' })
    },
    text: async (home) => {
      await tell(home, {
        kind: 'chat.message',
        text: 'only mine, sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
      })
      const { content = '' } = (await snapshotOf(home)).recentChat[0] ?? {}
      expect(content).toContain('only mine')
      expect(content).not.toContain('sk-ant')
      const { facts } = await home.call('aoi.query', { query: 'only mine', contextScope: scope }, PEER)
      expect(facts.join()).toContain('src/a.ts')
      expect(facts.join()).not.toContain('only mine')
    },
    line: async (home) => {
      await tell(home, { kind: 'diagnostic', file: 'b.ts', line: 7, text: 'wrong' })
      expect((await snapshotOf(home)).activeErrors).toMatchObject([{ line: 7 }])
    },
    severity: async (home) => {
      await tell(home, { kind: 'diagnostic', file: 'b.ts', line: 7, text: 'odd', severity: 'warning' })
      expect((await snapshotOf(home)).activeErrors).toMatchObject([{ severity: 'warning' }])
    },
    name: async (home) => {
      await tell(home, { kind: 'test.run', name: 'adds' })
      expect((await snapshotOf(home)).recentTests).toMatchObject([{ name: 'adds', status: 'failed' }])
    },
    status: async (home) => {
      await tell(home, { kind: 'test.run', name: 'adds', status: 'passed' })
      expect((await snapshotOf(home)).recentTests).toMatchObject([{ status: 'passed' }])
    },
    durationMs: async (home) => {
      await tell(home, { kind: 'test.run', name: 'adds', status: 'passed', durationMs: 12 })
      expect((await snapshotOf(home)).recentTests).toMatchObject([{ durationMs: 12 }])
    },
    exitCode: async (home) => {
      await tell(home, { kind: 'command.executed', name: 'npm test', exitCode: 1 })
      expect(await home.call('mirror.search', { roomId: 'shop', query: 'npm' })).toMatchObject([
        { kind: 'command.executed' },
      ])
    },
  }),
  effects('mirror.snapshot', MIRROR_HOME, {
    roomId: async (home) => {
      await tell(home, { file: 'a.ts' })
      expect((await home.call('mirror.snapshot', { roomId: 'lobby' })).activeFiles).toEqual([])
    },
  }),
  effects('mirror.search', MIRROR_HOME, {
    roomId: async (home) => {
      await tell(home, { file: 'a.ts', summary: 'the pump' })
      expect(await home.call('mirror.search', { roomId: 'lobby', query: 'pump' })).toEqual([])
    },
    query: async ({ call }) =>
      expect(await call('mirror.search', { roomId: 'shop', query: 'pump' })).toMatchObject([
        { file: 'a.ts' },
      ]),
    limit: async (home) => {
      await tell(home, { file: 'b.ts', summary: 'the pump' })
      expect(await home.call('mirror.search', { roomId: 'shop', query: 'pump', limit: 1 })).toHaveLength(1)
    },
  }),
]
