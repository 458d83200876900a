/** What the parameters of aoi.* do: what agents of other homes ask. */
import { expect } from 'vitest'
import type { HubHome } from '../hub-home.ts'
import { HOME, PEER, scope } from './agents.ts'
import { type Effects, effects } from './effect.ts'

const taskOf = { taskType: 'greet', contextScope: scope } as const

export const AGENTS_IN: readonly Effects[] = [
  effects('aoi.discover', HOME, {
    '': async ({ call }) => {
      expect(await call('aoi.discover', {}, PEER)).toMatchObject([{ id: 'ana', contexts: scope }])
      expect(await call('aoi.discover', {}, { kind: 'peer', id: 'dan' })).toMatchObject([
        { id: 'ana', contexts: [] },
      ])
    },
  }),
  effects('aoi.query', HOME, {
    query: async ({ call, home }) => {
      home.task('list', '---\nstatus: draft\n---\n# List\n')
      expect((await call('aoi.query', { query: 'the list', contextScope: scope })).facts.join()).toContain(
        '[draft] List',
      )
    },
    facts: async ({ call, home }) => {
      home.task('list', '---\nstatus: draft\n---\n# List\n')
      const about = { query: 'the list', contextScope: scope }
      expect(await call('aoi.query', { ...about, facts: false })).toMatchObject({ facts: [], roomId: 'shop' })
      expect((await call('aoi.query', { ...about, facts: true })).facts).not.toEqual([])
    },
    contextScope: async ({ call, refusal }) => {
      expect(await call('aoi.query', { query: 'x', contextScope: scope }, PEER)).toMatchObject({
        roomId: 'shop',
      })
      const away = [{ type: 'repository', identifier: 'acme/shop/..' }]
      expect(await refusal('aoi.query', { query: 'x', contextScope: away }, PEER)).toMatchObject({
        code: -32602,
      })
    },
  }),
  effects('aoi.task.execute', HOME, {
    taskType: async ({ call }) =>
      expect(await call('aoi.task.execute', taskOf, PEER)).toMatchObject({ roomId: 'shop' }),
    taskParams: async ({ call }) => {
      await call('aoi.task.execute', { ...taskOf, taskParams: { name: 'Kim' } }, PEER)
      expect((await call('task.list', {})).map(({ title }) => title)).toContain('Greet Kim')
    },
    contextScope: async ({ refusal }) =>
      expect(await refusal('aoi.task.execute', { ...taskOf, contextScope: [] }, PEER)).toMatchObject({
        code: -32602,
      }),
    taskId: async ({ call, refusal }) => {
      const given = { ...taskOf, taskId: 't-abcdef' }
      expect((await call('aoi.task.execute', given, PEER)).taskId).toBe('t-abcdef')
      expect(await refusal('aoi.task.execute', given, PEER)).toMatchObject({ code: -32004 })
    },
  }),
  effects('aoi.task.get', HOME, {
    taskId: async ({ call, refusal }) => {
      const { taskId } = await call('aoi.task.execute', taskOf, PEER)
      expect(await call('aoi.task.get', { taskId }, PEER)).toMatchObject({ taskId, status: 'pending' })
      const others = await refusal('aoi.task.get', { taskId }, { kind: 'peer', id: 'dan' })
      expect(others.message).toBe(
        (await refusal('aoi.task.get', { taskId: 't-none' }, PEER)).message.replace('t-none', taskId),
      )
    },
  }),
  effects('aoi.task.list', HOME, {
    '': async ({ call }) => {
      await call('aoi.task.execute', taskOf, PEER)
      expect(await call('aoi.task.list', {}, PEER)).toHaveLength(1)
      expect(await call('aoi.task.list', {}, { kind: 'peer', id: 'dan' })).toEqual([])
    },
  }),
  effects('aoi.answer', HOME, answerProofs()),
]

/** What a person is shown before it goes out; test/aoi/two-homes.test.ts holds that it does. */
function answerProofs(): Effects['proofs'] {
  const answer = { queryId: 'q-1', agentId: 'cat', query: 'how far?', summary: 'far', contextRefs: [] }
  const shown: Readonly<Record<string, unknown>> = {
    queryId: 'q-2',
    agentId: 'dan',
    query: 'what now?',
    summary: 'nearly',
    progress: 70,
    blockers: ['the weather'],
    contextRefs: [{ type: 'commit', ref: 'abc' }],
  }
  return Object.fromEntries(
    Object.entries(shown).map(([name, value]) => [
      name,
      async ({ call, refusal }: HubHome) => {
        const { ask } = await refusal(
          'aoi.answer',
          { ...answer, [name]: value },
          { kind: 'neo', room: 'shop' },
        )
        const found = (await call('ask.list', {})).find(({ id }) => id === ask)
        expect(found?.action?.arguments).toMatchObject({ [name]: value })
      },
    ]),
  )
}
