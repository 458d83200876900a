/** source.preview: what a save would change, and what is risky about it; masked secrets survive a save. */
import { expect, test } from 'vitest'
import { guardedKeys, MODEL_ROOM_KEYS } from '../../src/domain/policy/policy-member.ts'
import { OWN, riskyChanges } from '../../src/domain/policy/risky-changes.ts'
import { configTrust } from '../../src/domain/policy/trust-lines-of.ts'
import { restoreMasked } from '../../src/domain/secrets/restore-masked.ts'
import { hubHome, LOBBY_NEO, SESSION } from './hub-home.ts'

const YAML = `# Ours
daemon: { branch: main, concurrency: 2 }
providers:
  own:
    api: openai
    base_url: http://127.0.0.1:1
    api_key: sk-neverShown123456 # mine
`
const KIM = { kind: 'member', id: 'kim' } as const
const ROOM = 'rooms/shop/ROOM.md'

test('keys are set in the text of neo.yaml, comments stay, and nothing is written', async () => {
  const { call, home } = await hubHome({ 'neo.yaml': YAML })
  const set = { 'daemon.concurrency': 4, timezone: 'Asia/Tokyo', 'daemon.branch': null }
  const got = await call('source.preview', { path: 'neo.yaml', set })
  expect(got.text).toContain('# Ours\ndaemon: { concurrency: 4 }')
  expect(got.text).toContain('timezone: Asia/Tokyo')
  expect(got.values).toMatchObject({ daemon: { concurrency: 4 }, timezone: 'Asia/Tokyo' })
  expect([got.problems, got.risks, home.read('neo.yaml')]).toEqual([[], [], YAML])
})

test('a risky change is named with what it means, without secrets', async () => {
  const { call } = await hubHome({ 'neo.yaml': YAML })
  const { text } = await call('source.get', { path: 'neo.yaml' })
  expect(text).toContain('api_key: *** # mine')
  const got = await call('source.preview', {
    path: 'neo.yaml',
    text: text.replace('127.0.0.1:1', 'far.example').concat('workers: { x: { command: [sh] } }\n'),
  })
  expect(got.risks.map(({ key, before, after, needsTrust }) => [key, before, after, needsTrust])).toEqual([
    ['providers.own.base_url', '"http://127.0.0.1:1"', '"http://far.example"', true],
    ['workers.x.command', null, '["sh"]', true],
  ])
  expect(JSON.stringify(got)).not.toContain('sk-never')
})

test('a change of the sections agent and access is risky, and so is who an agent is', async () => {
  const key = `p256:MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE${'x'.repeat(86)}`
  const { call } = await hubHome({ 'workspace/agents/eng-sato.md': `---\npublic_key: ${key}\n---\n` })
  const rule = '{ agent_id: eng-sato, pattern: acme/webapp, permission: read }'
  const text = `agent: { id: pm-ana, host: 0.0.0.0 }\naccess: { rules: [${rule}] }\n`
  const config = await call('source.preview', { path: 'neo.yaml', text })
  expect(config.risks).toMatchObject([
    { key: 'agent.id', after: '"pm-ana"', needsTrust: true },
    { key: 'agent.host', why: 'Other computers reach the agent of this home there.' },
    { key: 'access.rules.0.agent_id', why: 'This decides what agents of other homes can read and do.' },
    { key: 'access.rules.0.pattern' },
    { key: 'access.rules.0.permission', before: null, after: '"read"' },
  ])
  const file = await call('source.preview', {
    path: 'workspace/agents/eng-sato.md',
    text: `---\npublic_key: ${key.replace('xxx', 'yyy')}\nstatus: active\n---\n`,
  })
  expect(file.risks).toMatchObject([
    { key: 'public_key', before: `"${key}"`, needsTrust: false },
    { key: 'status', before: null, after: '"active"' },
  ])
})

test('a save keeps a masked secret, also if its line moves or gets another comment', async () => {
  const { call, home } = await hubHome({ 'neo.yaml': YAML })
  const { text, version } = await call('source.get', { path: 'neo.yaml' })
  const edited = `# More\n${text.replace('# mine', '# of the team')}`
  const saved = await call('source.set', { path: 'neo.yaml', text: edited, version })
  expect(home.read('neo.yaml')).toBe(`# More\n${YAML.replace('# mine', '# of the team')}`)
  expect(saved.text).not.toContain('sk-never')
})

test.each([
  ['a line as it was', 'a: ***\nb: 1\n', 'a: S1\nb: 1\n'],
  ['a moved line', 'b: 1\na: ***\n', 'b: 1\na: S1\n'],
  ['two keys of one name, one removed', 'x:\n  k: ***\n', 'x:\n  k: ***\n'],
])('a mask is replaced only if it is clear what it hides: %s', (name, edited, wanted) => {
  const [real, seen] = name.startsWith('two')
    ? ['x:\n  k: S1\ny:\n  k: S2\n', 'x:\n  k: ***\ny:\n  k: ***\n']
    : ['a: S1\nb: 1\n', 'a: ***\nb: 1\n']
  expect(restoreMasked(real, seen, edited)).toBe(wanted)
})

test('every line that neo trust asks about is risky, and no limit that is only lowered', () => {
  const after = {
    http: { host: '0.0.0.0' },
    channels: { telegram: { allow_from: ['1'] } },
    something_new: { x: 1 },
    budget: { usd_per_day: 5 },
  }
  const risks = riskyChanges('neo.yaml', { budget: { usd_per_day: 10 } }, after)
  expect(risks.map(({ key }) => `neo.yaml ${key}`)).toEqual(configTrust(after).map(({ name }) => name))
  expect(risks.every(({ needsTrust }) => needsTrust)).toBe(true)
  const [removed] = riskyChanges('neo.yaml', { budget: { usd_per_day: 10 } }, {})
  expect(removed).toMatchObject({ key: 'budget.usd_per_day', after: null, needsTrust: false })
})

test('the risky keys of a room are those that no model may set without a person', () => {
  const camel = (key: string) => key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  for (const key of OWN.room)
    expect([key, guardedKeys({ room: 'shop', sets: [camel(key)] }, MODEL_ROOM_KEYS)?.effect]).toEqual([
      key,
      'ask',
    ])
})

test('permissions of a room and the role of a member are risky', async () => {
  const { call } = await hubHome({ [ROOM]: '---\nname: Shop\n---\n' })
  const room = '---\nname: Shop\npermissions: { shell: allow }\nmcp_servers: { x: { command: y } }\n---\n'
  expect((await call('source.preview', { path: ROOM, text: room })).risks).toMatchObject([
    { key: 'mcp_servers.x.command', needsTrust: true },
    { key: 'permissions.shell', after: '"allow"', needsTrust: false },
  ])
  const path = 'workspace/members/kim.md'
  const { risks } = await call('source.preview', { path, text: '---\nrole: parent\n---\n' })
  expect(risks.map(({ key }) => key)).toEqual(['role'])
})

test.each([KIM, LOBBY_NEO, SESSION])('source.preview is refused to $kind', async (who) => {
  const { refusal } = await hubHome({ 'workspace/members/kim.md': '---\nrole: parent\n---\n' })
  expect(await refusal('source.preview', { path: 'neo.yaml' }, who)).toMatchObject({ code: -32001 })
})
