/** The table as a whole: no method runs without a recorded decision, and the reference is made from it. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { apiReference, undescribedParameters } from '../../scripts/api-reference.ts'
import { ACTS, type Principal } from '../../src/domain/policy/policy-acts.ts'
import { METHODS, type MethodName } from '../../src/hub/method-table.ts'
import { HUMAN, hubHome, PEER } from './hub-home.ts'

const AT = '2026-03-01T09:00:00Z'
const block = (id: string) => `neo:\n  id: ${id}\n  created_at: ${AT}\n  created_by: human\n`
const SCENE = {
  'rooms/shop/ROOM.md': `---\nname: Shop\nneo: { id: r-aaaaaa }\n---\n`,
  'rooms/shop/tasks/a.md': `---\nstatus: draft\n${block('t-aaaaaa')}---\n# A\n`,
  'rooms/shop/schedules/daily.md': `---\nevery: 1d\n${block('c-aaaaaa')}---\nLook.\n`,
  'rooms/shop/memories/m.md': `---\ntype: note\n${block('m-aaaaaa')}---\nA note\n`,
  'templates/tasks/greet.md': '# Greet\n',
  'workspace/agents/cat.md': '---\nowner: cat\n---\n',
  'rooms/shop/tasks/p.md': `---\nstatus: draft\nneo:\n  id: t-pppppp\n  created_at: ${AT}\n  created_by: peer:qa-else\n---\n# P\n`,
  'workspace/scopes/family/SCOPE.md': '---\ntype: family_group\nchannel: "telegram:-100"\n---\n',
  'rooms/shop/sessions/s-aaaaaa.md': `---\nid: s-aaaaaa\ntask: t-aaaaaa\nworker: shell\nstatus: completed\nstarted_at: ${AT}\n---\n`,
  'rooms/shop/asks/a-aaaaaa.md': `---\nkind: approval\naction: { tool: x, arguments: {}, files: [], sha256: "0" }\ndecision: pending\nneo: { id: a-aaaaaa, created_at: ${AT} }\n---\n`,
}

const CONTEXTS = [{ type: 'repository', identifier: 'acme/shop' }]

/** Parameters with which each method gets as far as policy. */
const PARAMS: Readonly<Record<MethodName, object>> = {
  'room.create': { name: 'new' },
  'room.list': {},
  'room.get': { roomId: 'shop' },
  'room.update': { roomId: 'shop', updates: { description: 'x' } },
  'room.archive': { roomId: 'shop' },
  'room.pause': { roomId: 'shop' },
  'room.resume': { roomId: 'shop' },
  'room.overview': { roomId: 'shop' },
  'room.assignSession': { sessionId: 's-aaaaaa', roomId: 'lobby' },
  'room.unassignSession': { sessionId: 's-aaaaaa' },
  'task.create': { roomId: 'shop', title: 'x', description: '' },
  'task.list': {},
  'task.get': { taskId: 'a' },
  'task.story': { taskId: 'a' },
  'task.update': { taskId: 'a', updates: { priority: 'low' } },
  'task.delete': { taskId: 'a' },
  'task.retry': { taskId: 'a' },
  'task.cancel': { taskId: 'a' },
  'task.start': { taskId: 'a' },
  'task.complete': { taskId: 'a', result: 'x' },
  'task.fail': { taskId: 'a', error: 'x' },
  'memory.add': { roomId: 'shop', type: 'note', content: 'x' },
  'memory.list': { roomId: 'shop' },
  'memory.browse': {},
  'memory.update': { memoryId: 'm-aaaaaa', version: 'x', updates: {} },
  'memory.delete': { memoryId: 'm-aaaaaa' },
  'memory.search': { query: 'x' },
  'memory.distill': { roomId: 'shop' },
  'memory.log': { roomId: 'shop' },
  'memory.restore': { path: 'rooms/shop/memories/m.md' },
  'session.list': {},
  'session.get': { sessionId: 's-aaaaaa' },
  'session.transcript': { sessionId: 's-aaaaaa' },
  'session.create': { roomId: 'shop', taskId: 'a' },
  'session.stop': { sessionId: 's-aaaaaa' },
  'session.resume': { sessionId: 's-aaaaaa' },
  'message.send': { roomId: 'shop', content: 'x' },
  'chat.list': { roomId: 'shop' },
  'chat.attach': { roomId: 'shop', name: 'a.txt', base64: 'aGVsbG8=' },
  'chat.file': { roomId: 'shop', fileId: '0123456789abcdef01234567.txt' },
  'context.get': { roomId: 'shop' },
  'context.compact': { roomId: 'shop' },
  'context.clear': { roomId: 'shop' },
  'context.stop': { roomId: 'shop' },
  'file.send': { scopeId: 'family', roomId: 'shop', path: 'a.txt' },
  'file.get': { roomId: 'shop', path: 'a.txt' },
  'ask.list': {},
  'ask.decide': { askId: 'a-aaaaaa', decision: 'denied' },
  'commit.get': { taskId: 'a', commit: 'a'.repeat(40) },
  'review.list': {},
  'review.diff': { taskId: 'a' },
  'review.accept': { taskId: 'a' },
  'review.reject': { taskId: 'a' },
  'schedule.list': { roomId: 'shop' },
  'schedule.check': { roomId: 'shop', every: '1d' },
  'schedule.create': { roomId: 'shop', name: 'x', content: 'y', every: '1d' },
  'schedule.update': { roomId: 'shop', name: 'daily', updates: { status: 'paused' } },
  'schedule.delete': { roomId: 'shop', name: 'daily' },
  'schedule.run': { roomId: 'shop', name: 'x' },
  'template.list': {},
  'template.fill': { name: 'greet' },
  'template.run': { roomId: 'shop', name: 'greet' },
  'plan.get': {},
  'usage.summary': {},
  'member.list': {},
  'member.add': { memberId: 'kim' },
  'member.pair': { memberId: 'bo' },
  'member.remove': { memberId: 'bo' },
  'member.token': { memberId: 'bo' },
  'member.revoke': { memberId: 'bo' },
  'member.update': { memberId: 'bo', updates: { role: 'guest' } },
  'member.unpair': { memberId: 'bo', channel: 'telegram' },
  'audit.timeline': {},
  'status.global': {},
  'scope.list': {},
  'scope.get': { scopeId: 'family' },
  'scope.transcript': { scopeId: 'family' },
  'scope.remember': { scopeId: 'family', content: 'x' },
  'scope.edit': { scopeId: 'family', source: 'family/MEMORY.md:1', version: 'x', content: null },
  'scope.share': { scopeId: 'family', words: 'x' },
  'scope.distill': { scopeId: 'family' },
  'scope.renew': { scopeId: 'family' },
  'scope.stop': { scopeId: 'family' },
  'scope.clear': { scopeId: 'family' },
  'scope.purge': { scopeId: 'family', confirm: 'family' },
  'policy.status': {},
  'config.get': {},
  'config.set': { updates: { timezone: 'Europe/Paris' } },
  'source.get': { path: 'rooms/shop/tasks/a.md' },
  'source.check': { path: 'rooms/shop/tasks/a.md', text: '# A\n' },
  'source.set': { path: 'rooms/shop/tasks/b.md', text: '# B\n', version: null },
  'source.preview': { path: 'neo.yaml' },
  'schema.get': { kind: 'task' },
  'home.search': { text: 'x' },
  'agent.list': {},
  'agent.requests': {},
  'agent.asked': {},
  'agent.keygen': {},
  'agent.inspect': { endpoint: 'http://127.0.0.1:1' },
  'agent.add': { agentId: 'ben', publicKey: `p256:MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE${'A'.repeat(86)}` },
  'agent.revoke': { agentId: 'cat' },
  'agent.token': { agentId: 'cat' },
  'agent.discover': {},
  'agent.query': { agentId: 'cat', query: 'x', contextScope: CONTEXTS },
  'agent.execute': { agentId: 'cat', taskType: 'greet', contextScope: CONTEXTS },
  'access.rules': {},
  'access.check': { agentId: 'cat', action: 'read', resourceType: 'repository', resource: 'acme/shop' },
  'aoi.discover': {},
  'aoi.query': { query: 'x', contextScope: CONTEXTS },
  'aoi.task.execute': { taskType: 'greet', contextScope: CONTEXTS },
  'aoi.task.get': { taskId: 't-pppppp' },
  'aoi.task.list': {},
  'mirror.event': { roomId: 'shop', kind: 'file.saved' },
  'mirror.snapshot': { roomId: 'shop' },
  'mirror.search': { roomId: 'shop', query: 'x' },
  'aoi.answer': { queryId: 'q-aaaaaa', agentId: 'cat', query: 'x', summary: 'y', contextRefs: [] },
  'me.get': {},
}

/** What only the home can tell to be wrong, or what is named beside the first thing. */
const WRONG: Partial<Readonly<Record<MethodName, readonly object[]>>> = {
  'template.run': [{ roomId: 'shop', name: 'greet', params: { colour: 'red' } }],
  'session.create': [{ roomId: 'yard', taskId: 't-aaaaaa' }],
  'session.list': [{ taskId: 't-aaaaaa' }, { taskId: 'a' }, { roomId: 'yard', taskId: 'shop/a' }],
  'audit.timeline': [{ taskId: 't-aaaaaa' }, { taskId: 'a' }, { sessionId: 's-aaaaaa' }, { roomId: 'shop' }],
  'task.list': [{ roomId: 'shop' }],
  'task.get': [{ taskId: 't-aaaaaa' }, { taskId: 'shop/a' }, { taskId: 'rooms/shop/tasks/a.md' }],
  'task.start': [{ taskId: 'yard/own', sessionId: 's-aaaaaa' }],
  'message.send': [{ sessionId: 's-aaaaaa', content: 'x' }],
  'memory.search': [
    { query: 'x', roomId: 'shop' },
    { query: 'x', scopeId: 'family' },
  ],
  'memory.browse': [{ roomId: 'shop' }, { scopeId: 'family' }],
  'memory.list': [{ roomId: 'r-aaaaaa' }],
  'memory.log': [{ path: 'rooms/shop/memories/m.md', texts: true }],
  'usage.summary': [{ roomId: 'shop' }],
  'scope.share': [{ scopeId: 'family', roomId: 'shop', words: 'x' }],
  'schedule.list': [{ roomId: 'shop' }],
  'review.list': [{ roomId: 'shop' }],
  'ask.list': [{ roomId: 'shop' }],
}

test('names are unique, and each row has an act of policy and a line for the reference', () => {
  expect(new Set(METHODS.map(({ name }) => name)).size).toBe(METHODS.length)
  expect(
    METHODS.filter(({ act, summary }) => !ACTS.includes(act) || summary === '').map(({ name }) => name),
  ).toEqual([])
})

test.each(METHODS.map(({ name }) => name))(
  '%s is refused to an unknown peer, leaves the home as it was, and both are recorded',
  async (name) => {
    const { home, hub, audit, refusal } = await hubHome(SCENE)
    expect(await refusal(name, PARAMS[name], PEER)).toMatchObject({ code: -32001, rule: 'peer-default' })
    expect(home.git('log', '--format=%s')).toBe('begin')
    await hub.call(HUMAN, name, PARAMS[name]).catch(() => {})
    expect(
      audit()
        .filter(({ method }) => method === name)
        .map(({ who, effect }) => `${who} ${effect}`),
    ).toEqual(['peer:qa-else deny', 'human allow'])
  },
)

/** What is there in the scene, and what would be called so. The lobby is in every home: that is no secret. */
const ABSENT: Readonly<Record<string, string>> = {
  ...{
    shop: 'nope',
    a: 'z',
    greet: 'grumble',
    daily: 'weekly',
    bo: 'xo',
    cat: 'dog',
    family: 'club',
  },
  't-aaaaaa': 't-zzzzzz',
  'shop/a': 'nope/a',
  'r-aaaaaa': 'r-zzzzzz',
  ...{ 's-aaaaaa': 's-zzzzzz', 'm-aaaaaa': 'm-zzzzzz', 'a-aaaaaa': 'a-zzzzzz', 't-pppppp': 't-zzzzzz' },
  ...{ 'acme/shop': 'acme/none', 'q-aaaaaa': 'q-zzzzzz', 'family/MEMORY.md:1': 'club/MEMORY.md:1' },
  ...{
    'rooms/shop/tasks/a.md': 'rooms/shop/tasks/z.md',
    'rooms/shop/memories/m.md': 'rooms/nope/memories/z.md',
  },
}

function absent(value: unknown): unknown {
  if (typeof value === 'string') return ABSENT[value] ?? value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(absent)
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, absent(one)]))
}

const LIMITED = { scope: null, speaker: 'member:kim', keeps: 'shared' } as const
const BLIND: readonly Principal[] = [
  { kind: 'peer', id: 'cat' },
  { kind: 'peer', id: 'qa-else' },
  { kind: 'member', id: 'kim' },
  { kind: 'member', id: 'mia' },
  { kind: 'neo', room: 'yard', onBehalfOf: LIMITED },
]
/** They see the yard, and nothing of the scene. */
const PEOPLE = {
  'workspace/scopes/family/SCOPE.md':
    '---\ntype: family_group\nchannel: "telegram:-100"\nmembers: [bo]\n---\n',
  'rooms/yard/tasks/own.md': '---\nstatus: draft\n---\n# Own\n',
  'workspace/members/kim.md': '---\nrole: member\npermissions: { rooms: [yard] }\n---\n',
  'workspace/members/mia.md': '---\nrole: child\npermissions: { rooms: [yard] }\n---\n',
}
/** Templates are for everybody. */
const FOR_ALL: readonly MethodName[] = ['template.fill']

/** What an error repeats of the call is no news. */
function unnamed(said: unknown): string {
  const names = Object.entries(ABSENT).flatMap(([there, gone]) => [gone, there])
  const long = names.filter((name) => name.length > 2).toSorted((a, b) => b.length - a.length)
  const text = JSON.stringify(said).replaceAll(/"queryTimeMs":\d+|\ba-[a-z0-9]{6}\b/g, '')
  return long.reduce((rest, name) => rest.replaceAll(name, 'NAME'), text.replaceAll(/\\"[az]\\"/g, 'NAME'))
}

test.each(BLIND)('no method tells $kind $id $room, who may not see it, what exists', async (who) => {
  const { hub, audit, refusal } = await hubHome({ ...SCENE, ...PEOPLE })
  await refusal('room.create', PARAMS['room.create'], PEER)
  const told = async (name: MethodName, params: unknown) => {
    const before = audit().length
    const said = await hub
      .call(who, name, params)
      .catch(({ code, message, data }) => [...[code, message, data]])
    const recorded = audit().slice(before)
    return [name, unnamed(said), recorded.map(({ method, effect, rule }) => [method, effect, rule])]
  }
  const there: unknown[] = []
  const gone: unknown[] = []
  for (const { name } of METHODS) {
    if (who.kind !== 'peer' && FOR_ALL.includes(name)) continue
    // Its own calls are no secret; each has a time and a line.
    const more = name === 'audit.timeline' ? { kinds: ['git', 'transcript'] } : {}
    for (const one of [PARAMS[name], ...(WRONG[name] ?? [])]) {
      const params = { ...one, ...more }
      there.push(await told(name, params))
      gone.push(await told(name, absent(params)))
    }
  }
  expect(gone).toEqual(there)
})

test('each method refuses an unknown parameter by name', async () => {
  const { refusal } = await hubHome(SCENE)
  const refused = METHODS.map(async ({ name }) => {
    const { code, issues } = await refusal(name, { ...PARAMS[name], colour: 'red' })
    return [name, code, issues?.some(({ message }) => message.includes('colour'))]
  })
  expect(await Promise.all(refused)).toEqual(METHODS.map(({ name }) => [name, -32602, true]))
})

test('an unknown method is refused', async () => {
  const { refusal } = await hubHome()
  expect(await refusal('room.paint', {})).toMatchObject({ code: -32601 })
})

test('docs/api.md is what the table says', () => {
  expect(readFileSync('docs/api.md', 'utf8')).toBe(apiReference())
})

test('every parameter is described, or its type says all', () => {
  expect(undescribedParameters()).toEqual([])
})
