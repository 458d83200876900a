/** config.get and config.set: the fields of a list, comments kept, no secret; room.assignSession and unassignSession. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hubHome, HUMAN, last, LOBBY_NEO, NEO, SESSION } from './hub-home.ts'

const YAML = `# Our home
timezone: Europe/Paris   # where we are
model: rules
daemon:
  # two at once
  concurrency: 2   # enough
providers:
  own: { api: openai, base_url: http://127.0.0.1:1, api_key: sk-neverShown123456 }
http: { token: a-token-of-16-characters }
`

test('config.set changes the lines of its keys alone, takes effect at once, and is a commit of the person', async () => {
  const { home, call } = await hubHome({ 'neo.yaml': YAML })
  const now = await call('config.set', {
    updates: {
      timezone: 'Asia/Tokyo',
      daemon: { concurrency: 4, rescanMs: 45_000, workspaces: ['../other'] },
      budget: { usdPerDay: 5 },
      logLevel: 'debug',
    },
  })
  expect(now).toMatchObject({
    timezone: 'Asia/Tokyo',
    daemon: { concurrency: 4, rescanMs: 45_000, workspaces: ['../other'] },
    budget: { usdPerDay: 5 },
    logLevel: 'debug',
  })
  const lines = home.read('neo.yaml').split('\n')
  expect(lines.slice(0, 6)).toEqual([
    '# Our home',
    'timezone: Asia/Tokyo   # where we are',
    'model: rules',
    'daemon:',
    '  # two at once',
    '  concurrency: 4   # enough',
  ])
  expect(lines).toContain(
    '  own: { api: openai, base_url: http://127.0.0.1:1, api_key: sk-neverShown123456 }',
  )
  expect(last(home)).toContain('Person: neo(home): set configuration')
})

test('config.set with null takes a field out, and the default holds again', async () => {
  const { home, call } = await hubHome({ 'neo.yaml': YAML })
  const now = await call('config.set', { updates: { timezone: null, daemon: { concurrency: null } } })
  expect([now.daemon.concurrency, home.read('neo.yaml')]).toEqual([
    2,
    expect.not.stringContaining('timezone'),
  ])
})

test('config.set with null for the last limit takes the section out: an empty one looks unfinished', async () => {
  const { home, call } = await hubHome({ 'neo.yaml': 'budget:\n  usd_per_day: 5\nlog: { level: info }\n' })
  await call('config.set', { updates: { budget: { usdPerDay: null }, logLevel: null } })
  expect(home.read('neo.yaml')).toBe('')
  await call('room.update', { roomId: 'lobby', updates: { permissions: { shell: 'ask' } } })
  await call('room.update', { roomId: 'lobby', updates: { permissions: { shell: null } } })
  expect(home.read('rooms/lobby/ROOM.md')).not.toContain('permissions')
})

test('config.set makes neo.yaml where there is none', async () => {
  const { home, call } = await hubHome()
  home.git('rm', '-q', 'neo.yaml')
  home.git('commit', '-q', '-m', 'bare')
  await call('config.set', { updates: { daemon: { concurrency: 3 } } })
  expect(home.read('neo.yaml')).toBe('daemon:\n  concurrency: 3\n')
})

test.each([
  ['an unknown field', { providers: {} }, 'providers'],
  ['a secret', { http: { token: 'x' } }, 'http'],
  ['a value that the file may not have', { timezone: 'Nowhere/Else' }, 'time zone'],
  ['a model without a provider', { model: 'claude' }, 'provider'],
])('config.set refuses %s, and the file stays', async (_, updates, why) => {
  const { home, refusal } = await hubHome({ 'neo.yaml': YAML })
  expect(await refusal('config.set', { updates })).toMatchObject({
    code: -32602,
    message: expect.stringContaining(why),
  })
  expect(home.read('neo.yaml')).toBe(YAML)
})

test('config.set leaves a file alone that has a mistake', async () => {
  const home = await hubHome({ 'neo.yaml': YAML })
  writeFileSync(join(home.home.dir, 'neo.yaml'), 'timezone: [\n')
  expect(await home.refusal('config.set', { updates: { logLevel: 'info' } })).toMatchObject({ code: -32004 })
  expect(home.home.read('neo.yaml')).toBe('timezone: [\n')
})

test.each([NEO, LOBBY_NEO, SESSION])('config.set is refused to $kind', async (as) => {
  const { refusal } = await hubHome({ 'neo.yaml': YAML })
  expect(await refusal('config.set', { updates: { logLevel: 'info' } }, as)).toMatchObject({ code: -32001 })
})

test('config.get and the audit log show no secret', async () => {
  const { home, call } = await hubHome({ 'neo.yaml': YAML })
  const said = JSON.stringify(await call('config.get', {})) + home.read('.git/neo/audit.jsonl')
  expect(said).not.toMatch(/sk-never|a-token/)
})

const SESSION_FILE =
  '---\nid: s-aaaaaa\ntask: t-aaaaaa\nstatus: completed\nstarted_at: 2026-03-01T09:00:00Z\n---\nDone\n'

test('a session is moved into a room with its transcript, and out of it into the lobby', async () => {
  const { home, call } = await hubHome({
    'rooms/shop/sessions/s-aaaaaa.md': SESSION_FILE,
    'rooms/shop/transcripts/s-aaaaaa.jsonl': '{"type":"end"}\n',
    'rooms/other/ROOM.md': '---\nname: Other\n---\n',
  })
  expect(await call('room.assignSession', { sessionId: 's-aaaaaa', roomId: 'other' })).toMatchObject({
    roomId: 'other',
  })
  expect([
    home.read('rooms/other/sessions/s-aaaaaa.md'),
    home.read('rooms/other/transcripts/s-aaaaaa.jsonl'),
  ]).toEqual([SESSION_FILE, '{"type":"end"}\n'])
  expect((await call('session.list', { roomId: 'shop' })).length).toBe(0)
  await call('room.unassignSession', { sessionId: 's-aaaaaa' })
  expect((await call('session.get', { sessionId: 's-aaaaaa' })).roomId).toBe('lobby')
  expect(home.git('status', '--porcelain')).toBe('')
})

test('a session is not moved to a room that there is not, nor by a model without a person', async () => {
  const { refusal, call } = await hubHome({ 'rooms/shop/sessions/s-aaaaaa.md': SESSION_FILE })
  const asked = { sessionId: 's-aaaaaa', roomId: 'nowhere' }
  expect(await refusal('room.assignSession', asked, HUMAN)).toMatchObject({ code: -32002 })
  expect(await refusal('room.unassignSession', { sessionId: 's-aaaaaa' }, NEO)).toMatchObject({
    code: -32001,
    ask: expect.any(String),
  })
  expect((await call('session.get', { sessionId: 's-aaaaaa' })).roomId).toBe('shop')
})
