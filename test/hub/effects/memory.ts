/** Effects of the parameters by which memories and facts are listed, changed, forgotten and looked back at. */
import { expect } from 'vitest'
import type { ParamsOf } from '../../../src/hub/method-table.ts'
import type { HubHome } from '../hub-home.ts'
import { type Effects, effects, type Files } from './effect.ts'

const memory = (id: string, day: string) =>
  `---\ntype: note\ntags: [${id}]\nneo: { id: m-${id}, created_at: ${day}T09:00:00Z, created_by: human }\n---\nThe pump is ${id}.\n`
const FACT = '- **time zone** (human): Asia/Tokyo — 2026-03-02 (neo-2026-03-02-1:12)'

const FILES: Files = {
  'rooms/web/ROOM.md': '---\nname: Web\n---\n',
  'rooms/shop/memories/blue.md': memory('blue', '2026-03-01'),
  'rooms/web/memories/green.md': memory('green', '2026-03-03'),
  'rooms/shop/memories/MEMORY.md': `# What is known\n\n${FACT}\n- Written by hand\n`,
  'rooms/shop/memories/2026-03-02.md':
    '# 2026-03-02\n\n- 09:12 [human] My time zone is Asia/Tokyo (neo-2026-03-02-1:12)\n- 09:14 [neo] Noted (neo-2026-03-02-1:13)\n',
  'workspace/scopes/club/SCOPE.md': '---\ntype: group\nchannel: "test:77"\n---\n',
  'workspace/scopes/club/MEMORY.md': '# What is known\n\n- (human): ours — 2026-03-02 (said-abc:1)\n',
}

type Browse = ParamsOf<'memory.browse'>

export async function browse({ call }: HubHome, params: Browse = {}) {
  return (await call('memory.browse', params)).entries
}

async function texts(home: HubHome, params: Browse = {}) {
  return (await browse(home, params)).map(({ text }) => text)
}

export async function entry(home: HubHome, text: string, params: Browse = {}) {
  const found = (await browse(home, params)).find((one) => one.text.includes(text))
  if (found === undefined) throw new Error(`nothing says ${text}`)
  return found
}

type Updates = ParamsOf<'memory.update'>['updates']

const updates = (given: Updates, says: RegExp) => async (home: HubHome) => {
  const { id, version } = await entry(home, 'The pump is blue')
  await home.call('memory.update', { memoryId: id ?? '', version, updates: given })
  expect(home.home.read('rooms/shop/memories/blue.md')).toMatch(says)
}

const commits = (all: readonly { readonly commit: string }[]) => all.map(({ commit }) => commit)

/** Two changes of one memory, one of another. */
async function remembered({ call, home }: HubHome): Promise<readonly string[]> {
  const add = (content: string) => call('memory.add', { roomId: 'shop', type: 'note', content })
  const [first, second] = [await add('First'), await add('Second')]
  await call('memory.delete', { memoryId: first.id })
  expect(home.has(second.path)).toBe(true)
  return [first.path, second.path]
}

export const MEMORY: readonly Effects[] = [
  effects('memory.browse', FILES, {
    roomId: async (home) => expect(await texts(home, { roomId: 'web' })).toEqual(['The pump is green.']),
    scopeId: async (home) => expect(await texts(home, { scopeId: 'club' })).toEqual(['ours']),
    kinds: async (home) =>
      expect(await texts(home, { kinds: ['daily'] })).toEqual(['Noted', 'My time zone is Asia/Tokyo']),
    text: async (home) => expect(await texts(home, { text: 'PUMP blue' })).toEqual(['The pump is blue.']),
    limit: async (home) => expect(await texts(home, { limit: 1 })).toEqual(['The pump is green.']),
    cursor: async ({ call }) => {
      const { next, total } = await call('memory.browse', { limit: 2 })
      const rest = await call('memory.browse', { limit: 100, cursor: next ?? '' })
      expect([rest.entries.length, rest.next]).toEqual([total - 2, null])
    },
  }),
  effects('memory.update', FILES, {
    memoryId: async (home) => {
      const { source, version } = await entry(home, 'Asia/Tokyo')
      await home.call('memory.update', { memoryId: source, version, updates: { content: 'Europe/Paris' } })
      const now = home.home.read('rooms/shop/memories/MEMORY.md')
      expect(now).toContain(FACT.replace('Asia/Tokyo', 'Europe/Paris'))
      expect(now).toContain('- Written by hand')
    },
    version: async (home) => {
      const { id } = await entry(home, 'The pump is blue')
      const refused = await home.refusal('memory.update', { memoryId: id, version: 'x', updates: {} })
      expect(refused).toMatchObject({ code: -32004, conflict: true })
    },
    'updates.content': updates({ content: 'It is gone' }, /\nIt is gone\n$/),
    'updates.type': async (home) => {
      const { id, version } = await entry(home, 'It is gone')
      await home.call('memory.update', { memoryId: id ?? '', version, updates: { type: 'pattern' } })
      expect(home.home.read('rooms/shop/memories/blue.md')).toContain('type: pattern\n')
    },
    'updates.tags': async (home) => {
      const { id, version } = await entry(home, 'It is gone')
      await home.call('memory.update', { memoryId: id ?? '', version, updates: { tags: ['a', 'b'] } })
      expect(home.home.read('rooms/shop/memories/blue.md')).toMatch(/tags: ?\[a, b\]|tags:\n\s*- a\n\s*- b/)
    },
    'updates.importance': async (home) => {
      const { id, version } = await entry(home, 'It is gone')
      await home.call('memory.update', { memoryId: id ?? '', version, updates: { importance: 'high' } })
      expect(home.home.read('rooms/shop/memories/blue.md')).toContain('importance: high\n')
    },
    'updates.moveTo': async (home) => {
      const { id, version } = await entry(home, 'It is gone')
      await home.call('memory.update', { memoryId: id ?? '', version, updates: { moveTo: 'web' } })
      const [from, to] = ['shop', 'web'].map((room) => home.home.has(`rooms/${room}/memories/blue.md`))
      expect([from, to]).toEqual([false, true])
    },
  }),
  effects('memory.delete', FILES, {
    memoryId: async (home) => {
      const { id } = await entry(home, 'The pump is green')
      await home.call('memory.delete', { memoryId: id ?? '' })
      expect((await texts(home)).filter((text) => text.includes('pump'))).toEqual(['The pump is blue.'])
    },
    version: async (home) => {
      const { source, version } = await entry(home, 'Asia/Tokyo')
      expect(await home.refusal('memory.delete', { memoryId: source })).toMatchObject({ code: -32602 })
      await home.call('memory.delete', { memoryId: source, version })
      expect(await texts(home, { kinds: ['fact', 'daily'], roomId: 'shop' })).toEqual([
        'Noted',
        'Written by hand',
      ])
    },
  }),
  effects('scope.edit', FILES, {
    scopeId: async (home) => {
      const { source, version } = await entry(home, 'ours')
      const params = { scopeId: 'nowhere', source, version, content: 'x' }
      expect(await home.refusal('scope.edit', params)).toMatchObject({ code: -32002 })
    },
    source: async (home) => {
      const { version } = await entry(home, 'ours')
      const params = { scopeId: 'club', source: '../neo.yaml:1', version, content: 'x' }
      expect(await home.refusal('scope.edit', params)).toMatchObject({ code: -32602 })
    },
    version: async (home) => {
      const { source } = await entry(home, 'ours')
      const params = { scopeId: 'club', source, version: 'x', content: 'x' }
      expect(await home.refusal('scope.edit', params)).toMatchObject({ conflict: true })
    },
    content: async (home) => {
      const { source, version } = await entry(home, 'ours')
      await home.call('scope.edit', { scopeId: 'club', source, version, content: 'all of ours' })
      const again = await entry(home, 'all of ours')
      await home.call('scope.edit', { scopeId: 'club', source, version: again.version, content: null })
      expect(await texts(home, { scopeId: 'club' })).toEqual([])
    },
  }),
  effects('memory.log', FILES, {
    texts: async (home) => {
      const [first = ''] = await remembered(home)
      const log = await home.call('memory.log', { path: first, texts: true })
      expect(log.map(({ text }) => text?.includes('First') ?? null)).toEqual([null, true])
    },
    path: async (home) => {
      const [first = '', second = ''] = await remembered(home)
      const log = async (path: string) => (await home.call('memory.log', { path })).length
      expect([await log(first), await log(second)]).toEqual([2, 1])
    },
    roomId: async ({ call }) => {
      await call('memory.add', { roomId: 'web', type: 'note', content: 'Of the web' })
      const [shop, web] = [
        await call('memory.log', { roomId: 'shop' }),
        await call('memory.log', { roomId: 'web' }),
      ]
      expect(commits(web).filter((one) => commits(shop).includes(one))).toHaveLength(1)
      expect(shop.length).toBeGreaterThan(web.length)
    },
    limit: async ({ call }) => expect(await call('memory.log', { roomId: 'shop', limit: 1 })).toHaveLength(1),
  }),
]
