/**
 * Effects of the parameters of scope.*, and the methods that take none: they tell what is there.
 * Takes nothing; gives rows.
 */
import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import type { MethodName } from '../../../src/hub/method-table.ts'
import type { HubHome } from '../hub-home.ts'
import { type Effects, effects, type Files } from './effect.ts'

const club = (name: string) => [
  `workspace/scopes/${name}/SCOPE.md`,
  `---\ntype: group\nchannel: "test:${name}"\n---\n`,
]
const CLUBS: Files = {
  'rooms/web/ROOM.md': '---\nname: Web\n---\n',
  'workspace/members/kim.md': '---\nname: Kim\nrole: parent\n---\n',
  ...Object.fromEntries(['club', 'band'].map(club)),
}

const fact = (name: string) => `workspace/scopes/${name}/MEMORY.md`
const facts = ({ home }: HubHome) =>
  ['band', 'club'].map((name) => home.has(fact(name)) && home.read(fact(name)).includes('pump'))

async function remembers({ call }: HubHome): Promise<void> {
  for (const scopeId of ['band', 'club'])
    await call('scope.remember', { scopeId, content: 'my pump is blue' })
}

/** What is derived of each. */
function derived({ home }: HubHome): readonly boolean[] {
  return ['band', 'club'].map((name) => home.has(`.git/neo/scopes/${name}/context/a.json`))
}

function derive({ home }: HubHome): void {
  for (const name of ['band', 'club']) home.write(`.git/neo/scopes/${name}/context/a.json`, '{}')
}

function speak({ home }: HubHome, name: string, words: readonly string[]): void {
  const lines = words.map((text, at) => {
    const of = {
      v: 1,
      id: `e-${at}`,
      parent: null,
      ts: '2026-03-01T09:00:00Z',
      session: name,
      room: 'lobby',
      task: '',
    }
    return JSON.stringify({ ...of, type: 'user', text })
  })
  home.write(`.git/neo/scopes/${name}/transcripts/neo-${name}-2026-03-01-1.jsonl`, `${lines.join('\n')}\n`)
}

/** In the place of the queues: takes down whose conversation is renewed. */
function renews({ context }: HubHome): string[] {
  const renewed: string[] = []
  context.scopes.attach({
    hold: async () => ({ release: () => {} }),
    renew: async (name) => void renewed.push(name),
    waiting: () => 0,
    send: () => {},
    sending: () => 0,
    forget: () => 0,
  })
  return renewed
}

/** Two private chats and a workspace each of two rooms; what is sent goes into the list. */
const CHATS: Files = {
  'rooms/web/ROOM.md': '---\nname: Web\nworkspace: rooms/web\n---\n',
  'rooms/web/one.txt': 'of web',
  'workspace/files/one.txt': 'one',
  'workspace/files/two.txt': 'two',
}

function sends({ context, home }: HubHome): string[] {
  const sent: string[] = []
  for (const n of ['11', '12']) home.write(`.git/neo/scopes/test-${n}/scope.json`, `{"key":"test:${n}"}`)
  context.scopes.attach({
    ...{ hold: async () => ({ release: () => {} }), renew: async () => {}, waiting: () => 0 },
    ...{ forget: () => 0, sending: () => 0 },
    send: ({ name }, file) => void sent.push(`${name} ${file.name} ${readFileSync(file.path, 'utf8')}`),
  })
  return sent
}

const without = (method: MethodName, tells: (home: HubHome) => Promise<void>): Effects =>
  effects(method, CLUBS, { '': tells })

const SOURCE_PATH = 'rooms/shop/tasks/plan.md'
const SOURCE: Files = { [SOURCE_PATH]: '---\nstatus: draft\n---\n# Plan\n' }

export const SCOPES: readonly Effects[] = [
  effects('file.send', CHATS, {
    scopeId: async (home) => {
      const sent = sends(home)
      for (const scopeId of ['test-11', 'test-12'])
        await home.call('file.send', { scopeId, roomId: 'shop', path: 'one.txt' })
      expect(sent).toEqual(['test-11 one.txt one', 'test-12 one.txt one'])
    },
    roomId: async (home) => {
      const sent = sends(home)
      await home.call('file.send', { scopeId: 'test-11', roomId: 'web', path: 'one.txt' })
      expect(sent).toEqual(['test-11 one.txt of web'])
    },
    path: async (home) => {
      const sent = sends(home)
      await home.call('file.send', { scopeId: 'test-11', roomId: 'shop', path: 'two.txt' })
      expect(sent).toEqual(['test-11 two.txt two'])
    },
  }),
  effects('scope.get', CLUBS, {
    scopeId: async ({ call }) => expect((await call('scope.get', { scopeId: 'band' })).id).toBe('band'),
    roomId: async ({ refusal, call }) => {
      expect((await call('scope.get', { scopeId: 'band', roomId: 'web' })).id).toBe('band')
      expect(await refusal('scope.get', { scopeId: 'band', roomId: 'nowhere' })).toMatchObject({
        code: -32002,
      })
    },
  }),
  effects('scope.transcript', CLUBS, {
    scopeId: async (home) => {
      for (const [name, words] of [
        ['band', ['One']],
        ['club', ['Two', 'Three']],
      ] as const)
        speak(home, name, words)
      expect((await home.call('scope.transcript', { scopeId: 'band' })).map(({ text }) => text)).toEqual([
        'One',
      ])
    },
    limit: async ({ call }) => {
      const last = await call('scope.transcript', { scopeId: 'club', limit: 1 })
      expect(last.map(({ text }) => text)).toEqual(['Three'])
    },
  }),
  effects('scope.remember', CLUBS, {
    scopeId: async (home) => {
      await home.call('scope.remember', { scopeId: 'club', content: 'my pump is blue', key: 'k' })
      expect(facts(home)).toEqual([false, true])
    },
    content: ({ home }) => expect(home.read(fact('club'))).toContain('blue'),
    key: async ({ call, home }) => {
      await call('scope.remember', { scopeId: 'club', content: 'my pump is blue', key: 'k' })
      expect(home.read(fact('club')).match(/blue/g)).toHaveLength(1)
    },
  }),
  effects('scope.share', CLUBS, {
    scopeId: async (home) => {
      await remembers(home)
      await home.call('scope.share', { scopeId: 'club', words: 'pump' })
      expect(facts(home)).toEqual([true, false])
    },
    roomId: async ({ call }) =>
      expect((await call('scope.share', { scopeId: 'band', words: 'pump', roomId: 'web' })).room).toBe('web'),
    words: async ({ call, home }) => {
      for (const content of ['my hat is red', 'my cat is old'])
        await call('scope.remember', { scopeId: 'band', content })
      await call('scope.share', { scopeId: 'band', words: 'cat' })
      const said = home.read(fact('band'))
      expect([said.includes('red'), said.includes('old')]).toEqual([true, false])
    },
  }),
  effects('scope.distill', CLUBS, {
    scopeId: async ({ call }) =>
      expect((await call('scope.distill', { scopeId: 'club' })).scope).toBe('club'),
  }),
  effects('scope.renew', CLUBS, {
    scopeId: async (home) => {
      const renewed = renews(home)
      await home.call('scope.renew', { scopeId: 'club' })
      expect(renewed).toEqual(['club'])
    },
  }),
  effects('scope.stop', CLUBS, {
    scopeId: async ({ call, refusal }) => {
      expect(await call('scope.stop', { scopeId: 'club' })).toEqual({ stopped: false })
      expect(await refusal('scope.stop', { scopeId: 'nothing' })).toMatchObject({ code: -32002 })
    },
  }),
  effects('scope.clear', CLUBS, {
    scopeId: async (home) => {
      derive(home)
      await home.call('scope.clear', { scopeId: 'club' })
      expect(derived(home)).toEqual([true, false])
    },
  }),
  effects('scope.purge', CLUBS, {
    confirm: async (home) => {
      await remembers(home)
      const refused = await home.refusal('scope.purge', { scopeId: 'club', confirm: 'band' })
      expect([refused.code, facts(home)]).toEqual([-32602, [true, true]])
    },
    scopeId: async (home) => {
      await home.call('scope.purge', { scopeId: 'club', confirm: 'club' })
      expect(facts(home)).toEqual([true, false])
    },
  }),
  without('scope.list', async ({ call }) =>
    expect((await call('scope.list', {})).map(({ id }) => id)).toEqual(['band', 'club']),
  ),
  without('policy.status', async ({ call }) =>
    expect((await call('policy.status', {})).map(({ scopeId }) => scopeId)).toEqual(['band', 'club']),
  ),
  without('member.list', async ({ call }) =>
    expect(await call('member.list', {})).toMatchObject([{ id: 'kim', role: 'parent' }]),
  ),
  without('template.list', async ({ call, home }) => {
    home.write('templates/tasks/form.md', '---\ntitle: Form\n---\nText.\n')
    expect(await call('template.list', {})).toMatchObject([{ name: 'form' }])
  }),
  without('plan.get', async ({ call, home }) => {
    home.task('a', '---\nworker: human\n---\n# A\n')
    expect(JSON.stringify(await call('plan.get', {}))).toContain('rooms/shop/tasks/a.md')
  }),
  without('status.global', async ({ call }) =>
    expect(await call('status.global', {})).toMatchObject({ totalRooms: 3, problems: [] }),
  ),
  without('me.get', async ({ call }) =>
    expect(await call('me.get', {})).toMatchObject({
      who: 'human',
      home: expect.arrayContaining(['change-home']),
    }),
  ),
  effects(
    'schema.get',
    {},
    {
      kind: async ({ call }) => {
        const of = async (kind: 'task' | 'room') => JSON.stringify(await call('schema.get', { kind }))
        expect([/depends_on/.test(await of('task')), /depends_on/.test(await of('room'))]).toEqual([
          true,
          false,
        ])
      },
    },
  ),
  effects('source.get', SOURCE, {
    path: async ({ call }) =>
      expect((await call('source.get', { path: SOURCE_PATH })).text).toContain('# Plan'),
  }),
  effects('source.check', SOURCE, {
    path: async ({ call }) => {
      const as = async (path: string) => await call('source.check', { path, text: 'titel: x\n' })
      expect(await as('neo.yaml')).not.toEqual(await as(SOURCE_PATH))
    },
    text: async ({ call }) => {
      const found = await call('source.check', { path: SOURCE_PATH, text: '---\nstatus: [\n---\n# X\n' })
      expect(found.map(({ severity }) => severity)).toContain('error')
    },
  }),
  effects('source.set', SOURCE, {
    path: async ({ call, home }) => {
      await call('source.set', { path: 'rooms/shop/tasks/new.md', text: '# New\n', version: null })
      expect(home.read('rooms/shop/tasks/new.md')).toContain('# New')
    },
    text: async ({ call, home }) => {
      const { version } = await call('source.get', { path: SOURCE_PATH })
      await call('source.set', { path: SOURCE_PATH, text: '---\nstatus: draft\n---\n# Other\n', version })
      expect(home.read(SOURCE_PATH)).toContain('# Other')
    },
    version: async ({ call, home }) => {
      const set = call('source.set', { path: SOURCE_PATH, text: '# Lost\n', version: null })
      await expect(set).rejects.toMatchObject({ code: -32004 })
      expect(home.read(SOURCE_PATH)).toContain('# Other')
    },
  }),
  effects('source.preview', SOURCE, {
    path: async ({ call }) =>
      expect((await call('source.preview', { path: SOURCE_PATH })).text).toContain('# Plan'),
    text: async ({ call }) =>
      expect((await call('source.preview', { path: SOURCE_PATH, text: '# New\n' })).text).toBe('# New\n'),
    set: async ({ call }) => {
      const set = { 'daemon.concurrency': 7 }
      expect((await call('source.preview', { path: 'neo.yaml', set })).text).toContain('concurrency: 7')
    },
  }),
  without('config.get', async ({ call }) =>
    expect(await call('config.get', {})).toMatchObject({ daemon: { rescanMs: 1000 } }),
  ),
]
