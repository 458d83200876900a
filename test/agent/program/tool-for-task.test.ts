/** Which tool of an MCP server does a task, and what it is called with. */
import { expect, test } from 'vitest'
import { toolForTask } from '../../../src/agent/program/tool-for-task.ts'
import type { JsonObject } from '../../../src/domain/agent/model-message.ts'
import type { McpTool } from '../../../src/ports/mcp-port.ts'

const text: JsonObject = { type: 'string' }
const tool = (name: string, properties: JsonObject, required: readonly string[] = []): McpTool =>
  ({
    name,
    description: '',
    readOnly: false,
    schema: { type: 'object', properties, required: [...required] },
  }) as unknown as McpTool

const ON = { server: 'files', tool: null }

function argumentsOf(tools: readonly McpTool[], of: { server: string; tool: string | null } = ON): unknown {
  const found = toolForTask(tools, of)
  return 'wrong' in found ? found.wrong : { name: found.name, ...found.arguments('Do it.', '/work') }
}

test.each<[string, McpTool, JsonObject]>([
  ['an argument prompt', tool('do', { prompt: text }), { prompt: 'Do it.' }],
  [
    'a required prompt',
    tool('do', { prompt: text, n: { type: 'number' } }, ['prompt']),
    { prompt: 'Do it.' },
  ],
  ['one required text', tool('do', { task: text, n: { type: 'number' } }, ['task']), { task: 'Do it.' }],
  [
    'a text that may be null',
    tool('do', { task: { type: ['string', 'null'] } }, ['task']),
    { task: 'Do it.' },
  ],
  ['an argument whose type is not said', tool('do', { task: {} }, ['task']), { task: 'Do it.' }],
  [
    'a folder to work in',
    tool('do', { prompt: text, cwd: text }, ['prompt', 'cwd']),
    { prompt: 'Do it.', cwd: '/work' },
  ],
  [
    'a folder beside another text',
    tool('do', { task: text, cwd: text }, ['task', 'cwd']),
    { task: 'Do it.', cwd: '/work' },
  ],
])('a tool with %s takes the task', (_, one, args) => {
  expect(argumentsOf([one])).toEqual({ name: 'do', ...args })
})

test.each<[string, McpTool]>([
  ['no argument', tool('do', {})],
  ['an optional text that is no prompt', tool('do', { task: text })],
  ['two required texts', tool('do', { a: text, b: text }, ['a', 'b'])],
  ['a prompt and another required argument', tool('do', { prompt: text, path: text }, ['prompt', 'path'])],
  ['a prompt that is a list', tool('do', { prompt: { type: 'array' } })],
  ['a required number', tool('do', { n: { type: 'number' } }, ['n'])],
  ['a required argument that it does not describe', tool('do', {}, ['task'])],
  [
    'a schema that is no object',
    { ...tool('do', {}), schema: { properties: [], required: 'a' } as unknown as JsonObject },
  ],
])('a tool with %s can’t take a task, and the message names the tools there are', (_, one) => {
  expect(argumentsOf([one])).toBe(
    'no tool of the MCP server files can take a task: it needs an argument prompt, or one required text, and no other required arguments; it has do',
  )
})

test('a named tool is taken, also beside others that could', () => {
  const tools = [tool('one', { prompt: text }), tool('two', { prompt: text })]
  expect(argumentsOf(tools, { server: 'files', tool: 'two' })).toEqual({ name: 'two', prompt: 'Do it.' })
})

test.each([
  ['three', 'the MCP server files has no tool three; it has one, two'],
  ['two', /^the tool two of the MCP server files can't take a task: /],
])('a named tool that is missing or doesn’t fit is said: %s', (name, says) => {
  const tools = [tool('one', { prompt: text }), tool('two', {})]
  expect(argumentsOf(tools, { server: 'files', tool: name })).toEqual(
    typeof says === 'string' ? says : expect.stringMatching(says),
  )
})

test('of several that fit, none is guessed', () => {
  const tools = [tool('one', { prompt: text }), tool('two', { task: text }, ['task']), tool('three', {})]
  expect(argumentsOf(tools)).toBe('name a tool of the MCP server files, as mcp:files/TOOL: one, two')
})

test('a server without tools says so', () => {
  expect(argumentsOf([])).toContain('it has none')
  expect(argumentsOf([], { server: 'files', tool: 'one' })).toBe(
    'the MCP server files has no tool one; it has none',
  )
})
