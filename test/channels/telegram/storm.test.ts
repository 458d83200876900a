/** Many updates through everything at once: restarts, doubles, floods, conflicts, failing gateways, cut connections. */
import { expect, test } from 'vitest'
import { makeHome, until } from '../../path/home.ts'
import { startModel } from '../../path/model.ts'
import { type Fault, startTelegram } from './server.ts'
import { again, OWNER, telegramFiles } from './telegram-home.ts'

/** `NEO_TELEGRAM_UPDATES=1000` runs the whole. */
const COUNT = Number(process.env['NEO_TELEGRAM_UPDATES'] ?? 60)
const FLOOD: Fault = { code: 429, description: 'Too Many Requests', parameters: { retry_after: 0.2 } }
const CONFLICT: Fault = { code: 409, description: 'Conflict: terminated by other getUpdates request' }
const FAULTS: readonly Fault[] = [
  FLOOD,
  { html: 502 },
  CONFLICT,
  'cut',
  { code: 503, description: 'Service Unavailable' },
]

/** One call in seven fails. A message whose answer is lost says so when it is repeated: another test is about that. */
function everySeventh(): (method: string) => Fault | null {
  let calls = 0
  return (method) => {
    if (method !== 'sendMessage' && method !== 'getUpdates') return null
    calls += 1
    const fault = calls % 7 === 0 ? (FAULTS[(calls / 7) % FAULTS.length] ?? null) : null
    return method === 'sendMessage' && fault === 'cut' ? FLOOD : fault
  }
}

test(`${COUNT} updates over restarts, doubles and faults: each acted on once, each reply sent once, in order`, async () => {
  const model = await startModel(({ last }) => {
    const asked = [...last.matchAll(/number \d+/g)].at(-1)?.[0]
    return `Reply to **${asked ?? 'nothing'}**`
  })
  const server = await startTelegram({ fault: everySeventh() })
  const home = makeHome(telegramFiles(server.url, model.config))
  const replies: string[] = []
  let daemon = await again(home)
  for (let n = 0; n < COUNT; n++) {
    const isWord = n % 3 !== 0
    server.text(OWNER, isWord ? `/unheard_of number ${n}` : `Say number ${n}`)
    if (!isWord) replies.push(`Reply to <b>number ${n}</b>`)
    if (n % 10 === 9) server.double(5)
    if (n % 20 === 19) {
      await daemon.stop()
      daemon = await again(home)
      // Where more wait they are answered together: another test is about that.
      await until(() => server.sent.length > n - 8, 40_000)
    }
  }
  await until(() => server.sent.length >= COUNT, 40_000 + COUNT * 400)
  const { queues } = daemon
  await until(() => queues().counts().inbound + queues().counts().outbound === 0, 20_000)
  const texts = server.sent.map(({ text }) => text)
  expect(texts.filter((text) => text.startsWith('Reply'))).toEqual(replies)
  expect(texts.filter((text) => text.startsWith('Unknown command'))).toHaveLength(COUNT - replies.length)
  expect(texts).toHaveLength(COUNT)
})
