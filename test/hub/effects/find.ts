/**
 * Effects of the parameters that say what is asked for: filters, spans, limits and pages of lists and searches.
 * Takes nothing; gives rows. Each leaves out what is there without it.
 */
import { expect } from 'vitest'
import type { MethodName, ParamsOf, ResultOf } from '../../../src/hub/method-table.ts'
import type { HubHome } from '../hub-home.ts'
import { type Effects, effects, type Files, type Proof } from './effect.ts'

const task = (id: string, head: string) =>
  `---\n${head}\nneo: { id: t-${id}, created_at: 2026-03-01T09:00:00Z, created_by: human }\n---\n# ${id}\n`
const session = (id: string, head: string) => `---\nid: s-${id}\nworker: agent\n${head}\n---\nSummary.\n`
const memory = (type: string, tag: string, day: string) =>
  `---\ntype: ${type}\ntags: [${tag}]\nneo: { id: m-${tag}, created_at: ${day}T09:00:00Z, created_by: human }\n---\nThe pump is ${tag}.\n`
const ask = (id: string, more = '') =>
  `---\nkind: question\nreason: Which?\n${more}neo: { id: ${id}, created_at: 2026-03-01T09:00:00Z }\n---\nWhich?\n\n## Answer\n`

const FILES: Files = {
  'rooms/web/ROOM.md': '---\nname: Web\n---\n',
  'rooms/old/ROOM.md': '---\nname: Old\nstatus: archived\n---\n',
  'rooms/shop/tasks/a.md': task('aaaaaa', 'status: draft\nlabels: [red]'),
  'rooms/shop/tasks/b.md': task('bbbbbb', 'status: blocked'),
  'rooms/web/tasks/c.md': task('cccccc', 'status: review'),
  'rooms/shop/tasks/d.md': task('dddddd', 'status: review'),
  'rooms/shop/sessions/s-aaaaaa.md': session(
    'aaaaaa',
    'task: t-aaaaaa\nstatus: completed\nstarted_at: 2026-03-01T09:00:00Z',
  ),
  'rooms/shop/sessions/s-bbbbbb.md': session(
    'bbbbbb',
    'task: t-bbbbbb\nstatus: failed\nstarted_at: 2026-03-02T09:00:00Z',
  ),
  'rooms/web/sessions/s-cccccc.md': session(
    'cccccc',
    'task: t-cccccc\nstatus: completed\nstarted_at: 2026-03-03T09:00:00Z',
  ),
  'rooms/shop/memories/one.md': memory('note', 'blue', '2026-03-01'),
  'rooms/shop/memories/two.md': memory('pattern', 'red', '2026-03-05'),
  'rooms/web/memories/three.md': memory('note', 'green', '2026-03-05'),
  'rooms/shop/asks/a-aaaaaa.md': ask('a-aaaaaa'),
  'rooms/shop/asks/a-dddddd.md': ask('a-dddddd', 'decision: denied\n'),
  'rooms/web/asks/a-bbbbbb.md': ask('a-bbbbbb'),
  'rooms/web/schedules/daily.md': '---\ncron: 0 9 * * *\nkind: message\n---\nGo.\n',
  'templates/tasks/form.md':
    '---\ntitle: A {{what}}\nworker: human\nparams:\n  what: { type: string, default: form }\n---\nOf {{what}}.\n',
  'templates/tasks/else.md': '---\ntitle: Else\n---\nElse.\n',
  'workspace/scopes/club/SCOPE.md': '---\ntype: group\nchannel: "test:77"\n---\n',
  'workspace/files/one.txt': 'one',
  'workspace/files/two.txt': 'two',
  'rooms/web/notes.txt': 'of the web',
}

type Listing = (home: HubHome, params: object) => Promise<readonly unknown[]>

/** With the parameters: these alone. Without: more. */
function leaves(
  list: Listing,
  table: Readonly<Record<string, readonly [given: object, left: readonly unknown[]]>>,
) {
  const proofs = Object.entries(table).map(([name, [given, left]]): [string, Proof] => [
    name,
    async (home) => {
      const { [name]: _, ...without } = given as Record<string, unknown>
      expect(await list(home, given)).toEqual(left)
      expect(await list(home, without)).not.toEqual(left)
    },
  ])
  return Object.fromEntries(proofs)
}

function listing<N extends MethodName>(method: N, of: (result: ResultOf<N>) => readonly unknown[]): Listing {
  return async ({ call }, params) => of(await call(method, params as ParamsOf<N>))
}

const pathsOf = (all: readonly { readonly path: string }[]) => all.map(({ path }) => path)
const idsOf = (all: readonly { readonly id: string | null }[]) => all.map(({ id }) => id)
const at = (room: string, name: string) => `rooms/${room}/tasks/${name}.md`

function used({ context }: HubHome): void {
  const usage = { input: 10, cacheRead: 0, cacheWrite: 0, output: 5, source: 'told' } as const
  const call = { task: null, kind: 'session', usd: 1, usage } as const
  const days = ['2026-03-01', '2026-03-02', '2026-03-03'].map((day) => `${day}T09:00:00Z`)
  for (const [room, session, model, when] of [
    ['shop', 's-a', 'x/one', days[0]],
    ['shop', 's-b', 'x/two', days[1]],
    ['web', 's-c', 'x/two', days[2]],
  ] as const)
    context.usage.add(`${session}:1`, { ...call, room, session, model, at: when ?? '' })
}

const names = (rows: readonly { readonly name: string | null }[]) => rows.map(({ name }) => name)
type Timeline = ParamsOf<'audit.timeline'>

async function events({ call }: HubHome, params: Timeline) {
  return await call('audit.timeline', { limit: 1_000, ...params })
}

/** Filters of the timeline: all that is left is such, and something is; without there is more. */
function timeline(
  given: Timeline,
  fits: (event: ResultOf<'audit.timeline'>['events'][number]) => boolean,
): Proof {
  return async (home) => {
    await home.call('task.update', { taskId: 't-aaaaaa', updates: { title: 'Told' } })
    const [some, all] = [(await events(home, given)).events, (await events(home, {})).events]
    expect([some.length > 0, some.every(fits), all.every(fits)]).toEqual([true, true, false])
  }
}

const found = (result: ResultOf<'memory.search'>) => result.results.map(({ source }) => source.split(':')[0])
const searched =
  (params: object) =>
  async ({ call }: HubHome) =>
    found(await call('memory.search', { query: 'pump', ...params }))

export const FINDS: readonly Effects[] = [
  effects('room.list', FILES, {
    includeArchived: async ({ call }) => {
      expect((await call('room.list', {})).map(({ id }) => id)).not.toContain('old')
      expect((await call('room.list', { includeArchived: true })).map(({ id }) => id)).toContain('old')
    },
  }),
  effects(
    'task.list',
    FILES,
    leaves(listing('task.list', pathsOf), {
      roomId: [{ roomId: 'web' }, [at('web', 'c')]],
      status: [{ status: ['draft', 'blocked'] }, [at('shop', 'a'), at('shop', 'b')]],
      label: [{ label: 'red' }, [at('shop', 'a')]],
      limit: [{ limit: 1 }, [at('shop', 'a')]],
      cursor: [{ cursor: at('shop', 'b') }, [at('shop', 'd'), at('web', 'c')]],
    }),
  ),
  effects(
    'session.list',
    FILES,
    leaves(listing('session.list', idsOf), {
      roomId: [{ roomId: 'web' }, ['s-cccccc']],
      taskId: [{ taskId: 'shop/b' }, ['s-bbbbbb']],
      status: [{ status: ['completed'] }, ['s-cccccc', 's-aaaaaa']],
      limit: [{ limit: 1 }, ['s-cccccc']],
    }),
  ),
  effects(
    'memory.list',
    FILES,
    leaves(async ({ call }, params) => pathsOf(await call('memory.list', { roomId: 'shop', ...params })), {
      roomId: [{ roomId: 'web' }, ['rooms/web/memories/three.md']],
      type: [{ type: 'note' }, ['rooms/shop/memories/one.md']],
      limit: [{ limit: 1 }, ['rooms/shop/memories/two.md']],
    }),
  ),
  effects('memory.search', FILES, {
    query: async (home) => {
      expect(await searched({ query: 'green pump', limit: 1 })(home)).toEqual(['rooms/web/memories/three.md'])
      expect(await searched({ query: 'blue pump', limit: 1 })(home)).toEqual(['rooms/shop/memories/one.md'])
    },
    ...leaves((home, params) => searched(params)(home), {
      roomId: [{ roomId: 'web' }, ['rooms/web/memories/three.md']],
      types: [{ types: ['pattern'] }, ['rooms/shop/memories/two.md']],
      tags: [{ tags: ['blue'] }, ['rooms/shop/memories/one.md']],
      to: [{ to: '2026-03-02' }, ['rooms/shop/memories/one.md']],
    }),
    from: async (home) => {
      const since = await searched({ from: '2026-03-03' })(home)
      expect([since.length, since.includes('rooms/shop/memories/one.md')]).toEqual([2, false])
    },
    limit: async (home) =>
      expect([(await searched({})(home)).length, (await searched({ limit: 1 })(home)).length]).toEqual([
        3, 1,
      ]),
    scopeId: async (home) => {
      await home.call('scope.remember', { scopeId: 'club', content: 'the pump is ours' })
      expect((await searched({})(home)).join()).not.toContain('club')
      expect((await searched({ scopeId: 'club' })(home)).join()).toContain('club')
    },
  }),
  effects(
    'ask.list',
    FILES,
    leaves(async ({ call }, params) => idsOf(await call('ask.list', params)), {
      roomId: [{ roomId: 'web' }, ['a-bbbbbb']],
      all: [{ all: true }, ['a-aaaaaa', 'a-dddddd', 'a-bbbbbb']],
    }),
  ),
  effects(
    'review.list',
    FILES,
    leaves(listing('review.list', pathsOf), { roomId: [{ roomId: 'web' }, [at('web', 'c')]] }),
  ),
  effects('schedule.list', FILES, {
    roomId: async ({ call }) => {
      expect(await call('schedule.list', { roomId: 'shop' })).toEqual([])
      expect(await call('schedule.list', { roomId: 'web' })).toMatchObject([{ name: 'daily' }])
    },
    nextRuns: async ({ call }) => {
      const runs = async (nextRuns: number) => (await call('schedule.list', { nextRuns }))[0]?.nextRuns.length
      expect([await runs(0), await runs(7)]).toEqual([0, 7])
    },
  }),
  effects('template.fill', FILES, {
    name: async ({ call }) =>
      expect(await call('template.fill', { name: 'else' })).toMatchObject({ title: 'Else' }),
    params: async ({ call }) =>
      expect(await call('template.fill', { name: 'form', params: { what: 'thing' } })).toMatchObject({
        title: 'A thing',
        description: 'Of thing.\n',
      }),
  }),
  effects('file.get', FILES, {
    roomId: async ({ call, refusal }) => {
      await call('room.update', { roomId: 'web', updates: { defaultWorkspace: 'rooms/web' } })
      expect(await call('file.get', { roomId: 'web', path: 'notes.txt' })).toMatchObject({
        name: 'notes.txt',
      })
      expect(await refusal('file.get', { roomId: 'shop', path: 'notes.txt' })).toMatchObject({ code: -32002 })
    },
    path: async ({ call }) => {
      const get = async (path: string) => (await call('file.get', { roomId: 'shop', path })).base64
      expect([await get('one.txt'), await get('two.txt')]).toEqual([btoa('one'), btoa('two')])
    },
  }),
  effects('usage.summary', FILES, {
    by: async (home) => {
      used(home)
      expect(names((await home.call('usage.summary', { by: 'model' })).rows).toSorted()).toEqual([
        null,
        'x/one',
        'x/two',
      ])
      expect(names((await home.call('usage.summary', {})).rows).toSorted()[0]).toBe('2026-03-01')
    },
    ...leaves(
      async ({ call }, params) =>
        names((await call('usage.summary', { by: 'session', ...params })).rows).toSorted(),
      {
        roomId: [{ roomId: 'web' }, ['s-c']],
        from: [{ from: '2026-03-03' }, ['s-c']],
        to: [{ to: '2026-03-01' }, ['s-a']],
      },
    ),
  }),
  effects('audit.timeline', FILES, {
    roomId: timeline({ roomId: 'shop' }, ({ roomId }) => roomId === 'shop'),
    taskId: timeline({ taskId: 'shop/a' }, ({ taskId }) => taskId === 't-aaaaaa'),
    agentId: async (home) => {
      await home.refusal('aoi.discover', {}, { kind: 'peer', id: 'ann' })
      const { events: some } = await events(home, { agentId: 'ann' })
      expect(some.map(({ agentId, kind }) => [agentId, kind])).toEqual([['ann', 'decision']])
    },
    actor: timeline({ actor: 'Person' }, ({ name, actor }) => name === 'Person' || actor === 'Person'),
    kinds: timeline({ kinds: ['decision'] }, ({ kind }) => kind === 'decision'),
    sessionId: async (home) => {
      home.home.write(
        'rooms/shop/transcripts/s-aaaaaa.jsonl',
        '{"v":1,"type":"note","ts":"2026-03-01T09:00:00Z","text":"x"}\n',
      )
      const { events: some } = await events(home, { sessionId: 's-aaaaaa' })
      expect([some.length > 0, some.every(({ sessionId }) => sessionId === 's-aaaaaa')]).toEqual([true, true])
    },
    since: async (home) => expect((await events(home, { since: '2099-01-01' })).events).toEqual([]),
    until: async (home) => expect((await events(home, { until: '2000-01-01' })).events).toEqual([]),
    limit: async (home) => expect((await events(home, { limit: 2 })).events).toHaveLength(2),
    cursor: async (home) => {
      const page = await events(home, { limit: 1, kinds: ['commit'] })
      const before = await events(home, { limit: 1, kinds: ['commit'], cursor: page.cursor ?? '' })
      expect(before.events).toHaveLength(1)
      expect(before.events).not.toEqual(page.events)
    },
  }),
]
