/** source.get, check, set: files as text for an editor; schema.get; me.get; the channels of the page's lists. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { HubEvent } from '../../src/hub/hub.ts'
import { until } from '../path/home.ts'
import { hubHome, HUMAN, last, LOBBY_NEO, SESSION } from './hub-home.ts'

const PATH = 'rooms/shop/tasks/a.md'
const TEXT = '---\nstatus: draft\ntitel: x\n---\n# A\n'
const KIM = { kind: 'member', id: 'kim' } as const
const MEMBER = '---\nname: Kim\nrole: member\npermissions: { rooms: [shop] }\n---\n'

test('source.get gives the text, its version and its problems with line and column', async () => {
  const { call } = await hubHome({ [PATH]: TEXT })
  const got = await call('source.get', { path: PATH })
  expect(got).toMatchObject({ path: PATH, kind: 'task', text: TEXT })
  expect(got.problems).toEqual([expect.objectContaining({ line: 3, column: 1, severity: 'warning' })])
})

test('source.set saves in a commit of the person, and only over the version that was seen', async () => {
  const { call, home, refusal } = await hubHome({ [PATH]: TEXT })
  const { version } = await call('source.get', { path: PATH })
  const saved = await call('source.set', { path: PATH, text: TEXT.replace('titel: x\n', ''), version })
  expect(saved.problems).toEqual([])
  expect(last(home)).toContain('Person: ')
  const refused = await refusal('source.set', { path: PATH, text: 'other', version })
  expect(refused).toMatchObject({ code: -32004, conflict: true })
  expect(home.read(PATH)).toContain('# A')
})

test('source.set creates a file, and keeps one with an error as it is typed', async () => {
  const { call, home } = await hubHome()
  const path = 'rooms/shop/tasks/new.md'
  const { problems } = await call('source.set', { path, text: '---\nstatus: [\n---\n# N\n', version: null })
  expect(problems.map(({ severity }) => severity)).toContain('error')
  expect(home.read(path)).toBe('---\nstatus: [\n---\n# N\n')
})

test('source.check looks at neo.yaml as it is typed, and writes nothing', async () => {
  const { call, home } = await hubHome()
  const before = readFileSync(join(home.dir, 'neo.yaml'), 'utf8')
  const found = await call('source.check', { path: 'neo.yaml', text: 'timezone: Nowhere/Land\n' })
  expect(found[0]).toMatchObject({ line: 1, severity: 'error' })
  expect(readFileSync(join(home.dir, 'neo.yaml'), 'utf8')).toBe(before)
})

test.each([
  '.env',
  '../outside.md',
  'rooms/shop/tasks/../../../x.md',
  'README.md',
  '.git/config',
  '.neo/daemon.json',
])('%s is no file for the editor', async (path) => {
  const { refusal } = await hubHome({ '.env': 'KEY=a-secret-value-1234\n' })
  for (const [method, params] of [
    ['source.get', { path }],
    ['source.check', { path, text: '' }],
    ['source.set', { path, text: '', version: null }],
  ] as const)
    expect(await refusal(method, params)).toMatchObject({ code: -32602 })
})

test('a secret is masked, and a save that would lose it is refused', async () => {
  const yaml =
    'providers:\n  own: { api: openai, base_url: http://127.0.0.1:1, api_key: sk-neverShown123456 }\n'
  const { call, home, refusal } = await hubHome({ 'neo.yaml': yaml })
  const { text, version } = await call('source.get', { path: 'neo.yaml' })
  expect(text).not.toContain('sk-neverShown123456')
  const lost = text.replace('  own:', '  other:')
  const refused = await refusal('source.set', { path: 'neo.yaml', text: lost, version })
  expect(refused.code).toBe(-32602)
  expect(home.read('neo.yaml')).toBe(yaml)
})

test.each([
  ['a member', KIM],
  ['a session', SESSION],
  ['Neo', LOBBY_NEO],
])('%s does not edit files as text', async (_, who) => {
  const { refusal, home } = await hubHome({ [PATH]: TEXT, 'workspace/members/kim.md': MEMBER })
  const { code } = await refusal('source.set', { path: PATH, text: 'x', version: null }, who)
  expect(code).toBe(-32001)
  expect(home.read(PATH)).toBe(TEXT)
})

test('schema.get describes the keys of a header', async () => {
  const { call } = await hubHome()
  const { properties } = (await call('schema.get', { kind: 'task' })) as {
    readonly properties: Readonly<Record<string, { readonly description: string }>>
  }
  expect(properties['priority']?.description).toMatch(/priority/i)
})

test('me.get tells the owner everything, and a member what they may do in their rooms', async () => {
  const { call } = await hubHome({
    [PATH]: TEXT,
    'rooms/desk/ROOM.md': '---\nname: Desk\n---\n',
    'workspace/members/kim.md': MEMBER,
  })
  const owner = await call('me.get', {})
  expect(owner.who).toBe('human')
  expect(owner.home).toContain('change-home')
  const kim = await call('me.get', {}, KIM)
  expect(Object.keys(kim.rooms)).toEqual(['shop'])
  expect(kim.rooms['shop']).toContain('make-task')
  expect(kim.rooms['shop']).not.toContain('settle-review')
  expect(kim.home).not.toContain('change-home')
  expect(kim).toMatchObject({ role: 'member', commandRooms: ['shop'] })
  expect(kim.withCommands['shop']).not.toContain('move-task')
})

test('me.get names the rooms whose tasks run commands, which only parents start', async () => {
  const { call } = await hubHome({
    'rooms/shop/ROOM.md': '---\nname: Shop\nworker: shell\n---\n',
    'workspace/members/ana.md': '---\nrole: parent\n---\n',
  })
  const ana = await call('me.get', {}, { kind: 'member', id: 'ana' })
  expect(ana.commandRooms).toEqual(['shop'])
  expect(ana.withCommands['shop']).toContain('move-task')
})

test('the inbox holds what needs a person, and a member gets their rooms only', async () => {
  const { hub } = await hubHome({
    [PATH]: TEXT,
    'rooms/shop/tasks/s.md': '---\nstatus: blocked\n---\n# Stuck\n',
    'rooms/desk/ROOM.md': '---\nname: Desk\n---\n',
    'rooms/desk/tasks/t.md': '---\nstatus: blocked\n---\n# Other\n',
    'workspace/members/kim.md': MEMBER,
  })
  const [own, theirs]: [HubEvent[], HubEvent[]] = [[], []]
  await hub.subscribe(HUMAN, { channel: 'inbox' }, (event) => void own.push(event))
  await hub.subscribe(KIM, { channel: 'inbox' }, (event) => void theirs.push(event))
  await until(() => own.length > 0 && theirs.length > 0)
  const titles = ([event]: readonly HubEvent[]) => {
    const { snapshot } = (event?.data ?? {}) as { readonly snapshot: { readonly blocked: object } }
    return Object.values(snapshot.blocked)
      .map(({ title }: { readonly title: string }) => title)
      .toSorted()
  }
  expect(titles(own)).toEqual(['Other', 'Stuck'])
  expect(titles(theirs)).toEqual(['Stuck'])
  expect(own[0]?.data).toMatchObject({ snapshot: { problems: expect.anything() } })
})

test('the cards of a room hold no text of the tasks', async () => {
  const { hub } = await hubHome({ [PATH]: `${TEXT}\nA long text of this task.\n` })
  const events: HubEvent[] = []
  await hub.subscribe(HUMAN, { channel: 'room:shop:tasks' }, (event) => void events.push(event))
  await until(() => events.length > 0)
  const said = JSON.stringify(events[0]?.data)
  expect(said).toContain('"title":"A"')
  expect(said).not.toContain('A long text')
})
