/** Tools of the door for models: each is decided and recorded, fits its schema, and says what it refuses. */
import { expect, test } from 'vitest'
import { type MethodName, TABLE } from '../../../src/hub/method-table.ts'
import { shownTool } from '../../../src/servers/mcp/mcp-tool.ts'
import { TOOLS } from '../../../src/servers/mcp/mcp-tools-table.ts'
import { type HubHome, hubHome } from '../../hub/hub-home.ts'
import { makeDoor } from '../door.ts'
import { ERAS, overHttp, use } from './client.ts'

const AT = '2026-03-01T09:00:00Z'
const block = (id: string, by = 'human') => `neo:\n  id: ${id}\n  created_at: ${AT}\n  created_by: ${by}\n`
const taskText = (name: string, by = 'human') =>
  `---\nstatus: draft\nworker: agent\n${block(`t-${name}`, by)}---\n# ${name}\n`
const SCENE = {
  'templates/tasks/greet.md':
    '---\nparams: { who: { type: string, description: Whom } }\n---\n# Greet {{who}}\n',
  'rooms/shop/tasks/a.md': taskText('aaaaaa'),
  'rooms/shop/tasks/gone.md': taskText('gonnnn', 'editor'),
  'rooms/shop/tasks/own.md': taskText('ownnnn', 'editor'),
  'rooms/shop/memories/m.md': `---\ntype: note\n${block('m-aaaaaa', 'editor')}---\nTabs, not spaces.\n`,
  'rooms/shop/sessions/s-aaaaaa.md': `---\nid: s-aaaaaa\ntask: t-aaaaaa\nworker: shell\nstatus: completed\nstarted_at: ${AT}\n---\n`,
  'rooms/shop/asks/a-aaaaaa.md': `---\nkind: approval\naction: { tool: x, arguments: {}, files: [], sha256: "0" }\ndecision: pending\nneo: { id: a-aaaaaa, created_at: ${AT} }\n---\n`,
  'rooms/shop/schedules/daily.md': `---\nevery: 1d\n${block('c-aaaaaa')}---\nLook around.\n`,
}

const CONTEXTS = [{ type: 'repository', identifier: 'acme/shop' }]

/** Arguments with which each tool gets as far as it can. */
const ARGS: Readonly<Partial<Record<MethodName, Record<string, unknown>>>> = {
  'room.overview': { roomId: 'shop' },
  'room.create': { name: 'new' },
  'room.update': { roomId: 'shop', updates: { description: 'x' } },
  'task.list': { roomId: 'shop' },
  'task.get': { taskId: 'a' },
  'task.create': { roomId: 'shop', title: 'x', description: 'y', status: 'draft' },
  'task.update': { taskId: 'own', updates: { priority: 'low' } },
  'task.start': { taskId: 'own' },
  'task.retry': { taskId: 'own' },
  'task.cancel': { taskId: 'own' },
  'task.complete': { taskId: 'a', result: 'x' },
  'task.fail': { taskId: 'gone', error: 'x' },
  'task.delete': { taskId: 'gone' },
  'memory.search': { query: 'tabs' },
  'memory.list': { roomId: 'shop' },
  'memory.add': { roomId: 'shop', type: 'note', content: 'x' },
  'memory.delete': { memoryId: 'm-aaaaaa' },
  'message.send': { roomId: 'shop', content: 'x' },
  'context.get': { roomId: 'shop' },
  'session.get': { sessionId: 's-aaaaaa' },
  'session.stop': { sessionId: 's-aaaaaa' },
  'review.diff': { taskId: 'a' },
  'schedule.list': { roomId: 'shop' },
  'schedule.create': { roomId: 'shop', name: 'x', content: 'y', at: '2030-01-01T09:00' },
  'schedule.run': { roomId: 'shop', name: 'daily' },
  'agent.query': { agentId: 'ben', query: 'x', contextScope: CONTEXTS },
  'agent.execute': { agentId: 'ben', taskType: 'greet', contextScope: CONTEXTS },
  'mirror.event': { roomId: 'shop', kind: 'file.saved' },
  'template.run': { roomId: 'shop', name: 'greet', params: { who: 'Ana' } },
}
/** What cannot be done in that scene. */
const REFUSED: Readonly<Partial<Record<MethodName, RegExp>>> = {
  'task.complete': /person-ends|Approval required/,
  'message.send': /no daemon is running/,
  'review.diff': /Cannot find the review of/,
  'agent.query': /Approval required/,
  'agent.execute': /Approval required/,
  'mirror.event': /context mirror is off/,
}

async function scene(): Promise<HubHome & { client(era?: 'legacy' | 'auto'): ReturnType<typeof overHttp> }> {
  const home = await hubHome(SCENE)
  const door = await makeDoor(home.hub, { home: home.home.dir })
  return { ...home, client: (era = 'auto') => overHttp(door, era) }
}

test.each(ERAS)(
  'every tool is decided for an editor, recorded, and gives what its schema says (%s)',
  async (era) => {
    const home = await scene()
    const client = await home.client(era)
    // The client checks results against the schemas that it was listed.
    const { tools } = await client.listTools()
    await home.call('room.list', {})
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name))
    for (const tool of TOOLS) {
      const { method } = tool
      const before = home.audit().length
      const { text, isError } = await use(client, tool.name, ARGS[method])
      const recorded = home.audit().slice(before)
      expect(recorded.map((line) => [line.who, line.method])).toContainEqual(['editor', method])
      if (REFUSED[method] === undefined) expect([method, isError, text]).toEqual([method, false, text])
      else expect(text).toMatch(REFUSED[method])
    }
  },
)

test('no tool does anything for a caller whom policy lets do nothing', async () => {
  const home = await scene()
  const nobody = {
    ...home.hub,
    call: (_: unknown, method: string, params: unknown) =>
      home.hub.call({ kind: 'peer', id: 'qa' }, method, params),
  }
  const client = await overHttp(await makeDoor(nobody, { home: home.home.dir }), 'auto')
  for (const tool of TOOLS) {
    const { method } = tool
    const { text, isError } = await use(client, tool.name, ARGS[method])
    expect([method, isError, text]).toEqual([method, true, expect.stringContaining('Denied')])
  }
  expect(home.home.git('log', '--format=%s')).toBe('begin')
})

test('what only a person decides is no tool', () => {
  const acts = TOOLS.map(({ method }) => TABLE.get(method)?.act)
  for (const act of ['settle-ask', 'settle-review', 'clear-context']) expect(acts).not.toContain(act)
})

test('a tool that changes nothing says so, by the act that policy knows it by', () => {
  const reading = TOOLS.filter(({ effect }) => effect === 'reads').map(({ method }) => method)
  const acts = TOOLS.filter(({ method }) => /^see/.test(TABLE.get(method)?.act ?? '')).map(
    ({ method }) => method,
  )
  expect(reading).toEqual(acts)
})

test('every parameter that is shown is explained; what is not for models is not shown, and nothing that is needed is', () => {
  const tools = TOOLS.map(shownTool).map(({ name, inputSchema }) => ({ name, ...(inputSchema as Shown) }))
  const lacking = tools.flatMap(({ name, required = [], properties = {} }) =>
    required.filter((key) => properties[key]?.description === undefined).map((key) => `${name}.${key}`),
  )
  expect(lacking).toEqual([])
  const shown = tools.flatMap(({ properties = {} }) => [
    ...Object.keys(properties),
    ...Object.values(properties).flatMap((property) => Object.keys(property.properties ?? {})),
  ])
  for (const hidden of ['scopeId', 'neo', 'sessionIds']) expect(shown).not.toContain(hidden)
})

interface Shown {
  readonly description?: string
  readonly required?: readonly string[]
  readonly properties?: Record<string, Shown>
}

test('a wrong argument is named with its path, an unknown tool with its name', async () => {
  const home = await scene()
  const client = await home.client()
  const wrong = { roomId: 'shop', title: 'x', description: 'y', budget: { usd: 'much' } }
  expect(await use(client, 'neo_task_create', wrong)).toMatchObject({
    isError: true,
    text: expect.stringContaining('"budget.usd" is "much"; expected a number (at least 0)'),
  })
  await expect(use(client, 'neo_ask_decide', {})).rejects.toMatchObject({ code: -32602 })
  expect(home.home.git('log', '--format=%s')).toBe('begin')
})

test('what an editor may not do becomes an ask, which a person settles outside', async () => {
  const home = await scene()
  const client = await home.client()
  const { text, isError } = await use(client, 'neo_task_update', {
    taskId: 'a',
    updates: { verify: ['true'] },
  })
  const [, ask = ''] = /neo ask approve (a-\w+)/.exec(text) ?? []
  expect([isError, text]).toEqual([true, expect.stringContaining('Nothing was changed')])
  await home.call('ask.decide', { askId: ask, decision: 'approved' })
  expect((await use(client, 'neo_task_get', { taskId: 'a' })).data['verify']).toEqual(['true'])
})

test('a list is given in pages, without the texts of its items', async () => {
  const home = await scene()
  const client = await home.client()
  const first = await use(client, 'neo_task_list', { limit: 2 })
  const rows = first.data['tasks'] as Record<string, unknown>[]
  expect([rows.length, rows.some((row) => 'description' in row)]).toEqual([2, false])
  const second = await use(client, 'neo_task_list', { limit: 2, cursor: first.data['nextCursor'] })
  expect(second.data).toMatchObject({ tasks: [{ path: 'rooms/shop/tasks/own.md' }], nextCursor: null })
})
