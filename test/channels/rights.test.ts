/** Whichever way a member's word comes before Neo, he has no more rights than they have, and their guards are asked. */
import { expect, test } from 'vitest'
import type { Inbound } from '../../src/channels/channel-message.ts'
import type { Principal } from '../../src/domain/policy/policy-acts.ts'
import { HubError } from '../../src/hub/hub.ts'
import { type Home, makeHome, until } from '../path/home.ts'
import { type Asked, startModel } from '../path/model.ts'
import { said, type Taker, taker, type Wired, wire } from './bus-home.ts'

type Who = 'kim' | 'ana'

const NO = 'guards: { in: [/bin/false] }'
const ROOM = '---\nname: Shop\norchestrator: auto\n---\nBe brief.\n'
const GROUP = {
  'workspace/scopes/test-9/SCOPE.md': '---\ntype: room\nchannel: "test:9"\n---\n',
}

const FILES = {
  'rooms/shop/ROOM.md': ROOM,
  'rooms/lobby/ROOM.md': ROOM.replace('Shop', 'Lobby'),
  ...GROUP,
}

interface Beside extends Wired {
  readonly home: Home
  readonly channel: Taker
  readonly asked: readonly Asked[]
  readonly call: (as: Principal, method: string, params: object) => Promise<unknown>
}

/** Keeps what he is told to keep, and passes on what he is told to pass on. */
const obedient = ({ last }: Asked) => {
  if (/Not done|Saved|Sent|Reported|Said/.test(last)) return 'Well.'
  if (last.includes('pass it on'))
    return { calls: [{ name: 'send_message', input: { room_id: 'shop', content: 'keep it' } }] }
  if (last.includes('keep it'))
    return { calls: [{ name: 'add_memory', input: { type: 'note', content: 'The code is blue' } }] }
  return 'Hello.'
}

async function beside(more = '', files: Readonly<Record<string, string>> = {}): Promise<Beside> {
  const model = await startModel(obedient)
  const kim = `---\nrole: child\npermissions: { rooms: [lobby, shop] }\n${more}\n---\n`
  const people = {
    'workspace/members/kim.md': kim,
    'workspace/members/ana.md': '---\nrole: parent\n---\n',
  }
  const home = makeHome({ 'neo.yaml': model.config, ...FILES, ...people, ...files })
  const daemon = wire(home)
  await daemon.ready()
  await until(() => daemon.queues().seen() !== null)
  const channel = taker()
  daemon.queues().attach(channel, async () => {})
  const call = (as: Principal, method: string, params: object) => daemon.hub().call(as, method, params)
  return { ...daemon, home, channel, asked: model.asked, call }
}

/** Said in a chat of the test's channel; resolves with the reply. */
async function chat(at: Beside, content: string, more: Partial<Inbound>): Promise<string> {
  const message = said(at.channel.sent.length + 1, { content, ...more })
  at.queues().accept(message)
  const replyOf = () => at.channel.sent.find(({ key }) => key === `reply:${message.key}`)
  await until(() => replyOf() !== undefined, 20_000)
  return replyOf()?.content ?? ''
}

const as = (who: Who): Pick<Inbound, 'speaker' | 'target'> => ({
  speaker: `member:${who}`,
  target: `member:${who}`,
})

/** Every way from a member to the Neo of a room. */
const ROADS: Readonly<Record<string, (at: Beside, who: Who) => Promise<unknown>>> = {
  'message.send': (at, who) =>
    at.call({ kind: 'member', id: who }, 'message.send', { roomId: 'shop', content: 'keep it' }),
  'a file in the inbox': async (at, who) =>
    at.home.write('rooms/shop/inbox/a.md', `---\nfrom: member:${who}\n---\nkeep it\n`),
  'a group that talks in the room': (at, who) =>
    chat(at, 'keep it', { chatId: '9', senderId: '5', sessionKey: 'test:9', scope: 'test-9', ...as(who) }),
  'the Neo of another room, in a private chat': (at, who) =>
    chat(at, 'pass it on', { chatId: '5', scope: 'test-5', room: 'lobby', ...as(who) }),
}

const roads = Object.entries(ROADS)
const memories = (at: Beside) => at.home.git('log', '--all', '-p').includes('The code is blue')

test.each(roads)('by %s a child has no more rights than a child', async (_, road) => {
  const at = await beside('', { 'workspace/members/kim.md': paired('kim', 'child') })
  await road(at, 'kim')
  await until(() => at.asked.some(({ last }) => last.includes('Not done')), 20_000)
  expect(at.asked.find(({ last }) => last.includes('Not done'))?.last).toMatch(/only in its own conversation/)
  expect([memories(at), at.home.has('rooms/shop/memories')]).toEqual([false, false])
  const log = at.home.read('.git/neo/audit.jsonl').trim().split('\n')
  expect(
    log.filter((line) => line.includes('"memory.add"')).every((line) => line.includes('for member:kim')),
  ).toBe(true)
})

test.each(roads)('by %s a parent has those of a parent', async (_, road) => {
  const at = await beside('', { 'workspace/members/ana.md': paired('ana', 'parent') })
  await road(at, 'ana')
  await until(() => memories(at), 20_000)
})

test('a refusal is said in a private chat and in no group, whatever ids they have', async () => {
  const at = await beside('', { 'workspace/members/kim.md': '---\nrole: child\n---\n' })
  const group = { chatId: '8', senderId: '8', isPrivate: false }
  const own = { chatId: 'chat-5', senderId: '5', isPrivate: true }
  for (const more of [group, own]) at.queues().accept(said(1, { ...more, ...as('kim') }))
  const refused = () => at.events.filter(({ kind }) => kind === 'refused')
  await until(() => refused().length === 2 && at.channel.sent.length > 0, 20_000)
  expect(at.channel.sent.map(({ chatId }) => chatId)).toEqual(['chat-5'])
})

test('for whom the Neo of one room writes to another is in no file that git sees', async () => {
  const at = await beside('', { 'workspace/members/kim.md': paired('kim', 'child') })
  await ROADS['the Neo of another room, in a private chat']?.(at, 'kim')
  await until(() => at.home.has('rooms/shop/inbox/archive'), 20_000)
  const history = at.home.git('log', '--all', '-p', '--', 'rooms')
  expect(history).not.toContain('member:kim')
})

test('a guard of the speaker holds back what is said by message.send and in a group of a room', async () => {
  const at = await beside(NO)
  const kim: Principal = { kind: 'member', id: 'kim' }
  const refused = at.call(kim, 'message.send', { roomId: 'shop', content: 'keep it' })
  await expect(refused).rejects.toBeInstanceOf(HubError)
  await expect(refused).rejects.toThrow('breaks the rules')
  const reply = await chat(at, 'keep it', {
    chatId: '9',
    senderId: '5',
    scope: 'test-9',
    sessionKey: 'test:9',
    ...as('kim'),
  })
  expect(reply).toMatch(/^Your message was not delivered/)
  expect([at.asked.length, at.home.has('rooms/shop/inbox')]).toEqual([0, false])
  const logged = at.events.filter(({ kind }) => kind === 'refused').map(({ text }) => text)
  expect(logged).toEqual([expect.stringMatching(/member:kim, in/), expect.stringMatching(/member:kim, in/)])
})

test('the guards of a group that talks in the room are asked, for what comes and for what goes', async () => {
  const guards =
    'guards:\n  in: [sh, -c, \'grep -q bomb "$0" && echo no || echo ok\']\n  out: [sh, -c, \'grep -q Hello "$0" && echo no || echo ok\']\n'
  const at = await beside('', {
    'workspace/scopes/test-9/SCOPE.md': `---\ntype: room\nchannel: "test:9"\n${guards}---\n`,
  })
  const there = { chatId: '9', senderId: '5', scope: 'test-9', sessionKey: 'test:9' }
  expect(await chat(at, 'a bomb', there)).toMatch(/^Your message was not delivered/)
  expect(at.asked.length).toBe(0)
  expect(await chat(at, 'good day', there)).toMatch(/^The answer is hidden/)
})

function paired(who: Who, role: string): string {
  const rooms = role === 'parent' ? '' : 'permissions: { rooms: [lobby, shop] }\n'
  return `---\nrole: ${role}\nchannels: { test: "5" }\n${rooms}---\n${who}\n`
}
