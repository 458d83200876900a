/** The channels that the contract is for: a server on loopback, the channel to it, and what is said on both sides. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { systemClock } from '../../src/adapters/machine.ts'
import type { Channel, OpenChannel } from '../../src/channels/channel.ts'
import type { Place } from '../../src/channels/channel-message.ts'
import { openChats } from '../../src/channels/inbox/chats.ts'
import { openApi } from '../../src/channels/telegram/api.ts'
import { openTelegram } from '../../src/channels/telegram/open-telegram.ts'
import { telegramChannel } from '../../src/channels/telegram/send-message.ts'
import { composeFiles } from '../../src/compose.ts'
import type { Context } from '../../src/engine/context.ts'
import type { ChannelName } from '../../src/domain/policy/channel-kinds.ts'
import { type Fault, startTelegram, TOKEN } from '../channels/telegram/server.ts'
import { OWNER, TIMES, telegramFiles } from '../channels/telegram/telegram-home.ts'
import { type Home, makeHome } from '../path/home.ts'
import { lineTo, linesChannel, NAME, openLines } from './lines-channel.ts'
import { LinesService, TOKEN as LINES_TOKEN } from './lines-service.ts'

export interface Subject {
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
    const api = { api: await openApi(settings, TIMES.callMs), token: TOKEN }
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
export const CHANNELS = [...Object.entries(OF_SERVICES), ['lines', lines] as const]
