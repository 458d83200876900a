/** A conversation over a Bot API that nobody here wrote: text, markdown, long answers, words. */
import { TelegramServer } from 'telegram-test-api/lib/telegramServer.js'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../free-port.ts'
import { until } from '../../path/home.ts'
import { startModel } from '../../path/model.ts'
import { TOKEN } from './server.ts'
import { OWNER, talking, telegramFiles } from './telegram-home.ts'

interface Talk {
  readonly url: string
  say(text: string): Promise<void>
  /** Everything that the bot has sent so far. */
  heard(): string[]
}

async function start(): Promise<Talk> {
  const server = new TelegramServer({ port: await freePort(), host: '127.0.0.1' })
  await server.start()
  onTestFinished(async () => void (await server.stop()))
  const client = server.getClient(TOKEN, { userId: OWNER, chatId: OWNER, firstName: 'Owner' })
  return {
    url: server.config.apiURL,
    say: async (text) => void (await client.sendMessage(client.makeMessage(text))),
    heard: () =>
      server.storage.botMessages.map(({ message }) => ('text' in message ? String(message.text) : '')),
  }
}

test('what is said is answered in HTML; words are carried out; a long answer comes in parts, in order', async () => {
  const talk = await start()
  const paragraph = (n: number) => `Paragraph ${n}. ${'word '.repeat(100)}`
  const long = Array.from({ length: 25 }, (_, n) => paragraph(n)).join('\n\n')
  const model = await startModel(({ last }) =>
    last.includes('Tell me all') ? long : 'It is **open** & `well`.',
  )
  await talking(telegramFiles(talk.url, model.config))
  await talk.say('Is it open?')
  await until(() => talk.heard().length === 1, 20_000)
  await talk.say('/room shop')
  await until(() => talk.heard().length === 2)
  await talk.say('/tasks')
  await until(() => talk.heard().length === 3)
  await talk.say('Tell me all')
  await until(() => talk.heard().length === 7, 20_000)
  const [answer, room, tasks, ...parts] = talk.heard()
  expect(answer).toBe('It is <b>open</b> &amp; <code>well</code>.')
  expect([room, tasks]).toEqual(['Switched to the room shop.', 'No open tasks.'])
  expect(parts.every((part) => part.length <= 4096)).toBe(true)
  const said = parts.join(' ').match(/Paragraph \d+/g)
  expect(said).toEqual(Array.from({ length: 25 }, (_, n) => `Paragraph ${n}`))
})
