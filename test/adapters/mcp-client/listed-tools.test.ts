/** Tools with schemas that model servers refuse: each is mended or left out, and the others stay. */
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { readListedTools } from '../../../src/adapters/mcp-client/listed-tools.ts'
import { openMcpClients } from '../../../src/adapters/mcp-client/mcp-client.ts'

const TEXT = { type: 'string' }
const NUMBER = { type: 'number' }
const object = (properties: object, required: readonly string[]) => ({ type: 'object', properties, required })
const BY_NAME = object({ name: TEXT }, ['name'])
const BY_ID = object({ id: NUMBER }, ['id'])
const BOTH = { type: 'object', properties: { name: TEXT, id: NUMBER } }

const MENDED: Readonly<Record<string, readonly [given: unknown, schema: object]>> = {
  'oneOf at the top': [{ oneOf: [BY_NAME, BY_ID] }, BOTH],
  'anyOf beside a type': [{ type: 'object', anyOf: [BY_NAME, BY_ID] }, BOTH],
  allOf: [{ allOf: [BY_NAME, BY_ID] }, { ...BOTH, required: ['name', 'id'] }],
  'oneOf that only requires': [
    { ...BOTH, oneOf: [{ required: ['name'] }, { required: ['id'] }], not: { required: ['x'] } },
    BOTH,
  ],
  'the same name in two forms': [
    { anyOf: [BY_ID, object({ id: TEXT }, ['id'])] },
    object({ id: { anyOf: [NUMBER, TEXT] } }, ['id']),
  ],
  'a reference': [
    { $ref: '#/$defs/one', $defs: { one: BY_ID } },
    { ...BY_ID, $defs: { one: BY_ID } },
  ],
  'a reference to itself': [
    { $ref: '#/$defs/one', $defs: { one: { $ref: '#/$defs/one' } } },
    { properties: {} },
  ],
  'references that branch for ever': [
    { $ref: '#/$defs/a', $defs: { a: { oneOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }] } } },
    { properties: {} },
  ],
  'no schema': [undefined, { type: 'object', properties: {} }],
  'no type': [{ properties: { name: TEXT } }, { type: 'object', properties: { name: TEXT } }],
  'type as a list': [{ ...BY_ID, type: ['object', 'null'] }, BY_ID],
  'a list of nothing': [
    object({ ids: { type: 'array' } }, []),
    { type: 'object', properties: { ids: { type: 'array', items: {} } } },
  ],
  'properties and required that are none': [
    { type: 'object', properties: [], required: 'all' },
    { type: 'object', properties: {} },
  ],
}

for (const [name, [inputSchema, schema]] of Object.entries(MENDED))
  test(`a schema with ${name} is mended`, () => {
    const { tools, leftOut } = readListedTools([{ name: 'find', inputSchema }])
    expect([tools[0]?.['inputSchema'], leftOut]).toEqual([expect.objectContaining(schema), []])
    expect(Object.keys(tools[0]?.['inputSchema'] as object)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(oneOf|anyOf|allOf|not|\$ref)$/)]),
    )
  })

test('bad tools are left out by name, and the server and its other tools can be used', async () => {
  const given = [
    { name: 'find', description: 'Finds.', inputSchema: { oneOf: [BY_NAME, BY_ID] }, outputSchema: [] },
    { name: 'text', inputSchema: TEXT },
    { name: 'list', inputSchema: { oneOf: [TEXT, { type: 'array' }] } },
    { description: 'no name' },
    null,
    { name: 'good', inputSchema: BY_ID, annotations: { readOnlyHint: true } },
  ]
  const argv = ['node', resolve(import.meta.dirname, 'raw-server.mjs'), JSON.stringify(given)] as const
  const limits = { ms: 20_000, signal: new AbortController().signal }
  const server = { name: 'raw', kind: 'stdio', argv, env: {}, cwd: tmpdir() } as const
  const raw = (await openMcpClients().open([server], limits)).get('raw')
  if (raw === undefined || 'wrong' in raw) throw new Error(raw?.wrong)
  onTestFinished(() => raw.close())
  expect(raw.tools.map(({ name, readOnly }) => [name, readOnly])).toEqual([
    ['find', false],
    ['good', true],
  ])
  expect(raw.tools[0]?.description).toBe('Finds. Give one of these sets of arguments: name; id.')
  expect(raw.leftOut.map(({ name }) => name)).toEqual(['text', 'list', 'number 4', 'number 5'])
  expect(await raw.call({ tool: 'find', args: { id: 3 } }, limits)).toEqual({
    text: '{"id":3}',
    isError: false,
  })
})

test('what a server says right before its answer is heard, whatever it is', async () => {
  const tools = JSON.stringify([{ name: 'find', inputSchema: BY_ID }])
  const argv = ['node', resolve(import.meta.dirname, 'raw-server.mjs'), tools] as const
  const limits = { ms: 20_000, signal: new AbortController().signal }
  const server = { name: 'raw', kind: 'stdio', argv, env: {}, cwd: tmpdir() } as const
  const raw = (await openMcpClients().open([server], limits)).get('raw')
  if (raw === undefined || 'wrong' in raw) throw new Error(raw?.wrong)
  onTestFinished(() => raw.close())
  const first = [
    ['message', { level: 'info', data: 'reads\n it' }],
    ['message', { level: 'error', data: { at: 3 } }],
    ['message', { level: 'info' }],
    ['progress', { progress: 1, total: 2, message: 'half' }],
    ['progress', { progress: 2 }],
  ]
  const heard: string[] = []
  const said = (line: string) => void heard.push(line)
  await raw.call({ tool: 'find', args: { id: 3, first } }, { ...limits, said })
  expect(heard).toEqual(['reads it', 'error: {"at":3}', '', '1 of 2 half', '2'])
  await raw.call({ tool: 'find', args: { id: 3, first } }, limits)
  expect(heard).toHaveLength(5)
})

test('readListedTools() throws for nothing that a server lists', () => {
  const key = fc.constantFrom('oneOf', 'allOf', '$ref', 'type', 'properties', 'required', 'items')
  const schema = fc.dictionary(key, fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue())))
  const tool = fc.oneof(fc.jsonValue(), fc.record({ name: fc.string(), inputSchema: schema }))
  fc.assert(
    fc.property(fc.array(tool), (given) => {
      const { tools, leftOut } = readListedTools(given)
      expect(tools.length + leftOut.length).toBe(given.length)
    }),
    { seed: 18 },
  )
})
