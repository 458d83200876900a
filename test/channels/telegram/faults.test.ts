/** Trouble on the way to Telegram and back, by script: what is said is acted on, and what is answered is sent once. */
import { expect, test } from 'vitest'
import { telegramChannel, withOutcome } from '../../../src/channels/telegram/send-message.ts'
import { NeoError } from '../../../src/domain/home/error.ts'
import { plainOf } from '../../../src/domain/text/telegram-html.ts'
import { MovedClock } from '../../moved-clock.ts'
import { until } from '../../path/home.ts'
import { startModel } from '../../path/model.ts'
import { type Fault, startTelegram, TOKEN } from './server.ts'
import { HURRIED, OWNER, TIMES, talking, telegramFiles } from './telegram-home.ts'

const FLOOD = { code: 429, description: 'Too Many Requests', parameters: { retry_after: 0.2 } }
const FAILS = { code: 500, description: 'Internal Server Error' }
const CONFLICT = {
  code: 409,
  description:
    'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
}
const WEBHOOK = {
  code: 409,
  description:
    "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete it",
}
const ENTITIES = { code: 400, description: "Bad Request: can't parse entities: Unsupported start tag" }

/** The first calls of a method fail so. */
const first = (wanted: string, faults: readonly Fault[]) => (method: string, nth: number) =>
  method === wanted ? (faults[nth - 1] ?? null) : null

test.each<[string, readonly Fault[], RegExp]>([
  ['another poller', [CONFLICT, CONFLICT], /another program uses this bot token/],
  ['too many requests', [FLOOD], /429/],
  ['a gateway that fails', [{ html: 502 }, FAILS], /500/],
  ['a connection that ends', ['cut', 'cut'], /Can't reach/],
  ['silence', ['stall'], /No response from Telegram for 2 s/],
  ['a webhook of another program', [WEBHOOK], /webhook is active/],
])('polling goes on after %s, and says so meanwhile', async (_, faults, says) => {
  const server = await startTelegram({ fault: first('getUpdates', faults) })
  const times = faults.includes('stall') ? HURRIED : TIMES
  const { troubles } = await talking(telegramFiles(server.url), times)
  server.text(OWNER, '/help')
  await until(() => server.sent.length === 1)
  await until(() => ['polling: null', 'telegram: null'].includes(troubles.at(-1) ?? ''))
  expect(troubles.some((text) => says.test(text))).toBe(true)
  expect(server.count('deleteWebhook')).toBe(faults.includes(WEBHOOK) ? 1 : 0)
})

test('a token that is not taken is said without it, and one that is corrected counts without a restart', async () => {
  const server = await startTelegram()
  const files = telegramFiles(server.url)
  const right = files['neo.yaml'] ?? ''
  const { home, troubles } = await talking({ ...files, 'neo.yaml': right.replace('scripted', 'changed') })
  await until(() => troubles.some((text) => text.includes('401')))
  expect(troubles.join()).not.toContain('changed-token')
  home.write('neo.yaml', right)
  server.text(OWNER, '/help')
  await until(() => server.sent.length === 1)
})

test('a token that is corrected in .env counts without a restart', async () => {
  const server = await startTelegram()
  const files = telegramFiles(server.url)
  const config = (files['neo.yaml'] ?? '').replace(TOKEN, () => `\${TELEGRAM_BOT_TOKEN}`)
  const wrong = `TELEGRAM_BOT_TOKEN=${TOKEN.replace('scripted', 'changed')}\n`
  const { home, troubles } = await talking({ ...files, 'neo.yaml': config, '.env': wrong })
  await until(() => troubles.some((text) => text.includes('401')))
  home.write('.env', `TELEGRAM_BOT_TOKEN=${TOKEN}\n`)
  server.text(OWNER, '/help')
  await until(() => server.sent.length === 1)
})

test('a token that is changed while it runs to a wrong one is said, and the right one counts again', async () => {
  const server = await startTelegram()
  const files = telegramFiles(server.url)
  const { home, troubles } = await talking(files)
  server.text(OWNER, '/help')
  await until(() => server.sent.length === 1)
  home.write('neo.yaml', (files['neo.yaml'] ?? '').replace('scripted', 'changed'))
  await until(() => troubles.some((text) => text.includes('401')), 30_000)
  server.text(OWNER, '/room shop')
  home.write('neo.yaml', files['neo.yaml'] ?? '')
  await until(() => server.sent.length === 2, 30_000)
  expect(server.sent.at(-1)?.text).toBe('Switched to the room shop.')
  expect(troubles.join()).not.toMatch(/scripted-token|changed-token/)
})

test('an answer of 20,000 characters, with what looks like tags in it, comes whole, in parts that Telegram takes', async () => {
  const words = Array.from({ length: 2_000 }, (_, n) => `<w${n}@host> a < b & ${'&'.repeat(n % 3)}`).join(' ')
  const long = `**unclosed ${words}`.slice(0, 20_000)
  const model = await startModel(() => long)
  const server = await startTelegram()
  await talking(telegramFiles(server.url, model.config))
  server.text(OWNER, 'x'.repeat(4_096))
  await until(() => server.sent.length >= 5, 20_000)
  await until(() => plainOf(server.sent.at(-1)?.text ?? '').endsWith(long.slice(-20).trim()))
  const parts = server.sent.map(({ text }) => plainOf(text))
  expect(parts.every((part) => part.length <= 4_096)).toBe(true)
  expect(parts.join('').replaceAll(/\s/g, '')).toBe(long.replaceAll(/\s/g, ''))
})

test('a reply to any part of a long question answers it, and only the last part has buttons', async () => {
  const asked: string[] = []
  const payloads: object[] = []
  const sendMessage = async (_: string, __: string, payload: object) => {
    payloads.push(payload)
    return { chat: { id: 5 }, message_id: payloads.length }
  }
  const found = { id: 'a-1', kind: 'approval', sha256: 'f', room: 'shop', isOpen: true, shows: 'make' }
  const options = {
    clock: new MovedClock(),
    chats: { now: (id: string) => id, asked: (chat: string, id: string) => asked.push(`${chat}:${id}`) },
    findAsk: () => found,
    api: async () => ({ api: { sendMessage }, token: '' }),
  }
  const channel = telegramChannel(options as unknown as Parameters<typeof telegramChannel>[0])
  const message = { key: 'k', channel: 'telegram', chatId: '5', content: 'word '.repeat(1_500), ask: 'a-1' }
  const progress = { sent: 0, unsure: false, begin() {}, undone() {}, did() {} }
  await channel.send(message, progress, new AbortController().signal)
  expect(asked).toEqual(['5:1', '5:2'])
  expect(payloads.map((one) => 'reply_markup' in one)).toEqual([false, true])
})

test('typing is shown every four seconds while an answer is made, and ends with it', async () => {
  const timers: { readonly ms: number; readonly call: () => void }[] = []
  const clock = {
    now: () => 0,
    after(ms: number, call: () => void) {
      timers.push({ ms, call })
      return () => {}
    },
  }
  const shown: unknown[][] = []
  const api = { sendChatAction: async (...said: unknown[]) => void shown.push(said) }
  const options = { clock, chats: { now: (id: string) => id }, api: async () => ({ api, token: '' }) }
  const { busy } = telegramChannel(options as unknown as Parameters<typeof telegramChannel>[0])
  const end = busy({ channel: 'telegram', chatId: '-5', thread: '1' })
  for (let n = 0; n < 3; n++) timers.at(-1)?.call()
  await until(() => shown.length === 4)
  end()
  timers.at(-1)?.call()
  expect(timers.map(({ ms }) => ms)).toEqual([4_000, 4_000, 4_000, 4_000])
  expect(shown.at(-1)).toEqual(['-5', 'typing', { message_thread_id: 1 }])
})

test.each<[string, readonly Fault[]]>([
  ['a flood', [FLOOD, FLOOD]],
  ['a gateway that fails', [{ html: 502 }, FAILS]],
])('a reply is sent once over %s', async (_, faults) => {
  const server = await startTelegram({ fault: first('sendMessage', faults) })
  await talking(telegramFiles(server.url))
  server.text(OWNER, '/help')
  await until(() => server.sent.length === 1)
  server.text(OWNER, '/room shop')
  await until(() => server.sent.length === 2)
  expect(server.sent.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^You are talking to/),
    'Switched to the room shop.',
  ])
})

test('where the answer to a sent message is lost it is sent again, and says that it may be a repeat', async () => {
  const server = await startTelegram({ fault: first('sendMessage', ['lost']) })
  await talking(telegramFiles(server.url))
  server.text(OWNER, '/room shop')
  await until(() => server.sent.length === 2)
  expect(server.sent[0]?.text).toBe('Switched to the room shop.')
  expect(server.sent[1]?.text).toMatch(/^Switched to the room shop\.\n\n<i>\(Possible duplicate/)
})

test('an attempt that never arrives and one whose answer is lost leave two repeats that say so', async () => {
  const server = await startTelegram({ fault: first('sendMessage', ['cut', 'lost']) })
  await talking(telegramFiles(server.url))
  server.text(OWNER, '/help')
  await until(() => server.sent.length === 2, 30_000)
  expect(server.sent.every(({ text }) => /Possible duplicate/.test(text))).toBe(true)
})

test('what became of a request fits under its text, however long that is', () => {
  const html = withOutcome('😀'.repeat(2_048), 'Approved by <m-ana>')
  expect(plainOf(html).length).toBeLessThanOrEqual(4_096)
  expect(html).toMatch(/😀\n\n<b>Approved by &lt;m-ana&gt;<\/b>$/)
})

test('a text in pieces that is stopped half way says that it may be a repeat', async () => {
  let refusals = 1
  const long = { code: 400, description: 'Bad Request: message is too long' }
  const server = await startTelegram({
    fault(method, _, { text }) {
      if (method !== 'sendMessage') return null
      if (String(text).length > 3_000) return long
      return String(text).startsWith('b') && refusals-- > 0 ? FLOOD : null
    },
  })
  const { queues } = await talking(telegramFiles(server.url))
  const content = `${'a'.repeat(2_900)}\n\n${'b'.repeat(1_000)}`
  queues().put({ key: 'k', channel: 'telegram', chatId: '5', content })
  await until(() => server.sent.length === 3)
  const shown = server.sent.map(({ text }) => `${text[0]}${text.includes('Possible duplicate') ? '?' : ''}`)
  expect(shown).toEqual(['a', 'a', 'b?'])
})

test('a disk that is full is reported as that, and what was said then is heard', async () => {
  const server = await startTelegram()
  const { queues, troubles } = await talking(telegramFiles(server.url))
  const real = queues()
  const { accept } = real
  real.accept = () => {
    real.accept = accept
    throw new NeoError('disk', 'Cannot write "x": no space left')
  }
  server.text(OWNER, '/room shop')
  await until(() => server.sent.length === 1)
  expect(troubles.filter((text) => text.includes('no space'))).toEqual([
    'polling: Cannot write "x": no space left',
  ])
})

test('HTML that is refused goes as plain text without tags', async () => {
  const model = await startModel(() => 'Mail <name@host>, a < b, **bold** & more')
  const server = await startTelegram({
    fault: (method, _, payload) =>
      method === 'sendMessage' && payload['parse_mode'] === 'HTML' ? ENTITIES : null,
  })
  await talking(telegramFiles(server.url, model.config))
  server.text(OWNER, 'Hello')
  await until(() => server.sent.length === 1, 20_000)
  expect(server.sent[0]?.text).toBe('Mail <name@host>, a < b, bold & more')
})

test('a group that has become a supergroup is followed, for what is sent and for what it may do', async () => {
  const moved = {
    code: 400,
    description: 'Bad Request: group chat was upgraded to a supergroup chat',
    parameters: { migrate_to_chat_id: -100400 },
  }
  const server = await startTelegram({
    fault: (method, _, { chat_id: chat }) =>
      method === 'sendMessage' && String(chat) === '-400' ? moved : null,
  })
  const from = { from: { id: OWNER, is_bot: false, first_name: 'O' } }
  await talking({
    ...telegramFiles(server.url),
    'workspace/scopes/team/SCOPE.md': '---\ntype: group\nchannel: "telegram:-400"\n---\n',
  })
  server.text(-400, '/help', from)
  await until(() => server.sent.length === 1)
  server.text(-100400, '/tasks', from)
  await until(() => server.sent.length === 2)
  // It was said before the move, and comes after it.
  server.text(-400, '/tasks', from)
  await until(() => server.sent.length === 3)
  expect(server.sent.map(({ chat }) => chat)).toEqual(['-100400', '-100400', '-100400'])
})

test('a blocked chat is given up, a lost topic is answered in its group, and others are not held up', async () => {
  const server = await startTelegram({
    fault(method, _, payload) {
      if (method !== 'sendMessage') return null
      if (payload['message_thread_id'] !== undefined)
        return { code: 400, description: 'Bad Request: message thread not found' }
      if (payload['chat_id'] !== '77') return null
      return { code: 403, description: 'Forbidden: bot was blocked by the user' }
    },
  })
  const { queues, events } = await talking(telegramFiles(server.url))
  queues().put({ key: 'a', channel: 'telegram', chatId: '77', content: 'blocked' })
  queues().put({ key: 'b', channel: 'telegram', chatId: '-5', thread: '9', content: 'topic' })
  await until(() => server.sent.length === 1)
  await until(() => queues().counts().outbound === 0)
  expect(events.some(({ text }) => text.includes('blocked by the user'))).toBe(true)
})
