/** What a person looks at before a save: what runs, what is sent where, who may do what, and limits that end. */
import { describe, expect, test } from 'vitest'
import { OWN, riskyChanges, trustLinesIn } from '../../../src/domain/policy/risky-changes.ts'
import { configTrust, headerTrust, shownTrust } from '../../../src/domain/policy/trust-lines-of.ts'

const ROOM = 'rooms/shop/ROOM.md'
const keys = (path: string, before: object, after: object) =>
  riskyChanges(path, before as Record<string, unknown>, after as Record<string, unknown>).map(
    ({ key, before: was, after: is, needsTrust }) => `${key}: ${was} -> ${is}${needsTrust ? ' !' : ''}`,
  )

describe('configTrust', () => {
  test.each<[string, object, readonly string[]]>([
    ['nothing', {}, []],
    ['harmless keys', { timezone: 'UTC', model: 'x/y', prices: {}, budget: { usd_per_day: 1 }, log: {} }, []],
    [
      'harmless keys of the daemon',
      { daemon: { branch: 'main', concurrency: 2, settle: '2s', rescan: '1m' } },
      [],
    ],
    ['other keys of the daemon', { daemon: { sync: '1m', node: 'a' } }, ['neo.yaml daemon.sync="1m"']],
    ['a section that nobody knows', { fresh: { a: 1 } }, ['neo.yaml fresh.a=1']],
    [
      'a list of texts as one',
      { workers: { x: { command: ['sh', '-c'] } } },
      ['neo.yaml workers.x.command=["sh","-c"]'],
    ],
    [
      'a list of sections one by one',
      { access: { rules: [{ pattern: 'a' }, { pattern: 'b' }] } },
      ['neo.yaml access.rules.0.pattern="a"', 'neo.yaml access.rules.1.pattern="b"'],
    ],
    ['an empty list', { redact: { plain: [] } }, ['neo.yaml redact.plain=[]']],
    ['a daemon that is no section', { daemon: 'off', http: null }, ['neo.yaml http=null']],
  ])('of %s', (_, data, lines) => {
    expect(configTrust(data as Record<string, unknown>).map(({ name, value }) => `${name}=${value}`)).toEqual(
      lines,
    )
  })
})

test.each([
  ['neo.yaml providers.a.api_key', '"sk-1"', 'neo.yaml providers.a.api_key: ***'],
  ['neo.yaml providers.a.api_key', '"$\u007bAPI_KEY}"', 'neo.yaml providers.a.api_key: "$\u007bAPI_KEY}"'],
  ['neo.yaml providers.a.base_url', '"http://x"', 'neo.yaml providers.a.base_url: "http://x"'],
  ['workspace/agents/a.md public_key', '"p256:x"', 'workspace/agents/a.md public_key: "p256:x"'],
  ['neo.yaml http.token', '"abc"', 'neo.yaml http.token: ***'],
])('shownTrust() of %s=%s is %j', (name, value, shown) => expect(shownTrust({ name, value })).toBe(shown))

test.each<[string, object, readonly string[]]>([
  ['neo.yaml', { http: { host: 'x' } }, ['neo.yaml http.host']],
  [ROOM, { mcp_servers: { a: { command: 'x' } }, verify: ['y'] }, [`${ROOM} mcp_servers.a.command`]],
  [ROOM, { mcp_servers: null }, []],
  [
    'workspace/members/ana.md',
    { guards: { in: { command: ['x'] }, out: { model: 'm' } }, role: 'parent' },
    ['workspace/members/ana.md guards.in.command', 'workspace/members/ana.md guards.out.model'],
  ],
  [
    'workspace/scopes/a/SCOPE.md',
    { guards: { in: { command: ['x'] } } },
    ['workspace/scopes/a/SCOPE.md guards.in.command'],
  ],
  ['workspace/scopes/SCOPE.md', { guards: { in: { command: ['x'] } } }, []],
  ['workspace/agents/a.md', { guards: { in: { command: ['x'] } }, endpoint: 'https://x' }, []],
  ['rooms/shop/tasks/a.md', { mcp_servers: { a: { command: 'x' } } }, []],
])('trustLinesIn() of %s', (path, data, names) => {
  expect(trustLinesIn(path, data as Record<string, unknown>).map(({ name }) => name)).toEqual(names)
})

test('headerTrust() of a key that is not there is nothing', () => {
  expect([headerTrust('a.md', 'x', undefined), headerTrust('a.md', 'x', null)]).toEqual([[], []])
  expect(headerTrust('a.md', 'x', false)).toEqual([{ name: 'a.md x', value: 'false' }])
})

describe('riskyChanges', () => {
  test.each(Object.entries(OWN).flatMap(([kind, own]) => own.map((key) => [kind, key] as const)))(
    'of a %s names a change of %s, and nothing if it stays',
    (kind, key) => {
      const path = {
        config: 'neo.yaml',
        room: ROOM,
        member: 'workspace/members/a.md',
        peer: 'workspace/agents/a.md',
      }
      const at = path[kind as keyof typeof path]
      const [was, is] = key === 'budget' ? [{ usd_per_day: 1 }, { usd_per_day: 2 }] : ['a', 'b']
      const [change, ...more] = riskyChanges(at, { [key]: was }, { [key]: is })
      expect(more).toEqual([])
      expect(change?.key.split('.')[0]).toBe(key)
      expect(change?.needsTrust).toBe(false)
      expect(change?.why).toMatch(/^[A-Z].*\.$/)
      expect(riskyChanges(at, { [key]: was }, { [key]: was })).toEqual([])
    },
  )

  test.each<[string, object, object, readonly string[]]>([
    ['a limit that is raised', { usd: 1 }, { usd: 2 }, ['budget.usd: 1 -> 2']],
    ['a limit that is lowered', { usd: 2 }, { usd: 1 }, []],
    ['a limit that is new', {}, { usd: 1 }, []],
    ['a limit that is removed', { usd: 1 }, {}, ['budget.usd: 1 -> null']],
    ['a limit that is emptied', { usd: 1 }, { usd: null }, ['budget.usd: 1 -> null']],
    ['a limit of the same amount', { usd: 1 }, { usd: 1 }, []],
  ])('of %s', (_, before, after, changes) => {
    expect(keys(ROOM, { budget: before }, { budget: after })).toEqual(changes)
    expect(keys('neo.yaml', { budget: before }, { budget: after })).toEqual(changes)
  })

  test('says which changes wait for trust: those that are there after, not those that go', () => {
    const server = { a: { command: 'run', args: ['x'] } }
    expect(keys(ROOM, {}, { mcp_servers: server })).toEqual([
      'mcp_servers.a.command: null -> "run" !',
      'mcp_servers.a.args: null -> ["x"] !',
    ])
    expect(keys(ROOM, { mcp_servers: server }, {})).toEqual([
      'mcp_servers.a.command: "run" -> null',
      'mcp_servers.a.args: ["x"] -> null',
    ])
    expect(keys(ROOM, { verify: ['a'] }, { verify: ['b'] })).toEqual(['verify: ["a"] -> ["b"]'])
  })

  test('shows no secret, before or after', () => {
    const of = (key: string) => ({ providers: { own: { api_key: key } } })
    expect(keys('neo.yaml', of('sk-old'), of('sk-new'))).toEqual(['providers.own.api_key: *** -> *** !'])
    expect(keys('neo.yaml', of('sk-old'), of('$\u007bKEY}'))).toEqual([
      'providers.own.api_key: *** -> "$\u007bKEY}" !',
    ])
  })

  test('names nothing in other files, and nothing that has no risk', () => {
    expect(keys('rooms/shop/tasks/a.md', { verify: 'a' }, { verify: 'b' })).toEqual([])
    expect(keys(ROOM, { description: 'a', concurrency: 1 }, { description: 'b', concurrency: 9 })).toEqual([])
    expect(keys('neo.yaml', { timezone: 'UTC' }, { timezone: 'Asia/Tokyo' })).toEqual([])
  })

  test.each([
    [
      'neo.yaml',
      { http: { host: '0.0.0.0' } },
      'At another address than 127.0.0.1, other computers can reach Neo.',
    ],
    ['neo.yaml', { http: { token: 'x' } }, 'Whoever knows this token is the owner. All sign-ins end.'],
    ['neo.yaml', { workers: { x: { network: 'allow' } } }, 'This program may use the network.'],
    [
      'neo.yaml',
      { workers: { x: { command: ['a'] } } },
      'Tasks with this worker run this program on your computer.',
    ],
    ['neo.yaml', { unknown: 1 }, 'Neo uses this setting outside of the sandbox of agents.'],
    [ROOM, { review: 'none' }, 'With `none`, finished work is merged without a review.'],
    [
      'workspace/agents/a.md',
      { endpoint: 'x' },
      'Questions and tasks for this agent are sent to this server.',
    ],
    ['workspace/agents/a.md', { status: 'x' }, 'This decides who this agent is, and what it can do.'],
  ])('of %s %j says why: %s', (path, after, why) => {
    expect(riskyChanges(path, {}, after)).toEqual([expect.objectContaining({ why })])
  })
})
