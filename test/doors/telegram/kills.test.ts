/** The built program over a scripted Telegram, killed again and again: nothing is lost, and nothing is done twice. */
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { makeHome, start } from '../../cli/program.ts'
import { startModel } from '../../path/model.ts'
import { startTelegram } from './server.ts'
import { OWNER, telegramFiles } from './telegram-home.ts'

/** `NEO_TELEGRAM_KILLS=50` runs the whole. */
const KILLS = Number(process.env['NEO_TELEGRAM_KILLS'] ?? 6)
const EACH = 4
const AGAIN = /\n\n<i>\(Perhaps sent before[^<]*<\/i>$/

/** The same sequence for the same seed. */
function chance(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

async function soon(holds: () => boolean, limitMs: number, says = () => ''): Promise<void> {
  const end = Date.now() + limitMs
  while (!holds()) {
    if (Date.now() > end) throw new Error(`Not so within ${limitMs} ms: ${says()}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

test(`over ${KILLS} kills each update is answered, once but for a reply that says it may be a repeat`, async () => {
  const model = await startModel(({ last }) => {
    const asked = [...last.matchAll(/number \d+/g)].at(-1)?.[0]
    return `Reply to ${asked ?? 'nothing'}.`
  })
  const server = await startTelegram()
  const home = makeHome(telegramFiles(server.url, model.config))
  const random = chance(20_260_301)
  const expected: string[] = []
  for (let kill = 0; kill <= KILLS; kill++) {
    const child = start(['watch', '--home', home.dir])
    const ended = once(child, 'exit')
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (said += String(piece)))
    const before = server.count('getUpdates')
    await soon(
      () => server.count('getUpdates') > before,
      30_000,
      () => `kill ${kill}: ${said.slice(-2_000)}`,
    )
    for (let n = 0; n < EACH; n++) {
      const number = `number ${kill * EACH + n}`
      server.text(OWNER, n % 2 === 0 ? `Say ${number}` : `/room ${number}`)
      expected.push(n % 2 === 0 ? `Reply to ${number}.` : number)
    }
    // Where more wait they are answered together: another test is about that.
    if (kill < KILLS && kill % 5 !== 4) await new Promise((resolve) => setTimeout(resolve, random() * 1_500))
    else
      await soon(
        () => answered().every((count) => count > 0),
        60_000,
        () => JSON.stringify(answered()),
      )
    child.kill(kill < KILLS ? 'SIGKILL' : 'SIGTERM')
    await ended
  }
  function answered(): number[] {
    const once = server.sent.filter(({ text }) => !AGAIN.test(text)).map(({ text }) => text)
    const repeats = server.sent
      .filter(({ text }) => AGAIN.test(text))
      .map(({ text }) => text.replace(AGAIN, ''))
    return expected.map((wanted) => {
      const isIt = (text: string) => text === wanted || text.includes(`&quot;${wanted}&quot;`)
      const plain = once.filter(isIt).length
      return plain > 0 ? plain : repeats.filter(isIt).length
    })
  }
  expect(answered()).toEqual(expected.map(() => 1))
  expect(home.git('status', '--porcelain')).toBe('')
}, 600_000)
