/** Conversations beside a real daemon: rights of whoever speaks, memory of their own, what is shared, what is purged. */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Inbound } from '../../src/channels/channel-message.ts'
import type { Principal } from '../../src/domain/policy/policy-acts.ts'
import { HubError } from '../../src/hub/hub.ts'
import { type Home, makeHome, until } from '../path/home.ts'
import { type Asked, startModel } from '../path/model.ts'
import { patient, said, type Taker, taker, type Wired, wire } from './bus-home.ts'

const ROOM = '---\nname: Shop\norchestrator: auto\n---\nBe brief.\n'
const KIM: Principal = { kind: 'member', id: 'kim' }
const ANA: Principal = { kind: 'member', id: 'ana' }
const HUMAN: Principal = { kind: 'human' }
const NUMBERS = { kim: '11', ana: '12' } as const

const PEOPLE = {
  'rooms/shop/ROOM.md': ROOM,
  'workspace/members/kim.md': '---\nrole: child\nchannels: { test: "11" }\n---\n',
  'workspace/members/ana.md': '---\nrole: parent\nchannels: { test: "12" }\n---\n',
}

interface Beside extends Wired {
  readonly home: Home
  readonly channel: Taker
  readonly asked: readonly Asked[]
  /** A member writes in a private chat; resolves with the reply. */
  tell(who: keyof typeof NUMBERS, content: string, more?: Partial<Inbound>): Promise<string>
  call(principal: Principal, method: string, params: object): Promise<unknown>
  refusal(principal: Principal, method: string, params: object): Promise<string>
}

let messages = 0

async function beside(
  script: (asked: Asked) => ReturnType<Parameters<typeof startModel>[0]>,
  files: Readonly<Record<string, string>> = {},
): Promise<Beside> {
  const model = await startModel(script)
  const home = makeHome({ 'neo.yaml': model.config, ...PEOPLE, ...files })
  const daemon = wire(home, [], { world: await patient(home) })
  await daemon.ready()
  await until(() => daemon.queues().seen() !== null)
  const channel = taker()
  daemon.queues().attach(channel, async () => {})
  const call = (principal: Principal, method: string, params: object) =>
    daemon.hub().call(principal, method, params)
  return {
    ...daemon,
    ...{ home, channel, asked: model.asked, call },
    async tell(who, content, more = {}) {
      const chatId = more.chatId ?? NUMBERS[who]
      const n = ++messages
      const base = {
        chatId,
        senderId: NUMBERS[who],
        speaker: `member:${who}`,
        target: `member:${who}`,
      } as const
      const message = said(n, { ...base, content, ...more })
      daemon.queues().accept(message)
      const replyOf = () => channel.sent.find(({ key }) => key === `reply:${message.key}`)
      await until(() => replyOf() !== undefined, 20_000)
      return replyOf()?.content ?? ''
    },
    async refusal(principal, method, params) {
      const error = await call(principal, method, params).catch((thrown: unknown) => thrown)
      return error instanceof HubError ? error.message : 'not refused'
    },
  }
}

const folderOf = (home: Home, who: keyof typeof NUMBERS) =>
  join(home.dir, '.git/neo/scopes', `test-${NUMBERS[who]}`)

/** Makes the task that it is told to make, then says what came of it. */
const obedient = ({ last }: Asked) => {
  if (last.includes('Not done') || last.includes('Created '))
    return `Result: ${/Not done[^"<]*|Created \S+/.exec(last)?.[0]}`
  if (last.includes('make it'))
    return { calls: [{ name: 'create_task', input: { title: 'Paint the fence', description: 'Green.' } }] }
  return 'Yes.'
}

test('in a chat Neo does what the speaker may do and no more, and git hears of the act alone', async () => {
  const at = await beside(obedient)
  expect(await at.tell('kim', 'The surprise is on Sunday, make it')).toMatch(
    /Not done.*has no access to this room/,
  )
  expect(at.home.has('rooms/shop/tasks')).toBe(false)
  expect(await at.tell('ana', 'The surprise is on Sunday, make it')).toMatch(/^Result: Created t-/)
  await until(() => at.home.git('log', '--format=%s').includes('paint-the-fence'))
  expect(at.home.git('log', '--all', '-p')).not.toContain('surprise')
  expect(JSON.stringify(at.events)).not.toContain('surprise')
  expect(at.home.read('.git/neo/audit.jsonl')).toMatch(
    /"neo:shop for member:kim in test-11","method":"task.create"/,
  )
})

test('a child sees nothing of rooms that it is not let into, and is told so nowhere', async () => {
  const at = await beside(() => 'Hello.', {
    'rooms/shop/tasks/a.md': '---\nstatus: draft\nworker: human\n---\n# Buy the telescope\n',
    'rooms/shop/memories/m.md': '---\ntype: note\n---\nThe telescope is for kim.\n',
  })
  await at.tell('kim', 'What is going on with the telescope')
  await at.tell('ana', 'What is going on with the telescope')
  const [kim = '', ana = ''] = at.asked.map(({ text }) => text)
  expect([kim.includes('Buy the telescope'), kim.includes('for kim')]).toEqual([false, false])
  expect([ana.includes('Buy the telescope'), ana.includes('for kim')]).toEqual([true, true])
  expect(kim).toContain('Be brief.')
})

test('a long answer in one chat holds up no other, and order is kept within each', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'neo-gate-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const gate = join(dir, 'open')
  const slowly = `until [ -e ${gate} ]; do sleep 0.05; done; echo ok`
  const at = await beside(({ last }) => `Heard ${[...last.matchAll(/word-\d+/g)].at(-1)?.[0]}`, {
    'workspace/members/kim.md': `---\nrole: child\nchannels: { test: "11" }\nguards: { in: [sh, -c, "${slowly}"] }\n---\n`,
  })
  const slow = Promise.all([at.tell('kim', 'word-1'), at.tell('kim', 'word-2')])
  await at.tell('ana', 'word-3')
  await at.tell('ana', 'word-4')
  expect(at.channel.sent.map(({ content }) => content)).toEqual(['Heard word-3', 'Heard word-4'])
  writeFileSync(gate, '')
  expect(await slow).toEqual(['Heard word-1', 'Heard word-2'])
})

test('facts and notes are kept in the chat, for its next turns alone, in files of nobody else', async () => {
  const at = await beside(() => 'Noted.')
  await at.tell('ana', 'My boat is Heron. My PIN is 4711')
  await at.call(ANA, 'scope.renew', { scopeId: 'test-12' })
  const folder = folderOf(at.home, 'ana')
  const memory = at.home.read(join('.git/neo/scopes/test-12', 'MEMORY.md'))
  expect(memory).toMatch(/- \*\*boat\*\* \(member:ana\): Heron — /)
  expect(
    readdirSync(folder, { recursive: true }).map((name) => statSync(join(folder, String(name))).mode & 0o077),
  ).toEqual(readdirSync(folder, { recursive: true }).map(() => 0))
  await at.tell('ana', 'What do you know')
  await at.tell('kim', 'What do you know of a boat')
  expect(at.asked.slice(1).map(({ text }) => text.includes('Heron'))).toEqual([true, false])
  expect(at.asked.every(({ text }) => !text.includes('4711'))).toBe(true)
  expect(at.channel.sent[0]?.content).toContain('(Masked and not stored: pin.)')
})

test('only whoever said a fact shares it, into a room that hears them; it is logged, and leaves the chat', async () => {
  const at = await beside(() => 'Noted.')
  await at.tell('kim', 'Hi')
  await at.tell('ana', 'Hi')
  await at.call(KIM, 'scope.remember', {
    scopeId: 'test-11',
    content: 'the den is behind the shed',
    key: 'k',
  })
  await at.call(KIM, 'scope.remember', {
    scopeId: 'test-11',
    content: 'the den is behind the shed',
    key: 'k',
  })
  await at.call(ANA, 'scope.remember', { scopeId: 'test-12', content: 'my car is blue' })
  expect(at.home.read('.git/neo/scopes/test-11/MEMORY.md').match(/the den/g)).toHaveLength(1)
  const den = { scopeId: 'test-11', words: 'den' }
  expect(await at.refusal(KIM, 'scope.share', { ...den, roomId: 'shop' })).toMatch(/^Denied/)
  expect(await at.refusal(ANA, 'scope.share', { ...den, roomId: 'shop' })).toMatch(/another person/)
  expect(await at.refusal(HUMAN, 'scope.share', den)).toMatch(/^Denied: this is another person/)
  const shared = await at.call(ANA, 'scope.share', { scopeId: 'test-12', roomId: 'shop', words: 'CAR' })
  const { paths } = shared as { paths: readonly string[] }
  expect(at.home.read(paths[0] ?? '')).toMatch(/created_by: member:ana\n---\nmember:ana: car is blue\n$/)
  expect(at.home.git('log', '-1', '--format=%an %s')).toMatch(/^ana neo\(shop\): remember \(shared\)/)
  expect(at.home.read('.git/neo/scopes/test-12/MEMORY.md')).not.toContain('blue')
  expect(at.home.read('.git/neo/scopes/test-12/HISTORY.md')).toContain('shared with shop: **car**')
  expect(at.home.read('.git/neo/audit.jsonl')).toMatch(
    /"who":"member:ana","method":"scope.share".*"effect":"allow"/,
  )
})

function filesUnder(dir: string): number {
  const isFile = (name: string) => !/\.db-(?:shm|wal)$/.test(name) && statSync(join(dir, name)).isFile()
  return (readdirSync(dir, { recursive: true }) as string[]).filter(isFile).length
}

test('clear takes away what is made again, purge takes everything, and the next word begins anew', async () => {
  const at = await beside(() => 'Sure.')
  await at.tell('ana', 'The marker is quartz-1')
  await at.tell('ana', 'And again')
  const before = at.asked.at(-1)?.text ?? ''
  await at.call(ANA, 'memory.search', { scopeId: 'test-12', query: 'quartz' })
  await at.call(ANA, 'scope.clear', { scopeId: 'test-12' })
  await at.tell('ana', 'A third time')
  expect([before, at.asked.at(-1)?.text].map((text) => text?.includes('quartz-1'))).toEqual([true, true])
  expect(await at.refusal(KIM, 'scope.purge', { scopeId: 'test-12', confirm: 'test-12' })).toMatch(/^Denied/)
  expect(await at.refusal(ANA, 'scope.purge', { scopeId: 'test-12', confirm: 'test-11' })).toMatch(
    /want the scopeId again/,
  )
  const there = filesUnder(folderOf(at.home, 'ana'))
  const purged = await at.call(ANA, 'scope.purge', { scopeId: 'test-12', confirm: 'test-12' })
  expect(purged).toEqual({ scopeId: 'test-12', messages: 6, files: there, kept: '' })
  expect(there).toBeGreaterThan(2)
  expect(existsSync(folderOf(at.home, 'ana'))).toBe(false)
  for (const name of readdirSync(join(at.home.dir, '.git/neo/queues')))
    expect(at.home.read(`.git/neo/queues/${name}`)).not.toContain('quartz')
  await at.tell('ana', 'Hello')
  expect(at.asked.at(-1)?.text).not.toContain('quartz-1')
})

test('a group that is not limited is shared: its facts are committed, and purge says what git keeps', async () => {
  const at = await beside(() => 'Fine.', {
    'workspace/scopes/club/SCOPE.md': '---\ntype: group\nchannel: "test:77"\n---\n',
  })
  const inClub = { chatId: '77', scope: 'club', sessionKey: 'test:77' }
  await at.tell('ana', 'My seat is 12', inClub)
  await at.tell('kim', 'remember that the hall is open', inClub)
  await at.call(ANA, 'scope.renew', { scopeId: 'club' })
  const memory = at.home.read('workspace/scopes/club/MEMORY.md')
  expect([memory.includes('(member:ana): 12'), memory.includes('the hall is open')]).toEqual([true, true])
  expect(at.home.git('ls-files', 'workspace/scopes/club/transcripts')).toMatch(/neo-.*\.jsonl/)
  expect(at.home.git('status', '--porcelain')).toBe('')
  // A search beside a daemon waits a moment for its index, no longer.
  const found = () => at.call(HUMAN, 'memory.search', { scopeId: 'club', query: 'hall' })
  await until(async () => JSON.stringify(await found()).includes('club/MEMORY.md'))
  const own = filesUnder(join(at.home.dir, '.git/neo/scopes/club'))
  const purged = await at.call(HUMAN, 'scope.purge', { scopeId: 'club', confirm: 'club' })
  const { files } = purged as { readonly files: number }
  expect(files).toBe(3 + own)
  expect(purged).toMatchObject({
    messages: 4,
    kept: expect.stringMatching(/^git keeps \d+ commits of workspace/),
  })
  expect(at.home.git('ls-files', 'workspace/scopes')).toBe('workspace/scopes/club/SCOPE.md')
})

test('policy.status says of each scope whether it hears people and why; a member is told of the own ones', async () => {
  const at = await beside(() => 'Fine.', {
    'workspace/scopes/parents/SCOPE.md': '---\ntype: parents_group\nmembers: [kim]\n---\n',
    'workspace/scopes/broken/SCOPE.md': '---\ntype: nonsense\n---\n',
  })
  await at.tell('kim', 'Hi')
  at.context().scopes.silence('parents', 'kim is in it')
  expect(await at.call(HUMAN, 'policy.status', {})).toMatchObject([
    {
      scopeId: 'broken',
      allowed: false,
      keeps: 'private',
      why: expect.stringContaining('SCOPE.md cannot be read'),
    },
    { scopeId: 'parents', allowed: false, why: 'kim is in it' },
    { scopeId: 'test-11', allowed: true, why: 'the private chat of kim' },
  ])
  expect(await at.call(KIM, 'scope.list', {})).toMatchObject([{ id: 'test-11', itemCount: 2, owner: 'kim' }])
  expect(await at.call(ANA, 'scope.list', {})).toEqual([])
})

test('a group whose file has a misspelled limit hears nobody, shares nothing, and its file is not touched', async () => {
  const text = '---\ntype: group\nchannel: "test:77"\nmember: [ana]\n---\nOnly Ana.\n'
  const at = await beside(() => 'Fine.', { 'workspace/scopes/club/SCOPE.md': text })
  at.queues().accept(
    said(601, { chatId: '77', senderId: '12', speaker: 'member:ana', scope: 'club', content: 'x' }),
  )
  await until(() => at.queues().counts().inbound === 0)
  expect(at.asked).toEqual([])
  expect(await at.call(HUMAN, 'policy.status', {})).toMatchObject([
    {
      scopeId: 'club',
      allowed: false,
      keeps: 'private',
      why: expect.stringMatching(/^SCOPE.md .*unknown key "member"/),
    },
  ])
  expect(at.home.read('workspace/scopes/club/SCOPE.md')).toBe(text)
  expect(at.home.git('ls-files', 'workspace/scopes/club')).toBe('workspace/scopes/club/SCOPE.md')
  expect(await at.refusal(HUMAN, 'scope.remember', { scopeId: 'test-11', content: 'x' })).toMatch(/find|else/)
})

test('a purge ends the answer that is being made, and what waited is answered never', async () => {
  const at = await beside(() => 'Late.', {
    'workspace/members/kim.md':
      '---\nrole: child\nchannels: { test: "11" }\nguards: { in: [sh, -c, "sleep 600; echo ok"] }\n---\n',
  })
  const kim = { chatId: '11', senderId: '11', speaker: 'member:kim', target: 'member:kim' } as const
  for (const n of [501, 502]) at.queues().accept(said(n, { ...kim, content: `quartz-${n}` }))
  await until(() => existsSync(join(folderOf(at.home, 'kim'), 'guards')))
  const purged = await at.call(HUMAN, 'scope.purge', { scopeId: 'test-11', confirm: 'test-11' })
  expect(purged).toMatchObject({ messages: 2 })
  expect(await at.tell('ana', 'Hi')).toBe('Late.')
  expect(at.channel.sent.map(({ chatId }) => chatId)).toEqual(['12'])
  expect(existsSync(folderOf(at.home, 'kim'))).toBe(false)
  expect(at.home.read('.git/neo/queues/inbound.jsonl')).not.toContain('quartz')
  expect(at.queues().has('test:11:501')).toBe(true)
})

test('whom a message is about is told to Neo, and gives the speaker no right', async () => {
  const at = await beside(obedient)
  expect(await at.tell('kim', 'For @ana: make it')).toMatch(/Not done/)
  expect(at.asked[0]?.last).toContain('[about member:ana] For @ana')
})
