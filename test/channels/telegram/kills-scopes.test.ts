/**
 * The built program killed while facts leave a private chat, while a group for some talks, and while a conversation is
 * purged: nothing is lost or doubled, and nothing gets into git or into another conversation.
 */
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Home, makeHome, neo, start } from '../../cli/program.ts'
import { startModel } from '../../path/model.ts'
import { AGAIN, chance, START_MS, soon, watching } from './killing.ts'
import { type TelegramServer, startTelegram } from './server.ts'
import { CHILD, OWNER, PARENT, telegramFiles } from './telegram-home.ts'

/** `NEO_TELEGRAM_KILLS=50` runs the whole. */
const KILLS = Math.max(4, Math.ceil(Number(process.env['NEO_TELEGRAM_KILLS'] ?? 0) / 2))
const GROUP = -300
const RULES = `---\ntype: group\nchannel: "telegram:${GROUP}"\nmembers: [m-ana, m-kim]\n---\nOnly for two.\n`
const allObjects = (home: Home) => home.git('cat-file', '--batch-all-objects', '--batch', '--buffer')

/** Every file of the repository's own folder that holds a text, by path. */
function holding(home: Home, text: string, below = '.git/neo'): string[] {
  const root = join(home.dir, below)
  if (!existsSync(root)) return []
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(text))
    .map((path) => path.slice(home.dir.length + 1))
}

/** How often a reply was sent; those that say they may be a repeat count as one if there is no other (kills.test.ts). */
function timesSent(server: TelegramServer, isIt: (text: string) => boolean): number {
  const texts = server.sent.map(({ text }) => text)
  const plain = texts.filter((text) => !AGAIN.test(text) && isIt(text)).length
  return plain > 0 ? plain : Math.min(1, texts.filter((text) => isIt(text.replace(AGAIN, ''))).length)
}

async function everyLife(
  { home, server }: { readonly home: Home; readonly server: TelegramServer },
  say: (nth: number) => void,
  isOver: () => boolean,
): Promise<void> {
  const random = chance(20_260_302)
  for (let nth = 0; nth <= KILLS; nth++) {
    const program = await watching(home, server)
    say(nth)
    if (nth < KILLS) await new Promise((resolve) => setTimeout(resolve, random() * 500))
    else await soon(isOver, START_MS, () => `${program.says()} ${JSON.stringify(server.sent.slice(-6))}`)
    await program.end(nth < KILLS ? 'SIGKILL' : 'SIGTERM')
  }
}

test(`over ${KILLS} kills each fact that is shared is in the room once and leaves the chat, and no other goes with it`, async () => {
  const server = await startTelegram()
  const home = makeHome(telegramFiles(server.url))
  const all = Array.from({ length: KILLS + 1 }, (_, nth) => nth)
  const answers = (text: string) => server.sent.filter((one) => one.text.startsWith(text)).length
  await everyLife(
    { home, server },
    (nth) => {
      server.text(PARENT, `/remember the quartz-${nth}q is in the shed`)
      server.text(PARENT, `/remember the opal-${nth}o stays here`)
      server.text(PARENT, `/share quartz-${nth}q`)
    },
    () => answers('Shared 1 fact') >= all.length && answers('Remembered') >= 2 * all.length,
  )
  const shared = home.git('grep', '-h', 'quartz-', 'HEAD', '--', 'rooms/lobby/memories')
  const left = readFileSync(join(home.dir, `.git/neo/scopes/telegram-${PARENT}/MEMORY.md`), 'utf8')
  for (const nth of all) {
    expect(shared.split(`quartz-${nth}q`)).toHaveLength(2)
    expect(left).not.toContain(`quartz-${nth}q`)
    expect(left.split(`opal-${nth}o`)).toHaveLength(2)
  }
  expect(server.sent.filter(({ text }) => text.startsWith('Cannot') || text.startsWith('Denied'))).toEqual([])
  expect(allObjects(home)).not.toContain('opal-')
  expect(home.git('status', '--porcelain')).toBe('')
})

test(`over ${KILLS} kills a group for some and a private chat are each answered once, and neither hears of the other`, async () => {
  const server = await startTelegram({ members: { [GROUP]: [PARENT, CHILD] } })
  const model = await startModel(({ last, text }) => {
    const asked = [...last.matchAll(/(?:agate|beryl)-\d+x/g)].at(-1)?.[0] ?? 'nothing'
    const other = asked.startsWith('agate') ? 'beryl' : 'agate'
    return `Reply to ${asked}${text.includes(`${other}-`) ? ', and I know of the other' : ''}.`
  })
  const home = makeHome({
    ...telegramFiles(server.url, model.config),
    'workspace/scopes/inner/SCOPE.md': RULES,
  })
  const due = Array.from({ length: KILLS + 1 }, (_, nth) => [`agate-${nth}x`, `beryl-${nth}x`]).flat()
  const counts = () => due.map((word) => timesSent(server, (text) => text.includes(word)))
  await everyLife(
    { home, server },
    (nth) => {
      const from = { id: nth % 2 === 0 ? PARENT : CHILD, is_bot: false, first_name: 'P' }
      server.text(GROUP, `@neo_test_bot say agate-${nth}x`, { from })
      server.text(OWNER, `Say beryl-${nth}x`)
    },
    () => counts().every((count) => count > 0),
  )
  expect(counts()).toEqual(due.map(() => 1))
  expect(server.sent.filter(({ text }) => text.includes('the other'))).toEqual([])
  for (const { chat, text } of server.sent)
    expect([chat, text.includes('agate')]).toEqual([chat, chat === String(GROUP)])
  expect(allObjects(home)).not.toMatch(/agate-|beryl-/)
  const places = (word: string) => holding(home, word).filter((path) => path.includes('/scopes/'))
  expect(places('agate-').filter((path) => !path.startsWith('.git/neo/scopes/inner/'))).toEqual([])
  expect(places('beryl-').filter((path) => !path.includes(`/telegram-${OWNER}/`))).toEqual([])
})

test('a purge that is killed again and again is ended by the next one; rules and other conversations stay', async () => {
  const server = await startTelegram({ members: { [GROUP]: [PARENT, CHILD] } })
  const home = makeHome(telegramFiles(server.url))
  const own = '.git/neo/scopes/inner/SCOPE.md'
  home.put(own, RULES)
  const talk = async (nth: number): Promise<void> => {
    const program = await watching(home, server)
    const from = { id: PARENT, is_bot: false, first_name: 'P' }
    const before = server.sent.length
    server.text(GROUP, `/remember jasper-${nth} is red`, { from })
    server.text(PARENT, `/remember pearl-${nth} is white`)
    // A reply of an earlier life may come once more, so the number of replies says nothing.
    const isAnswered = (chat: number) =>
      server.sent.slice(before).some((one) => one.chat === String(chat) && !AGAIN.test(one.text))
    await soon(() => isAnswered(GROUP) && isAnswered(PARENT), START_MS, program.says)
    await program.end('SIGKILL')
  }
  const purge = ['rpc', 'scope.purge', JSON.stringify({ scopeId: 'inner', confirm: 'inner' })]
  const random = chance(20_260_303)
  for (let nth = 0; nth < KILLS; nth++) {
    await talk(nth)
    const child = start([...purge, '--home', home.dir])
    const ended = once(child, 'exit')
    onTestFinished(() => void child.kill('SIGKILL'))
    // From before it reads the home to after it has ended.
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 300 + random() * 500))])
    child.kill('SIGKILL')
    await ended
    expect(home.text(own)).toBe(RULES)
    const done = await neo([...purge, '--home', home.dir])
    const isGone = /no scope|missing|not found/i.test(done.err)
    expect([done.code, isGone], done.err).toEqual(isGone ? [done.code, true] : [0, false])
    expect(holding(home, `jasper-${nth}`)).toEqual([])
    expect(home.text(own)).toBe(RULES)
    expect(holding(home, `pearl-${nth}`).length).toBeGreaterThan(0)
  }
  expect(allObjects(home)).not.toMatch(/jasper-|pearl-/)
})
