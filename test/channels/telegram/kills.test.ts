/** The built program over a scripted Telegram, killed again and again: nothing is lost, and nothing is done twice. */
import { expect, test } from 'vitest'
import { type Home, makeHome } from '../../cli/program.ts'
import { startModel } from '../../path/model.ts'
import { AGAIN, chance, START_MS, soon, watching } from './killing.ts'
import { startTelegram, type TelegramServer } from './server.ts'
import { OWNER, telegramFiles } from './telegram-home.ts'

/** `NEO_TELEGRAM_KILLS=50` runs the whole. */
const KILLS = Number(process.env['NEO_TELEGRAM_KILLS'] ?? 6)
/** Homes that are killed beside each other. */
const HOMES = 2
const EACH = 4
/** From nothing read to all answered, and past it. */
const LONGEST_LIFE_MS = 1_200

interface Lives {
  readonly home: Home
  readonly server: TelegramServer
  /**
   * How often each reply that is due was sent without the words of a possible repeat; 1 if only with them. Two kills, one
   * before the first attempt arrives and one before the second is noted, leave two repeats and no first.
   */
  answered(): number[]
}

interface Life {
  readonly nth: number
  readonly isLast: boolean
}

async function live({ home, server, answered }: Lives, { nth, isLast }: Life, restMs: number): Promise<void> {
  const program = await watching(home, server)
  const says = () => `life ${nth}, ${program.says()} ${JSON.stringify(answered())}`
  for (let n = nth * EACH; n < (nth + 1) * EACH; n++)
    server.text(OWNER, n % 2 === 0 ? `Say number ${n}` : `/room number ${n}`)
  // Where more wait they are answered together: another test is about that.
  if (isLast || nth % 5 === 4) await soon(() => answered().every((count) => count > 0), START_MS, says)
  else await new Promise((resolve) => setTimeout(resolve, restMs))
  await program.end(isLast ? 'SIGTERM' : 'SIGKILL')
}

async function lives(config: string, { kills, seed }: { kills: number; seed: number }): Promise<Lives> {
  const server = await startTelegram()
  const home = makeHome(telegramFiles(server.url, config))
  const random = chance(seed)
  const due: string[] = []
  const answered = () => {
    const once = server.sent.filter(({ text }) => !AGAIN.test(text)).map(({ text }) => text)
    const repeats = server.sent
      .filter(({ text }) => AGAIN.test(text))
      .map(({ text }) => text.replace(AGAIN, ''))
    return due.map((wanted) => {
      const isIt = (text: string) => text === wanted || text.includes(`&quot;${wanted}&quot;`)
      const plain = once.filter(isIt).length
      return plain > 0 ? plain : Math.min(1, repeats.filter(isIt).length)
    })
  }
  const all = { home, server, answered }
  for (let nth = 0; nth <= kills; nth++) {
    for (let n = nth * EACH; n < (nth + 1) * EACH; n++)
      due.push(n % 2 === 0 ? `Reply to number ${n}.` : `number ${n}`)
    await live(all, { nth, isLast: nth === kills }, random() * LONGEST_LIFE_MS)
  }
  return all
}

test(`over ${KILLS} kills each update is answered, once but for a reply that says it may be a repeat`, async () => {
  const model = await startModel(({ last }) => {
    const asked = [...last.matchAll(/number \d+/g)].at(-1)?.[0]
    return `Reply to ${asked ?? 'nothing'}.`
  })
  const kills = Math.ceil(KILLS / HOMES)
  const ended = await Promise.all(
    Array.from({ length: HOMES }, (_, n) => lives(model.config, { kills, seed: 20_260_301 + n })),
  )
  for (const { home, answered } of ended) {
    expect(answered()).toEqual(answered().map(() => 1))
    expect(home.git('status', '--porcelain')).toBe('')
    // What was said is in no object of git, whatever was killed when.
    expect(home.git('cat-file', '--batch-all-objects', '--batch', '--buffer')).not.toMatch(
      /Say number|Reply to number/,
    )
  }
})
