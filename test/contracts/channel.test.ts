/** What every channel promises: Telegram and a small line-based one, each against a server on loopback. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/adapters/machine.ts'
import type { Channel, OpenChannel, Progress } from '../../src/channels/channel.ts'
import { type Outbound, type Place, placeOf, placeText } from '../../src/channels/channel-message.ts'
import { openChats } from '../../src/channels/inbox/chats.ts'
import { openApi } from '../../src/channels/telegram/api.ts'
import { openTelegram } from '../../src/channels/telegram/open-telegram.ts'
import { telegramChannel } from '../../src/channels/telegram/send-message.ts'
import { composeFiles } from '../../src/compose.ts'
import type { Context } from '../../src/engine/context.ts'
import type { ChannelName } from '../../src/domain/policy/channel-kinds.ts'
import { wire } from '../channels/bus-home.ts'
import { type Fault, startTelegram, TOKEN } from '../channels/telegram/server.ts'
import { OWNER, TIMES, telegramFiles } from '../channels/telegram/telegram-home.ts'
import { type Home, makeHome, until } from '../path/home.ts'
import { lineTo, linesChannel, NAME, openLines } from './lines-channel.ts'
import { LinesService, TOKEN as LINES_TOKEN } from './lines-service.ts'

interface Subject {
  readonly port: () => Promise<Channel>
  readonly open: OpenChannel
  /** The owner's private chat. */
  readonly place: Place
  readonly home: () => Home
  /** The owner writes; gives what delivers the same message again. */
  say(text: string): () => void
  /** What has reached the chat, in order. */
  texts(): readonly string[]
  /** The next sends are refused, for now or for ever, or taken without a confirmation. */
  refuse(...how: readonly ('later' | 'never' | 'lost')[]): void
  /** A home whose login is wrong, and what corrects it. */
  readonly wrong: { home(): Home; correct(home: Home): void }
  /** A group for parents, in which only the owner is. */
  readonly group: {
    readonly home: () => Home
    say(text: string): void
    /** Somebody whom nobody knows comes in. */
    strangerJoins(): void
  }
  /** How often it was shown that an answer is being made. */
  typing(): number
}

/** The group of a chat is for parents. */
function forParents(channel: string): Record<string, string> {
  return {
    'workspace/scopes/grown-ups/SCOPE.md': `---\ntype: parents_group\nchannel: "${channel}"\n---\n`,
  }
}

async function telegram(): Promise<Subject> {
  const faults: Fault[] = []
  const inside = [OWNER]
  const server = await startTelegram({
    members: { '-200': inside },
    fault: (method) => (method === 'sendMessage' ? (faults.shift() ?? null) : null),
  })
  const settings = { token: TOKEN, allowFrom: [], apiRoot: server.url, proxy: null }
  const port = async () => {
    const dir = mkdtempSync(join(tmpdir(), 'neo-channel-'))
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
    const api = { api: await openApi(settings, 5_000), token: TOKEN }
    const chats = openChats(composeFiles(), join(dir, 'chats.json'))
    return telegramChannel({ clock: systemClock(), chats, findAsk: () => null, api: async () => api })
  }
  const refusal = {
    later: { code: 429, description: 'Too Many Requests', parameters: { retry_after: 0 } },
    never: { code: 403, description: 'Forbidden: bot was blocked by the user' },
    lost: 'lost',
  } as const
  const files = telegramFiles(server.url)
  return {
    port,
    open: (options) => openTelegram({ ...options, times: TIMES }),
    place: { channel: 'telegram', chatId: String(OWNER) },
    home: () => makeHome(files),
    say(text) {
      server.text(OWNER, text)
      return () => server.double(1)
    },
    texts: () => server.sent.map(({ text }) => text),
    refuse: (...how) => void faults.push(...how.map((one) => refusal[one])),
    typing: () => server.count('sendChatAction'),
    wrong: {
      home: () =>
        makeHome({ ...files, 'neo.yaml': (files['neo.yaml'] ?? '').replace('scripted', 'changed') }),
      correct: (home) => void home.write('neo.yaml', files['neo.yaml'] ?? ''),
    },
    group: {
      home: () => makeHome({ ...files, ...forParents('telegram:-200') }),
      say: (text) => void server.text(-200, text, { from: { id: OWNER, is_bot: false, first_name: 'O' } }),
      strangerJoins() {
        inside.push(77)
        server.text(-200, '', {
          text: undefined,
          new_chat_members: [{ id: 77, is_bot: false, first_name: 'S' }],
        })
      },
    },
  }
}

const LINES_FILES = {
  'neo.yaml': 'daemon: { settle: 0s, rescan: 1s }\n',
  'rooms/lobby/ROOM.md': '---\nname: Lobby\n---\n',
  'rooms/shop/ROOM.md': '---\nname: Shop\n---\n',
}

/** Its keys are not of neo.yaml, where the table of channels does not have it: the channel sees them as if they were. */
function withSection(context: Context, section: () => object): Context {
  const config = () => {
    const read = context.look.config()
    return { ...read, rest: { ...read.rest, channels: { [NAME]: section() } } }
  }
  const look = Object.create(context.look, { config: { value: config } }) as Context['look']
  return Object.create(context, { look: { value: look } }) as Context
}

async function lines(): Promise<Subject> {
  const service = await new LinesService().start()
  let token = LINES_TOKEN
  // Listed twice, it is still one person in a group.
  const section = () => ({ enabled: true, token, port: service.port, allow_from: ['7', '7'] })
  service.groups.set('g-a', new Set(['7']))
  return {
    port: async () => {
      const line = await lineTo(service)
      onTestFinished(() => void line.socket.destroy())
      const connection = { open: async () => line, allowFrom: () => [], end: () => {} }
      return linesChannel({ connection, findAsk: () => null })
    },
    open: (options) => openLines({ ...options, context: withSection(options.context, section) }),
    place: { channel: NAME, chatId: '7' },
    home: () => makeHome(LINES_FILES),
    say: (text) => service.put({ chat: '7', from: '7', text }),
    texts: () => service.texts.map(({ text }) => text),
    refuse: (...how) =>
      void service.refusals.push(
        ...how.map((one) => (one === 'later' ? 'busy' : one === 'never' ? 'gone' : one)),
      ),
    typing: () => service.typing,
    wrong: {
      home() {
        token = 'wrong'
        return makeHome(LINES_FILES)
      },
      correct() {
        token = LINES_TOKEN
      },
    },
    group: {
      home: () => makeHome({ ...LINES_FILES, ...forParents('lines:g-a') }),
      say: (text) => void service.put({ chat: 'g-a', from: '7', text }),
      strangerJoins() {
        service.groups.get('g-a')?.add('8')
        service.put({ chat: 'g-a', from: '8', joined: true })
      },
    },
  }
}

/** A new channel does not compile without a row here. */
const OF_SERVICES: Readonly<Record<ChannelName, () => Promise<Subject>>> = { telegram }
const CHANNELS = [...Object.entries(OF_SERVICES), ['lines', lines] as const]

/** What the port tells of the parts of one message, as the delivery queue would keep it. */
function noting(sent = 0, unsure = false): Progress & { readonly notes: string[] } {
  const notes: string[] = []
  return {
    ...{ sent, unsure, notes },
    begin: (part) => void notes.push(`begin ${part}`),
    undone: (part) => void notes.push(`undone ${part}`),
    did: (part) => void notes.push(`did ${part}`),
  }
}

const OPEN = new AbortController().signal

function message({ place }: Subject, content: string): Outbound {
  return { ...place, key: `m:${content.slice(0, 10)}`, content }
}

const LONG = ['a', 'b', 'c'].map((letter) => letter.repeat(3_000)).join('\n\n')

describe.each(CHANNELS)('the port: %s', (_, make) => {
  test('send() announces a part before it leaves and notes it after', async () => {
    const at = await make()
    const progress = noting()
    const port = await at.port()
    expect(await port.send(message(at, 'Hello.'), progress, OPEN)).toEqual({ kind: 'sent' })
    expect([at.texts(), progress.notes]).toEqual([['Hello.'], ['begin 0', 'did 0']])
  })

  test('send() sends parts in order, and not again those that have left', async () => {
    const at = await make()
    const port = await at.port()
    await port.send(message(at, LONG), noting(), OPEN)
    const whole = at.texts()
    expect(whole.map((text) => text[0])).toEqual(['a', 'b', 'c'])
    const progress = noting(2)
    await port.send(message(at, LONG), progress, OPEN)
    expect(at.texts().slice(whole.length)).toEqual(whole.slice(2))
    expect(progress.notes).toEqual(['begin 2', 'did 2'])
  })

  test('send() says so under a part that may have left before, and under no other', async () => {
    const at = await make()
    await (await at.port()).send(message(at, LONG), noting(1, true), OPEN)
    expect(at.texts().map((text) => text.includes('Possible duplicate'))).toEqual([true, false])
  })

  test('send() that is refused for now is a value, and its part did not leave', async () => {
    const at = await make()
    const port = await at.port()
    const progress = noting()
    at.refuse('later')
    expect((await port.send(message(at, 'Hello.'), progress, OPEN)).kind).toBe('later')
    expect([at.texts(), progress.notes]).toEqual([[], ['begin 0', 'undone 0']])
    expect((await port.send(message(at, 'Hello.'), noting(), OPEN)).kind).toBe('sent')
  })

  test('send() that is not confirmed is a value, and its part may have left', async () => {
    const at = await make()
    const progress = noting()
    at.refuse('lost')
    expect((await (await at.port()).send(message(at, 'Hello.'), progress, OPEN)).kind).toBe('later')
    expect([at.texts(), progress.notes]).toEqual([['Hello.'], ['begin 0']])
  })

  test('send() to a chat that is gone is a value', async () => {
    const at = await make()
    at.refuse('never')
    expect((await (await at.port()).send(message(at, 'Hello.'), noting(), OPEN)).kind).toBe('never')
  })

  test('send() after the end sends nothing', async () => {
    const at = await make()
    const sent = await (await at.port()).send(message(at, 'Hello.'), noting(), AbortSignal.abort())
    expect([sent.kind, at.texts()]).toEqual(['later', []])
  })

  test('busy() shows that an answer is being made, until it is ended', async () => {
    const at = await make()
    const end = (await at.port()).busy(at.place)
    await until(() => at.typing() > 0)
    end()
    end()
  })

  test('a place is found again in its text', async () => {
    const { place } = await make()
    for (const one of [place, { ...place, thread: '17' }]) expect(placeOf(placeText(one))).toEqual(one)
  })
})

/** The channel beside a daemon; `stop` ends both. */
async function running(at: Subject, home: Home) {
  const troubles: string[] = []
  const daemon = wire(home, troubles)
  await daemon.ready()
  await until(() => daemon.queues().seen() !== null)
  const close = at.open({
    context: daemon.context(),
    hub: daemon.hub(),
    queues: daemon.queues(),
    trouble: (why) => void troubles.push(String(why)),
  })
  daemon.closing.push(close)
  return { ...daemon, troubles, stop: () => daemon.stop() }
}

describe.each(CHANNELS)('beside a daemon: %s', (_, make) => {
  test('what is said is answered once, however often it is delivered, and in order', async () => {
    const at = await make()
    await running(at, at.home())
    const again = at.say('/room shop')
    at.say('/room lobby')
    await until(() => at.texts().length === 2)
    again()
    at.say('/tasks')
    await until(() => at.texts().length === 3)
    expect(at.texts()).toEqual([
      'Switched to the room shop.',
      'Switched to the room lobby.',
      'No open tasks.',
    ])
  })

  test('what is refused for now is sent once, before what comes after it', async () => {
    const at = await make()
    const { troubles } = await running(at, at.home())
    at.refuse('later', 'later')
    at.say('/room shop')
    at.say('/tasks')
    await until(() => at.texts().length === 2)
    expect(at.texts()).toEqual(['Switched to the room shop.', 'No open tasks.'])
    expect(troubles.at(-1)).toMatch(/null$/)
  })

  test('a stop loses nothing: what was said then is answered once after the next start', async () => {
    const at = await make()
    const home = at.home()
    const first = await running(at, home)
    at.say('/room shop')
    await until(() => at.texts().length === 1)
    await first.stop()
    at.say('/tasks')
    await running(at, home)
    await until(() => at.texts().length === 2)
    expect(at.texts()).toEqual(['Switched to the room shop.', 'No open tasks.'])
  })

  test('a login that is refused is reported, and one that is corrected counts without a restart', async () => {
    const at = await make()
    const home = at.wrong.home()
    const { troubles } = await running(at, home)
    await until(() => troubles.some((text) => text !== 'null'))
    at.wrong.correct(home)
    at.say('/room shop')
    await until(() => at.texts().length === 1)
    expect(at.texts()).toEqual(['Switched to the room shop.'])
  })

  test('a group for some is answered until a stranger comes in, and from then on it is silent', async () => {
    const at = await make()
    const { events, queues } = await running(at, at.group.home())
    at.group.say('/tasks')
    await until(() => at.texts().length === 1)
    at.group.strangerJoins()
    at.group.say('/tasks')
    await until(() => events.some(({ text }) => text.includes('is not allowed there')))
    expect([at.texts(), queues().counts().inbound]).toEqual([['No open tasks.'], 0])
  })
})
