/** Rooms through the hub: made, listed, changed, each as one commit of whoever acts. */
import { expect, test } from 'vitest'
import { hubHome, HUMAN, last, LOBBY_NEO, NEO, SESSION, trailer } from './hub-home.ts'

test('room.create makes a committed room with its own block', async () => {
  const { home, call } = await hubHome()
  const room = await call('room.create', { name: 'garden', description: 'Beds', defaultWorkspace: '../beds' })
  expect(room).toMatchObject({
    id: 'garden',
    description: 'Beds',
    defaultWorkspace: '../beds',
    status: 'active',
  })
  expect(home.read('rooms/garden/ROOM.md')).toMatch(/^workspace: \.\.\/beds$[\s\S]*^ {2}id: r-\w{6}$/m)
  expect([last(home), home.git('status', '--porcelain')]).toEqual([
    'Person: neo(garden): create room garden',
    '',
  ])
})

test('room.create takes a template with its tasks', async () => {
  const template = {
    'templates/rooms/shelf/ROOM.md': '---\nname: x\nworker: human\n---\nBe kind.\n',
    'templates/rooms/shelf/tasks/sort.md': '# Sort\n',
  }
  const { home, call } = await hubHome(template)
  const room = await call('room.create', { name: 'attic', template: 'shelf' })
  expect(room).toMatchObject({ name: 'attic', worker: 'human', instructions: 'Be kind.\n' })
  expect(home.read('rooms/attic/tasks/sort.md')).toBe('# Sort\n')
})

test.each([
  [{ name: '../x' }, ['name']],
  [{ name: 'x', colour: 'red' }, []],
  [{ name: 'SHOP' }, ['name']],
  [{}, ['name']],
])('room.create refuses %j', async (params, path) => {
  const { refusal } = await hubHome()
  const { code, issues } = await refusal('room.create', params)
  expect([code, issues?.[0]?.path]).toEqual([-32602, path])
})

test('room.create by the lobby is allowed, by the Neo of a room and by a session it is not', async () => {
  const { home, call, refusal } = await hubHome()
  await call('room.create', { name: 'garden' }, LOBBY_NEO)
  expect(last(home)).toBe('Neo: neo(garden): create room garden')
  expect(await refusal('room.create', { name: 'a' }, NEO)).toMatchObject({ code: -32001, rule: 'own-room' })
  expect(await refusal('room.create', { name: 'a' }, SESSION)).toMatchObject({ rule: 'session-acts' })
})

test('room.list gives the rooms that the caller sees, archived ones when they are asked for', async () => {
  const { call } = await hubHome({ 'rooms/old/ROOM.md': '---\nstatus: archived\n---\n' })
  const ids = async (...args: Parameters<typeof list>) => (await list(...args)).map(({ id }) => id)
  const list = (params: { includeArchived?: boolean }, as = HUMAN) => call('room.list', params, as)
  expect(await ids({})).toEqual(['lobby', 'shop'])
  expect(await ids({ includeArchived: true })).toEqual(['lobby', 'old', 'shop'])
  expect(await ids({}, NEO)).toEqual(['shop'])
  expect(await ids({}, LOBBY_NEO)).toEqual(['lobby', 'shop'])
})

test('room.get finds a room by its folder and by its own id', async () => {
  const { call, refusal } = await hubHome()
  const { id, neoId } = await call('room.update', { roomId: 'shop', updates: { description: 'All' } })
  expect((await call('room.get', { roomId: neoId ?? '' })).id).toBe(id)
  expect(await refusal('room.get', { roomId: 'nowhere' })).toMatchObject({ code: -32002 })
})

test('room.update changes only the lines of its fields', async () => {
  const before = '---\nname: Shop # ours\nworker:   shell\nkeep: 3\n---\nBe brief.\n'
  const { home, call } = await hubHome({ 'rooms/shop/ROOM.md': before })
  const updates = { defaultModel: 'rules', keep: null, budget: { usdPerDay: 5 }, envFiles: ['.env.test'] }
  const room = await call('room.update', { roomId: 'shop', updates })
  expect(room).toMatchObject({ defaultModel: 'rules', keep: 200, budget: { usdPerDay: 5, usdPerTask: null } })
  const text = home.read('rooms/shop/ROOM.md')
  expect(text).toMatch(/^---\nname: Shop # ours\nworker: {3}shell\n/)
  expect(text).toMatch(/^env_files: /m)
})

test('room.update makes ROOM.md for a folder that has none', async () => {
  const { home, call } = await hubHome({ 'rooms/bare/tasks/a.md': '# A\n' })
  await call('room.update', { roomId: 'bare', updates: { description: 'Bare' } })
  expect(home.read('rooms/bare/ROOM.md')).toMatch(/^name: bare\ndescription: Bare$/m)
})

test.each(['id', 'roomId', 'sessionIds', 'neo'])(
  'room.update refuses to set %s, for everybody',
  async (key) => {
    const { refusal } = await hubHome()
    const params = { roomId: 'shop', updates: { [key]: 'x' } }
    expect(await refusal('room.update', params)).toMatchObject({ code: -32001, rule: 'fixed-keys' })
  },
)

test.each([
  ['permissions', { shell: 'allow' }],
  ['budget', { usdPerDay: 900 }],
  ['approvers', ['m-me']],
  ['verify', ['true']],
  ['setup', ['true']],
  ['cleanup', ['true']],
  ['envFiles', ['.env']],
  ['mcpServers', { x: { command: 'x' } }],
  ['defaultWorkspace', '..'],
  ['base', 'other'],
  ['review', 'none'],
  ['env', ['HOME']],
  ['hooks', 'on'],
  ['worker', 'shell'],
  ['status', 'active'],
])('room.update of %s by Neo becomes an ask and changes nothing', async (key, value) => {
  const { home, refusal } = await hubHome()
  const before = home.read('rooms/shop/ROOM.md')
  const { code, ask } = await refusal('room.update', { roomId: 'shop', updates: { [key]: value } }, NEO)
  expect([code, home.read('rooms/shop/ROOM.md')]).toEqual([-32001, before])
  expect(home.read(`rooms/shop/asks/${ask}.md`)).toMatch(/^action: \{ tool: room\.update, /m)
})

test('room.pause, resume and archive write the status, by a person', async () => {
  const { home, call, refusal } = await hubHome()
  expect((await call('room.pause', { roomId: 'shop' })).status).toBe('paused')
  expect((await call('room.resume', { roomId: 'shop' })).status).toBe('active')
  expect((await call('room.archive', { roomId: 'shop' })).status).toBe('archived')
  expect(trailer(home, 'Neo-Room')).toBe('shop')
  expect(await refusal('room.resume', { roomId: 'shop' }, NEO)).toMatchObject({ rule: 'room-status' })
})
