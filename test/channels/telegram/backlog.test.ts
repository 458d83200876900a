/** What people wrote while nobody listened: all of it handled in order, once, and answered, soon. */
import { expect, test } from 'vitest'
import { makeHome, until } from '../../path/home.ts'
import { startModel } from '../../path/model.ts'
import { startTelegram } from './server.ts'
import { again, member, OWNER, telegramFiles } from './telegram-home.ts'

/** `NEO_TELEGRAM_BACKLOG=1000` runs the whole, within a minute each; `npm run bench -- --only queue` measures it. */
const ASKED = process.env['NEO_TELEGRAM_BACKLOG']
const COUNT = Number(ASKED ?? 150)
const LIMIT_MS = 60_000

const numbersIn = (text: string) => [...text.matchAll(/number (\d+)/g)].map(([, n]) => Number(n))

test.each(ASKED === undefined ? [1, 20] : [1, 20, 200])(
  `${COUNT} messages of %i chats that waited are handled in order, each once, and answered`,
  async (chats) => {
    const model = await startModel(({ last }) => {
      const from = last.lastIndexOf('<message')
      return `Of ${numbersIn(last.slice(from))
        .map((n) => `number ${n}`)
        .join(', ')}.`
    })
    const server = await startTelegram()
    const people = Array.from({ length: chats }, (_, n) => (n === 0 ? OWNER : 1_000 + n))
    const files = people
      .slice(1)
      .map((number) => [`workspace/members/p-${number}.md`, member('parent', number)])
    const home = makeHome({ ...telegramFiles(server.url, model.config), ...Object.fromEntries(files) })
    for (let n = 0; n < COUNT; n++) server.text(people[n % chats] ?? OWNER, `Say number ${n}`)
    const from = Date.now()
    const { queues } = await again(home)
    await until(() => server.sent.flatMap(({ text }) => numbersIn(text)).length >= COUNT, LIMIT_MS * 2)
    const tookMs = Date.now() - from
    await until(() => queues().counts().inbound + queues().counts().outbound === 0)
    for (const [at, person] of people.entries()) {
      const said = server.sent
        .filter(({ chat }) => chat === String(person))
        .flatMap(({ text }) => numbersIn(text))
      const due = Array.from({ length: COUNT }, (_, n) => n).filter((n) => n % chats === at)
      expect(said).toEqual(due)
    }
    // A machine that is busy with other things is no measure.
    if (ASKED !== undefined) {
      process.stderr.write(
        `${COUNT} messages of ${chats} chats: ${tookMs} ms, ${server.sent.length} answers\n`,
      )
      expect(tookMs).toBeLessThan(LIMIT_MS)
    }
  },
)
