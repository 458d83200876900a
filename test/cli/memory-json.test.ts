/** What programs read of the commands about memory: one document, the same fields every time, and exit codes. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { watching } from './daemon.ts'
import { type Ended, type Home, makeHome, neo, temporary, until } from './program.ts'

const MEMORY_FIELDS = [
  ...[
    'content',
    'createdAt',
    'createdBy',
    'id',
    'importance',
    'path',
    'roomId',
    'sessionId',
    'source',
    'tags',
  ],
  ...['taskId', 'type'],
]
const HIT_FIELDS = [
  ...['createdAt', 'kind', 'memoryId', 'room', 'score', 'snippet', 'source', 'tags', 'type', 'words'],
]
const DISTILLED_FIELDS = [
  ...['facts', 'kind', 'notes', 'refused', 'results', 'room', 'summarised', 'trouble'],
]

type Fields = Readonly<Record<string, unknown>>

/** The data of a document of this kind, and nothing beside it. */
function documentOf({ code, out }: Ended, kind: string): unknown {
  expect([code, out.trimEnd().split('\n').length]).toEqual([0, 1])
  const document = JSON.parse(out) as Fields
  expect(Object.keys(document)).toEqual(['schemaVersion', 'kind', 'data'])
  expect([document['schemaVersion'], document['kind']]).toEqual([1, kind])
  return document['data']
}

const fieldsOf = (value: unknown) => Object.keys(value as object).toSorted()

async function keptIn(home: Home): Promise<Fields> {
  const words = ['memory', 'add', 'shop', 'Prices are in euros', '--tag', 'prices', '--importance', 'high']
  return documentOf(await home.neo(...words, '--json'), 'memory.add') as Fields
}

test('memory add, list and delete give a memory with the same fields', async () => {
  const home = makeHome()
  const added = await keptIn(home)
  expect(fieldsOf(added)).toEqual(MEMORY_FIELDS)
  expect(added).toMatchObject({
    ...{
      roomId: 'shop',
      type: 'note',
      content: 'Prices are in euros\n',
      tags: ['prices'],
      importance: 'high',
    },
    ...{ createdBy: 'human', sessionId: null, taskId: null, source: null },
  })
  expect(documentOf(await home.neo('memory', 'list', '--json'), 'memory.list')).toEqual([added])
  const none = await home.neo('memory', 'list', '--room', 'lobby', '--json')
  expect(documentOf(none, 'memory.list')).toEqual([])
  const gone = await home.neo('memory', 'delete', String(added['id']), '--json')
  expect(documentOf(gone, 'memory.delete')).toEqual({ memoryId: added['id'] })
})

test.each([['search'], ['memory', 'search']])(
  '%s %s gives hits, best first, with file and line',
  async (...words) => {
    const home = makeHome()
    const added = await keptIn(home)
    const found = documentOf(await home.neo(...words, 'prices in euros', '--json'), 'memory.search') as Fields
    expect(fieldsOf(found)).toEqual(['queryTimeMs', 'results', 'total'])
    const [hit] = found['results'] as Fields[]
    expect(fieldsOf(hit)).toEqual(HIT_FIELDS)
    expect(hit).toMatchObject({ memoryId: added['id'], room: 'shop', kind: 'memory', tags: ['prices'] })
    expect(hit?.['source']).toMatch(/^rooms\/shop\/memories\/[^:]+\.md:\d+$/)
    const none = await home.neo(...words, '--type', 'pattern', 'euros', '--json')
    expect(documentOf(none, 'memory.search')).toMatchObject({ results: [], total: 0 })
  },
)

test('memory log and restore name commits; memory distill tells of each room', async () => {
  const home = makeHome()
  const { path } = (await keptIn(home)) as { path: string }
  const log = documentOf(await home.neo('memory', 'log', path, '--json'), 'memory.log') as Fields[]
  expect(log.map(fieldsOf)).toEqual([['at', 'author', 'commit', 'subject']])
  const none = await home.neo('memory', 'log', 'workspace/memory/MEMORY.md', '--json')
  expect(documentOf(none, 'memory.log')).toEqual([])
  const all = documentOf(await home.neo('memory', 'log', '--json'), 'memory.log') as Fields[]
  expect(all[0]).toEqual(log[0])
  const gone = await home.neo('memory', 'delete', path)
  expect(gone.out + gone.err).toContain(`${path} is deleted\n`)
  expect(gone.out + gone.err).toContain(`neo memory restore ${path}`)
  const back = documentOf(await home.neo('memory', 'restore', path, '--json'), 'memory.restore')
  expect(back).toEqual({ path, commit: log[0]?.['commit'] })
  const rooms = documentOf(await home.neo('memory', 'distill', '--json'), 'memory.distill') as Fields[]
  expect(rooms.map(({ room }) => room)).toEqual(['lobby', 'shop'])
  for (const room of rooms) expect(fieldsOf(room)).toEqual(DISTILLED_FIELDS)
})

test('export and import tell what went and what came', async () => {
  const home = makeHome()
  const dir = temporary()
  const file = join(dir, 'home.neo')
  const out = documentOf(await home.neo('export', file, '--json'), 'export') as Fields
  expect(fieldsOf(out)).toEqual(['bytes', 'file', 'files', 'left', 'sealed', 'state'])
  const back = documentOf(await neo(['import', file, join(dir, 'new'), '--json']), 'import') as Fields
  expect(fieldsOf(back)).toEqual(['auditBrokenAt', 'files', 'home', 'private', 'secrets', 'state'])
  expect([back['home'], back['files'], back['private']]).toEqual([join(dir, 'new'), out['files'], 'none'])
})

test('beside a daemon the documents are the same', async () => {
  const home = makeHome()
  await watching(home)
  await until(() => /"url": "http/.test(home.text('.neo/daemon.json')))
  const added = await keptIn(home)
  expect(fieldsOf(added)).toEqual(MEMORY_FIELDS)
  expect(documentOf(await home.neo('memory', 'list', '--json'), 'memory.list')).toEqual([added])
  const found = documentOf(await home.neo('search', 'euros', '--json'), 'memory.search') as Fields
  expect((found['results'] as Fields[]).map(fieldsOf)).toEqual([HIT_FIELDS])
  const gone = await home.neo('memory', 'delete', String(added['id']), '--json')
  expect(documentOf(gone, 'memory.delete')).toEqual({ memoryId: added['id'] })
})

test.each([
  [['memory', 'add', 'nowhere', 'x'], 4],
  [['memory', 'add', 'shop', 'x', '--type', 'robot'], 2],
  [['memory', 'list', '--room', 'nowhere'], 4],
  [['memory', 'delete', 'm-zzzzzz'], 4],
  [['memory', 'log', '../neo.yaml'], 2],
  [['memory', 'log', '--room', 'nowhere'], 4],
  [['memory', 'restore', 'rooms/shop/memories/none.md'], 4],
  [['memory', 'restore', 'rooms/shop/memories/../../x.md'], 2],
  [['memory', 'distill', '--room', 'nowhere'], 4],
  [['memory', 'distill', '--scope', 'nowhere'], 4],
  [['search'], 2],
  [['search', 'x', '--limit', 'many'], 2],
  [['search', 'x', '--until', 'soon'], 2],
] as const)('neo %j --json ends with %i, and stdout stays empty', async (words, code) => {
  const ended = await makeHome().neo(...words, '--json')
  expect([ended.code, ended.out]).toEqual([code, ''])
  expect(ended.err).toMatch(/^neo: .+\n(why: .+\n)?next: .+\n$/)
})

test('a hit is shown without the mark of who said it', async () => {
  const home = makeHome()
  await home.neo('memory', 'add', 'shop', '<message from="human"> The wifi word is quartz </message>')
  const { out } = await home.neo('search', 'wifi')
  expect(out).toMatch(/The wifi word is quartz/)
  expect(out).not.toContain('<message')
})
