/** Tasks through the hub: made, read, changed and deleted, without losing what a person wrote. */
import { expect, test } from 'vitest'
import { learnSecret } from '../../src/domain/secrets/known-secrets.ts'
import { HUMAN, hubHome, last, NEO, PEER, SESSION, trailer } from './hub-home.ts'

const ADOPTED =
  '---\nstatus: pending\nneo:\n  id: t-aaaaaa\n  created_at: 2026-03-01T09:00:00Z\n  created_by: human\n---\n# A\n'
const PATH = 'rooms/shop/tasks/a.md'

test('task.create makes one committed file with its block', async () => {
  const { home, call } = await hubHome()
  const task = await call('task.create', {
    roomId: 'shop',
    title: 'Fix the  login',
    description: 'It loops.',
    priority: 'high',
    dependsOn: ['other'],
  })
  expect(task).toMatchObject({
    title: 'Fix the login',
    status: 'pending',
    priority: 'high',
    createdBy: 'human',
  })
  expect(task.path).toBe(`rooms/shop/tasks/fix-the-login--${task.id}.md`)
  expect(home.read(task.path)).toMatch(/^depends_on: \[other\]\nneo:\n {2}id: t-[\s\S]*---\nIt loops\.\n$/m)
  expect([last(home), trailer(home, 'Neo-Task')]).toEqual([
    `Person: neo(shop): create fix-the-login--${task.id}`,
    task.id,
  ])
})

test.each([
  [NEO, 'neo'],
  [SESSION, 'session:s-aaaaaa'],
])('task.create by %j is committed by Neo, with its author in the file', async (as, author) => {
  const { home, call } = await hubHome()
  const { createdBy } = await call('task.create', { roomId: 'shop', title: 'A', description: '' }, as)
  expect([createdBy, last(home).startsWith('Neo: ')]).toEqual([author, true])
})

test.each([
  [{ roomId: 'shop', description: 'x' }, ['title']],
  [{ roomId: 'shop', title: 'x', description: '```sh\nls\n' }, ['description']],
  [{ roomId: 'shop', title: 'x', description: '', worker: 'robot' }, ['worker']],
  [{ roomId: 'shop', title: 'x', description: '', priority: 'asap' }, ['priority']],
  [{ roomId: 'shop', title: 'x', description: '', colour: 1 }, []],
])('task.create refuses %j and writes nothing', async (params, path) => {
  const { home, refusal } = await hubHome()
  const { code, issues } = await refusal('task.create', params)
  expect([code, issues?.[0]?.path]).toEqual([-32602, path])
  expect([last(home), home.git('status', '--porcelain')]).toEqual(['Person: begin', ''])
})

test.each([
  ['verify', ['true']],
  ['workspace', '..'],
  ['review', 'none'],
  ['budget', { usd: 100 }],
  ['env', ['HOME']],
  ['model', 'x/y'],
])('task.create with %s by Neo becomes an ask', async (key, value) => {
  const { refusal, call } = await hubHome()
  const params = { roomId: 'shop', title: 'A', description: '', [key]: value }
  const { code, ask } = await refusal('task.create', params, NEO)
  expect([code, typeof ask]).toEqual([-32001, 'string'])
  expect(await call('task.list', {})).toEqual([])
})

test('the same refused call asked twice is one ask', async () => {
  const { refusal } = await hubHome()
  const params = { roomId: 'shop', title: 'A', description: '', verify: ['true'] }
  expect((await refusal('task.create', params, NEO)).ask).toBe(
    (await refusal('task.create', params, NEO)).ask,
  )
})

test('task.create in another room is denied to Neo and to sessions, everywhere to peers', async () => {
  const { refusal } = await hubHome({ 'rooms/other/ROOM.md': '---\nname: Other\n---\n' })
  const params = { roomId: 'other', title: 'A', description: '' }
  for (const as of [NEO, SESSION])
    expect(await refusal('task.create', params, as)).toMatchObject({ rule: 'own-room' })
  expect(await refusal('task.create', params, PEER)).toMatchObject({ code: -32001, rule: 'peer-default' })
})

test('task.list filters, pages and leaves out what the caller does not see', async () => {
  const files = { [PATH]: ADOPTED, 'rooms/other/tasks/b.md': '---\nstatus: draft\nlabels: [x]\n---\n# B\n' }
  const { call } = await hubHome(files)
  const names = async (...args: Parameters<typeof list>) => (await list(...args)).map(({ name }) => name)
  const list = (params: object, as = NEO) => call('task.list', params, as)
  expect(await names({})).toEqual(['a'])
  expect(await names({}, { kind: 'neo', room: 'lobby' })).toEqual(['b', 'a'])
  expect((await call('task.list', { status: ['draft'], label: 'x' })).map(({ name }) => name)).toEqual(['b'])
  const [first] = await call('task.list', { limit: 1 })
  expect((await call('task.list', { cursor: first?.path ?? '' })).map(({ name }) => name)).toEqual(['a'])
})

test('task.get finds a task by id, path, name and room/name', async () => {
  const { call, refusal } = await hubHome({ [PATH]: ADOPTED })
  for (const taskId of ['t-aaaaaa', PATH, 'a', 'shop/a'])
    expect(await call('task.get', { taskId })).toMatchObject({ id: 't-aaaaaa', description: '# A\n' })
  expect(await refusal('task.get', { taskId: 't-zzzzzz' })).toMatchObject({ code: -32002 })
})

test('task.update changes fields and body, and takes out what is null', async () => {
  const { home, call } = await hubHome({ [PATH]: ADOPTED.replace('status:', 'due: 2026-03-05\nstatus:') })
  const updates = { title: 'New', description: 'Other', due: null, retry: { max: 2, backoff: '5s' } }
  const task = await call('task.update', { taskId: 'a', updates })
  expect(task).toMatchObject({
    title: 'New',
    due: null,
    description: 'Other\n',
    retry: { max: 2, backoffMs: 5000 },
  })
  expect([last(home), home.git('status', '--porcelain')]).toEqual(['Person: neo(shop): update a', ''])
})

test('task.update keeps what a person has just saved, and names them in the commit', async () => {
  const { home, call } = await hubHome({ [PATH]: ADOPTED })
  home.write(PATH, ADOPTED.replace('# A', '# A\n\nMy own line.'))
  const task = await call('task.update', { taskId: 'a', updates: { priority: 'high' } }, NEO)
  expect(task).toMatchObject({ priority: 'high', description: '# A\n\nMy own line.\n' })
  expect(trailer(home, 'Co-authored-by')).toBe('Person <person@localhost>')
})

test('task.update takes in an old editor buffer before it changes the file', async () => {
  const { home, call } = await hubHome({ [PATH]: ADOPTED })
  await call('task.complete', { taskId: 'a', result: 'Done' })
  home.write(PATH, ADOPTED.replace('# A', '# A\n\nFrom an old buffer.'))
  const task = await call('task.update', { taskId: 'a', updates: { labels: ['x'] } })
  expect(task).toMatchObject({
    status: 'completed',
    result: 'Done',
    description: '# A\n\nFrom an old buffer.\n',
  })
})

test('task.update adopts a new file under the name of its person first', async () => {
  const { home, call } = await hubHome()
  home.write(PATH, '# Mine\n')
  await call('task.update', { taskId: 'a', updates: { priority: 'low' } }, NEO)
  expect(home.git('log', '-2', '--format=%an: %s').split('\n')).toEqual([
    'Neo: neo(shop): update a',
    'Person: neo(shop): adopt a',
  ])
})

test('task.update refuses a circle of dependencies', async () => {
  const { refusal } = await hubHome({
    [PATH]: ADOPTED,
    'rooms/shop/tasks/b.md': '---\ndepends_on: [a]\n---\n# B\n',
  })
  const { code, issues } = await refusal('task.update', { taskId: 'a', updates: { dependsOn: ['b'] } })
  expect([code, issues?.[0]?.path]).toEqual([-32602, ['dependsOn']])
})

test.each(['id', 'roomId', 'neo'])('task.update refuses to set %s, for everybody', async (key) => {
  const { refusal } = await hubHome({ [PATH]: ADOPTED })
  const params = { taskId: 'a', updates: { [key]: 'x' } }
  expect(await refusal('task.update', params)).toMatchObject({ code: -32001, rule: 'fixed-keys' })
})

test.each([
  ['neo', 'fixed-keys'],
  ['on_interrupt', 'guarded-keys'],
  ['verify', 'guarded-keys'],
])('task.update by Neo that takes out %s is ruled as setting it', async (key, rule) => {
  const { refusal } = await hubHome({ [PATH]: ADOPTED })
  const params = { taskId: 'a', updates: { unset: [key] } }
  expect(await refusal('task.update', params, NEO)).toMatchObject({ code: -32001, rule })
})

test('task.update of the commands of a person by Neo becomes an ask, of a title it does not', async () => {
  const { call, refusal } = await hubHome({ [PATH]: ADOPTED })
  expect(
    await refusal('task.update', { taskId: 'a', updates: { description: '```sh\nx\n```\n' } }, NEO),
  ).toMatchObject({
    rule: 'runbook-of-a-person',
  })
  expect((await call('task.update', { taskId: 'a', updates: { title: 'B' } }, NEO)).title).toBe('B')
})

test('task.delete removes the file in one commit, and git keeps it', async () => {
  const { home, call } = await hubHome({ [PATH]: ADOPTED })
  expect(await call('task.delete', { taskId: 'a' })).toBeNull()
  expect([home.has(PATH), last(home)]).toEqual([false, 'Person: neo(shop): delete a'])
  expect(home.git('show', `HEAD~1:${PATH}`)).toContain('# A')
})

test('task.delete by Neo of what a person wrote becomes an ask, of his own task it does not', async () => {
  const { call, refusal } = await hubHome({ [PATH]: ADOPTED })
  expect(await refusal('task.delete', { taskId: 'a' }, NEO)).toMatchObject({ rule: 'work-of-a-person' })
  const { id } = await call('task.create', { roomId: 'shop', title: 'Own', description: '' }, NEO)
  expect(await call('task.delete', { taskId: id ?? '' }, NEO)).toBeNull()
  expect(await refusal('task.delete', { taskId: 'a' }, SESSION)).toMatchObject({ rule: 'own-work' })
})

test('no answer or event holds a known secret; a task is found by what is shown, and a model writes none', async () => {
  const value = 'Plover-in-the-title-63'
  learnSecret(value)
  const { call, hub, home } = await hubHome()
  home.task(`a ${value}`, `---\ntitle: Rotate ${value}\nstatus: draft\n---\nSay ${value}.\n`)
  home.task('b', 'x\n')
  const events: string[] = []
  const end = await hub.subscribe(HUMAN, { channel: 'room:shop:state' }, (event) => {
    events.push(JSON.stringify(event))
  })
  end()
  const [first, ...rest] = await call('task.list', {})
  const [after] = await call('task.list', { cursor: first?.path ?? '', limit: 1 })
  const got = await call('task.get', { taskId: first?.path ?? '' })
  expect([got.title, got.path, after?.name]).toEqual(['Rotate ***', 'rooms/shop/tasks/a ***.md', 'b'])
  const made = await call('task.create', { roomId: 'shop', title: `Try ${value}`, description: value }, NEO)
  const said = JSON.stringify([first, rest, got, made, events])
  expect([said.includes(value), events.length > 0]).toEqual([false, true])
  expect(home.read(made.path)).not.toContain(value)
  expect(made.name).toMatch(/^try--/)
  await call('task.update', { taskId: got.path, updates: { priority: 'high' } })
  expect(home.text(`a ${value}`)).toContain(`title: Rotate ${value}\n`)
})

test('a text that was shown masked is not written over the secret', async () => {
  const value = 'Plover-in-the-body-64'
  learnSecret(value)
  const { call, refusal, home } = await hubHome({ [PATH]: ADOPTED.replace('# A', `# A\n\nUse ${value}.`) })
  const { description } = await call('task.get', { taskId: 'a' })
  const back = { taskId: 'a', updates: { description: `${description}More.\n` } }
  expect(await refusal('task.update', back)).toMatchObject({
    code: -32602,
    message: expect.stringContaining('replaces a secret'),
  })
  expect(home.read(PATH)).toContain(`Use ${value}.`)
  await call('task.update', { taskId: 'a', updates: { description: 'All new, with **stars**.\n' } })
  expect(home.read(PATH)).toContain('All new')
})
