/** What a member must not learn of rooms that they don't see. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { HubEvent } from '../../src/hub/hub.ts'
import { until } from '../path/home.ts'
import { HUMAN, hubHome } from './hub-home.ts'

const KIM = { kind: 'member', id: 'kim' } as const
const FILES = {
  'workspace/members/kim.md': '---\nrole: member\npermissions: { rooms: [shop] }\n---\n',
  'rooms/shop/tasks/notes.md': '---\nstatus: draft\nworker: human\n---\n# Notes\n',
  'rooms/secret/tasks/notes.md': '---\nstatus: draft\n---\n# Notes\n',
  'rooms/vault/tasks/notes.md': '---\nstatus: draft\n---\n# Notes\n',
}
/** What a call or a subscription ends with. */
async function ends(one: Promise<unknown>) {
  return one.then(
    () => null,
    ({ code, message, data }: Error & { code: number; data: unknown }) => ({ code, message, data }),
  )
}

test('a name of several tasks is told with those that the caller sees', async () => {
  const { hub, call } = await hubHome({
    ...FILES,
    'workspace/members/kim.md': '---\nrole: member\npermissions: { rooms: [shop, yard] }\n---\n',
    'rooms/yard/tasks/notes.md': '---\nstatus: draft\n---\n# Notes\n',
  })
  const asked = [
    () => call('task.get', { taskId: 'notes' }, KIM),
    () => call('task.story', { taskId: 'notes' }, KIM),
    () => call('session.list', { taskId: 'notes' }, KIM),
    () => hub.subscribe(KIM, { channel: 'task:notes:state' }, () => {}),
  ]
  for (const one of asked) {
    const error = await ends(one())
    expect(JSON.stringify(error)).not.toMatch(/secret|vault|\b[34] have/)
    const { paths } = (error?.data ?? { paths: [] }) as { readonly paths: readonly string[] }
    expect(paths.toSorted()).toEqual(['rooms/shop/tasks/notes.md', 'rooms/yard/tasks/notes.md'])
  }
  await expect(call('task.get', { taskId: 'notes' })).rejects.toMatchObject({
    data: { paths: expect.arrayContaining(['rooms/secret/tasks/notes.md']) },
  })
})

test('a name means the task that the caller sees, whatever hidden rooms hold', async () => {
  const { call, home } = await hubHome(FILES)
  expect((await call('task.get', { taskId: 'notes' }, KIM)).path).toBe('rooms/shop/tasks/notes.md')
  await call('task.update', { taskId: 'notes', updates: { title: 'Mine' } }, KIM)
  expect(home.read('rooms/shop/tasks/notes.md')).toContain('Mine')
  expect(home.read('rooms/secret/tasks/notes.md')).not.toContain('Mine')
})

test('an id that was copied means the memory and the request that the caller may change', async () => {
  const memory = '---\ntype: note\nneo: { id: m-aaaaaa, created_by: "member:kim" }\n---\nA note\n'
  const { call, home } = await hubHome({
    ...FILES,
    'rooms/archive/memories/m.md': memory,
    'rooms/archive/ROOM.md': '---\nname: Archive\n---\n',
    'rooms/shop/memories/m.md': memory,
  })
  await call('memory.delete', { memoryId: 'm-aaaaaa' }, KIM)
  expect([home.has('rooms/shop/memories/m.md'), home.has('rooms/archive/memories/m.md')]).toEqual([
    false,
    true,
  ])
})

test('who decides in a room that they do not see still does', async () => {
  const ask = `---\nkind: question\naction: { tool: ask, arguments: {}, files: [], sha256: "0" }\ndecision: pending\nneo: { id: a-aaaaaa, created_at: 2026-03-01T09:00:00Z }\n---\nHow?\n`
  const { refusal } = await hubHome({
    ...FILES,
    'rooms/secret/ROOM.md': '---\nname: Secret\napprovers: [kim]\n---\n',
    'rooms/secret/asks/a-aaaaaa.md': ask,
    'rooms/vault/asks/a-bbbbbb.md': ask.replaceAll('aaaaaa', 'bbbbbb'),
  })
  const decide = (askId: string) => refusal('ask.decide', { askId, decision: 'approved' }, KIM)
  expect(await decide('a-aaaaaa')).toMatchObject({ issues: [{ path: ['decision'] }] })
  expect(await decide('a-bbbbbb')).toEqual(await decide('a-cccccc'))
  expect(await refusal('room.get', { roomId: 'secret' }, KIM)).toMatchObject({ rule: 'member-rooms' })
})

const ABSENT_CHANNELS = [
  ['room:secret:state', 'room:nope:state'],
  ['room:secret:tasks', 'room:nope:tasks'],
  ['room:secret:neo', 'room:nope:neo'],
  ['task:secret/notes:state', 'task:nope/notes:state'],
  ['session:s-aaaaaa:state', 'session:s-zzzzzz:state'],
  ['session:s-aaaaaa:transcript', 'session:s-zzzzzz:transcript'],
  ['session:s-aaaaaa:output', 'session:s-zzzzzz:output'],
] as const

test('a channel of what a member does not see is refused as one of what is not there', async () => {
  const { hub } = await hubHome({
    ...FILES,
    'rooms/secret/sessions/s-aaaaaa.md':
      '---\nid: s-aaaaaa\ntask: t-aaaaaa\nworker: shell\nstatus: completed\nstarted_at: 2026-03-01T09:00:00Z\n---\n',
  })
  const told = (channel: string) => ends(hub.subscribe(KIM, { channel }, () => {}))
  for (const [there, gone] of ABSENT_CHANNELS) {
    const said = await told(there)
    expect(said).toMatchObject({ code: -32001, data: { rule: 'member-rooms' } })
    expect(await told(gone)).toEqual(said)
  }
})

test('a waiting session of a hidden room, and a hidden room to move to, are as none', async () => {
  const { call, refusal } = await hubHome({
    ...FILES,
    'rooms/shop/memories/m.md': '---\ntype: note\nneo: { id: m-aaaaaa, created_by: "member:kim" }\n---\nA\n',
  })
  const { sessionId } = await call('session.create', { roomId: 'secret', worker: 'shell' })
  const start = (id: string) => refusal('task.start', { taskId: 'notes', sessionId: id }, KIM)
  const there = JSON.stringify(await start(sessionId))
  expect(there).toContain('is not a session that waits for tasks')
  expect(there.replaceAll(sessionId, 's-zzzzzz')).toBe(JSON.stringify(await start('s-zzzzzz')))
  const entry = (await call('memory.browse', { roomId: 'shop' }, KIM)).entries[0]
  const move = (moveTo: string) =>
    refusal(
      'memory.update',
      { memoryId: 'm-aaaaaa', version: entry?.version ?? '', updates: { moveTo } },
      KIM,
    )
  expect(await move('secret')).toMatchObject({ rule: 'member-rooms' })
  expect(await move('nope')).toEqual(await move('secret'))
})

test.each([
  ['task.get', { taskId: 'shop/nope' }],
  ['task.get', { taskId: 'rooms/shop/tasks/nope.md' }],
  ['chat.file', { roomId: 'shop', fileId: '0123456789abcdef01234567.txt' }],
  ['schedule.update', { roomId: 'shop', name: 'nope', updates: { status: 'paused' } }],
])('in their own rooms a member is told that nothing has the name: %s %j', async (method, params) => {
  const { refusal } = await hubHome(FILES)
  expect(await refusal(method, params, KIM)).toMatchObject({ code: -32002 })
})

test('a parent, who sees all rooms, is told what is not there', async () => {
  const { refusal } = await hubHome({ ...FILES, 'workspace/members/kim.md': '---\nrole: parent\n---\n' })
  expect(await refusal('room.get', { roomId: 'nope' }, KIM)).toMatchObject({ code: -32002 })
  expect(await refusal('task.get', { taskId: 't-zzzzzz' }, KIM)).toMatchObject({ code: -32002 })
})

test('whether a task of a hidden room exists shows nowhere in what a task waits for', async () => {
  const depending = (on: string) => `---\ndepends_on: [${on}]\n---\n# Waits\n`
  const { call } = await hubHome({
    ...FILES,
    'rooms/shop/tasks/a.md': depending('secret/notes'),
    'rooms/shop/tasks/b.md': depending('secret/nothing'),
    'rooms/secret/tasks/plan.md': '# Plan\n',
    'rooms/shop/tasks/c.md': depending('plan'),
    'rooms/shop/tasks/d.md': depending('nothing'),
  })
  const says = async (taskId: string) =>
    (await call('task.get', { taskId }, KIM)).waitsFor.map(({ says: text }) =>
      text.replace(/plan|nothing|notes/, ''),
    )
  expect(await says('a')).toEqual(await says('b'))
  expect(await says('c')).toEqual(await says('d'))
})

const WAITING = (on: string) => `---\nstatus: draft\nworker: human\ndepends_on: [${on}]\n---\n# Waits\n`

test.each<[string, unknown]>([
  ['task.create', { roomId: 'shop', title: 'Waits', description: '', worker: 'human' }],
  ['task.update', { taskId: 'notes', updates: {} }],
  ['template.run', { roomId: 'shop', name: 'wait' }],
])('%s refuses to depend on a hidden task as on one that does not exist', async (method, given) => {
  const { call, refusal, home } = await hubHome({
    ...FILES,
    'rooms/secret/tasks/plan.md': WAITING('nothing'),
    'templates/tasks/wait.md': '---\nstatus: draft\nworker: human\n---\n# Waits\n',
  })
  const on = (name: string) =>
    method === 'task.update'
      ? { ...(given as object), updates: { dependsOn: [name] } }
      : { ...(given as object), dependsOn: [name] }
  const says = async (name: string) =>
    JSON.stringify(await refusal(method, on(name), KIM)).replaceAll(name, 'NAME')
  expect(await says('secret/plan')).toContain('that you can see')
  for (const name of ['secret/nothing', 'plan', 'nothing'])
    expect(await says(name)).toBe(await says('secret/plan'))
  await call('task.create', { roomId: 'shop', title: 'One', description: '', worker: 'human' }, KIM)
  const seen = home
    .git('ls-files', 'rooms/shop/tasks')
    .split('\n')
    .find((path) => path.includes('one'))
  await call(method as 'task.create', on(seen?.slice(17, -3) ?? '') as never, KIM)
  expect(home.git('show', 'HEAD')).toContain(`shop/${seen?.slice(17, -3)}`)
})

test('a member may change a task that somebody else made depend on a hidden one', async () => {
  const { call, home } = await hubHome({ ...FILES, 'rooms/shop/tasks/a.md': WAITING('secret/notes') })
  const updates = { title: 'Mine', dependsOn: ['secret/notes', 'notes'] }
  await call('task.update', { taskId: 'shop/a', updates }, KIM)
  expect(home.read('rooms/shop/tasks/a.md')).toContain('depends_on: [secret/notes, shop/notes]')
})

test('the channel of memory says nothing about groups that a member is not in', async () => {
  const scope = '---\ntype: group\nroles: [parent]\ncommit: true\n---\n'
  const { hub, home, context } = await hubHome({ ...FILES, 'workspace/scopes/elders/SCOPE.md': scope })
  const stamps: unknown[] = []
  const on = ({ data }: HubEvent) => void stamps.push(data)
  await hub.subscribe(KIM, { channel: 'memory' }, on)
  await until(() => stamps.length === 1)
  const dir = join(home.dir, 'workspace/scopes/elders')
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'MEMORY.md'), '- we meet on Tuesdays\n')
  for (const hear of context.hinted) hear('workspace/scopes/elders/MEMORY.md')
  await hub.call(HUMAN, 'room.list', {})
  expect(JSON.stringify(stamps)).not.toMatch(/elders|\d-\d{5}/)
  expect(stamps).toHaveLength(1)
})

test.each([
  ['a group that they are not in', 'channel: "telegram:-100"\ntype: family_group\nmembers: [bo]'],
  ['a group for parents', 'channel: "telegram:-100"\ntype: parents_group'],
  ['a group whose file cannot be read', 'type: nonsense'],
])('who does not take part learns nothing of %s by speaking in it', async (_, header) => {
  const { refusal } = await hubHome({ ...FILES, 'workspace/scopes/elders/SCOPE.md': `---\n${header}\n---\n` })
  const says = async (scopeId: string) => await refusal('scope.get', { scopeId }, KIM)
  expect(await says('elders')).toEqual(await says('nobody'))
})
