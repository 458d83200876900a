import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/domain/agent/model-message.ts'
import type { AgentConfig } from '../../src/domain/peer/peer.ts'
import { type ActionContext, readArguments, type Step } from '../../src/orchestrator/actions/action.ts'
import { actionsOf, toolsOf } from '../../src/orchestrator/actions/action-table.ts'

const TASKS = [
  { id: 't-old111', name: 'build--t-old111', title: 'Build', status: 'completed' },
  { id: 't-new111', name: 'build--t-new111', title: 'Build', status: 'pending' },
  { id: 't-two111', name: 'test-a', title: 'Test', status: 'pending' },
  { id: 't-two222', name: 'test-b', title: 'Test', status: 'pending' },
]

/** The room's own conversation in a home with an agent. */
function inRoom(room: string, agent: unknown = { id: 'ana' }) {
  return { room, scope: null, options: { config: () => ({ agent: agent as AgentConfig | null }) } }
}

/** What an action comes to; the flaw of its arguments where they have one. */
async function come(name: string, input: JsonObject, room = 'shop'): Promise<Step | string> {
  const action = actionsOf(inRoom(room)).find((one) => one.name === name)
  if (action === undefined) return 'no such action'
  const read = readArguments(action, input)
  if ('wrong' in read) return read.wrong
  const contexts = room === 'shop' ? [{ type: 'repository', identifier: 'acme/shop' } as const] : []
  const context: ActionContext = { room, scope: null, created: [], contexts, see: async () => TASKS }
  return action.step(read.args, context)
}

async function called(name: string, input: JsonObject, room?: string): Promise<unknown> {
  const step = await come(name, input, room)
  return typeof step === 'object' && step.kind === 'call' ? [step.method, step.params] : step
}

const task = { title: 'X', description: 'Do x' }

describe('an action becomes one call of the hub', () => {
  test.each([
    [
      'ask_agent',
      { agent: 'ben', question: 'How far?' },
      'agent.query',
      {
        agentId: 'ben',
        query: 'How far?',
        contextScope: [{ type: 'repository', identifier: 'acme/shop' }],
      },
    ],
    [
      'ask_agent',
      { agent_id: 'ben', query: 'How far?', context: 'issue:acme/shop#1' },
      'agent.query',
      {
        agentId: 'ben',
        query: 'How far?',
        contextScope: [{ type: 'issue', identifier: 'acme/shop#1' }],
      },
    ],
    ['create_task', task, 'task.create', { roomId: 'shop', ...task }],
    [
      'create_task',
      { ...task, labels: 'a, b', due: '2026-03-05' },
      'task.create',
      { roomId: 'shop', ...task, labels: ['a', 'b'], due: '2026-03-05' },
    ],
    [
      'create_task',
      { title: ' X\n', body: 'Do x\n', priority: null, worker: '' },
      'task.create',
      { roomId: 'shop', ...task },
    ],
    ['assign_task', { taskId: 't-1', sessionId: 's-1' }, 'task.start', { taskId: 't-1', sessionId: 's-1' }],
    ['assign_task', { task: 't-1' }, 'task.start', { taskId: 't-1' }],
    ['complete_task', { task_id: 't-1', result: 'Done' }, 'task.complete', { taskId: 't-1', result: 'Done' }],
    [
      'create_session',
      { workspace: '../x', model: 'a/b', task_id: 't-1' },
      'session.create',
      { roomId: 'shop', workspacePath: '../x', model: 'a/b', taskId: 't-1' },
    ],
    [
      'create_session',
      { workspacePath: '../x' },
      'session.create',
      { roomId: 'shop', workspacePath: '../x' },
    ],
    [
      'send_message',
      { session_id: 's-1', content: 'Hi' },
      'message.send',
      { sessionId: 's-1', content: 'Hi' },
    ],
    [
      'add_memory',
      { type: 'NOTE', content: 'c', tags: ['a'] },
      'memory.add',
      { roomId: 'shop', type: 'note', content: 'c', tags: ['a'] },
    ],
    [
      'search_memory',
      { query: 'q', limit: '99', types: 'note' },
      'memory.search',
      { roomId: 'shop', query: 'q', types: ['note'], limit: 20 },
    ],
    [
      'update_room',
      { description: 'd', concurrency: 3 },
      'room.update',
      { roomId: 'shop', updates: { description: 'd', concurrency: 3 } },
    ],
    [
      'update_room',
      { updates: '{"default_model": "a/b"}' },
      'room.update',
      { roomId: 'shop', updates: { defaultModel: 'a/b' } },
    ],
    [
      'schedule',
      { name: 'n', message: 'm', kind: 'message', every: '1d' },
      'schedule.create',
      { roomId: 'shop', name: 'n', content: 'm', kind: 'message', every: '1d' },
    ],
  ])('%s %j', async (name, input, method, params) => {
    expect(await called(name, input)).toEqual([method, params])
  })

  test.each([
    [
      'create_room',
      { name: 'garden', workspace: '../g' },
      'room.create',
      { name: 'garden', defaultWorkspace: '../g' },
    ],
    ['send_message', { room: 'shop', content: 'Hi' }, 'message.send', { roomId: 'shop', content: 'Hi' }],
    ['search_memory', { query: 'q' }, 'memory.search', { query: 'q', limit: 8 }],
  ])('%s %j in the lobby', async (name, input, method, params) => {
    expect(await called(name, input, 'lobby')).toEqual([method, params])
  })
})

describe('arguments', () => {
  test.each([
    ['create_task', { ...task, workspace: '/' }, 'unknown parameter "workspace"; its parameters are title,'],
    ['create_task', { ...task, labels: [{ a: 1 }] }, '"labels.0" is {"a":1}; expected a string'],
    ['create_task', { ...task, labels: 7 }, '"labels" is 7; expected a list of strings'],
    ['create_task', { ...task, body: 'again' }, '"description" was given twice'],
    ['create_task', { title: ['X'], description: 'd' }, '"title" is ["X"]; expected a string'],
    ['create_task', { title: '  ', description: 'd' }, '"title" is missing; expected a string'],
    ['search_memory', { query: 'q', limit: 0 }, '"limit" is 0; expected an integer (at least 1)'],
    ['update_room', { updates: [1] }, '"updates" is [1]; expected an object'],
    ['update_room', { updates: 'x' }, '"updates" is "x"; expected an object'],
    ['add_memory', { type: 'joke', content: 'c' }, '"type" is "joke"; expected one of conversation'],
    ['create_room', { name: 'garden' }, 'no such action'],
  ])('%s refuses %j', async (name, input, text) => {
    expect(await come(name, input)).toEqual(expect.stringContaining(text))
  })

  test.each([
    ['update_room', {}, 'shop', 'Nothing to change'],
    ['schedule', { title: 't', content: 'c' }, 'shop', 'exactly one of cron'],
    ['send_message', { content: 'c' }, 'lobby', 'Give exactly one of room_id'],
    ['send_message', { content: 'c', room_id: 'a', session_id: 'b' }, 'lobby', 'Give exactly one of room_id'],
  ])('%s answers %j in %s', async (name, input, room, text) => {
    expect(await come(name, input, room)).toMatchObject({
      kind: 'answer',
      isError: true,
      text: expect.stringContaining(text),
    })
  })
})

describe('depends_on', () => {
  test.each([
    ['t-old111', ['t-old111']],
    ['build', ['t-new111']],
    ['test-b', ['t-two222']],
    ['garden/weed', ['garden/weed']],
    ['[build, "test-a"]', ['t-new111', 't-two111']],
  ])('%s means %j', async (depends_on, ids) => {
    expect(await called('create_task', { ...task, depends_on })).toEqual([
      'task.create',
      { roomId: 'shop', ...task, dependsOn: ids },
    ])
  })

  test.each(['Test', 'nothing', '✿FUNCTION✿'])('%s is no task, or not one', async (depends_on) => {
    expect(await come('create_task', { ...task, depends_on })).toMatchObject({
      kind: 'answer',
      isError: true,
    })
  })
})

test.each(['shop', 'lobby'])(
  'tools of %s have names and schemas that models take, and stay the same',
  (room) => {
    const tools = toolsOf(inRoom(room))
    for (const { name, description, schema } of tools) {
      expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
      expect(description.length).toBeGreaterThan(10)
      const { type, properties, required } = schema as {
        type: string
        properties: JsonObject
        required: string[]
      }
      expect([type, required.filter((key) => properties[key] === undefined)]).toEqual(['object', []])
    }
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length)
    expect(JSON.stringify(toolsOf(inRoom(room)))).toBe(JSON.stringify(tools))
  },
)

test.each(['shop', 'lobby'])('in %s, agents can be asked only while the home is one itself', (room) => {
  const names = (agent: unknown) => toolsOf(inRoom(room, agent)).map(({ name }) => name)
  expect(names({ id: 'ana' })).toEqual([...names(null), 'ask_agent'])
})
