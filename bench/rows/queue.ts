/**
 * What people wrote while nobody listened: 1,000 messages of 1, 20 and 200 chats, from the start of `neo watch` on a home
 * that talks over Telegram until all are answered, beside a bare bot that does the same. Compared is the time an answer
 * takes, as the two make a different number of them; each message must be answered once.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { git, makeHome, temporary } from '../home.ts'
import { watchHome } from '../neo.ts'
import { startResident } from '../resident.ts'
import { besideLine, inMs, type Line, ratioLine, type Row } from '../row.ts'
import { until } from '../time.ts'
import { type Bots, startBots, TOKEN } from './queue-server.ts'

const MESSAGES = 1_000
/** Of one chat an answer holds forty messages: it is beside these that more chats are compared. */
const FEW = 20
const CHATS = [1, FEW, 200]
const MOST = 12
const MOST_GROWTH = 2

export const queueRow: Row = {
  name: 'queue',
  measures:
    '1,000 messages that waited, of 1, 20 and 200 chats: an answer beside a bare bot; and as chats grow',
  async run({ quick }) {
    const messages = quick ? 100 : MESSAGES
    const lines: Line[] = []
    let few = Number.NaN
    for (const chats of quick ? [1, FEW] : CHATS) {
      const floor = await took(messages, chats, ({ url }) => bareBot(url))
      const ours = await took(messages, chats, ({ url }) => watched(url, chats))
      const work = `queue: an answer, ${messages} messages of ${chats} chat${chats === 1 ? '' : 's'}`
      const bare = { name: 'bare bot', ms: floor.each }
      lines.push(ratioLine({ work, most: MOST, floor: bare, ms: ours.each }))
      lines.push(besideLine(`queue: all ${ours.answers} answers of ${chats}`, floor.ms, ours.ms))
      if (chats === FEW) few = ours.each
      if (chats > FEW) lines.push(growthLine(chats, few, ours.each))
    }
    return lines
  },
}

function growthLine(chats: number, few: number, many: number): Line {
  return {
    work: `queue: an answer of ${chats} chats beside one of ${FEW}`,
    goal: `≤ ${MOST_GROWTH} ×`,
    floor: inMs(few),
    measured: `${inMs(many)} = ${(many / few).toFixed(2)} ×`,
    verdict: many / few <= MOST_GROWTH ? 'ok' : 'over',
  }
}

interface Took {
  readonly ms: number
  readonly answers: number
  /** Of one answer. */
  readonly each: number
}

/** From the first request for updates until every message was answered. */
async function took(
  messages: number,
  chats: number,
  start: (bots: Bots) => Promise<{ end(): Promise<void> }>,
): Promise<Took> {
  const bots = await startBots(messages, chats)
  const program = await start(bots)
  try {
    const ms = await until('all messages are answered', () => bots.took(), 600_000)
    return { ms, answers: bots.answers(), each: ms / bots.answers() }
  } finally {
    await program.end()
    bots.close()
  }
}

function bareBot(url: string) {
  const path = join(temporary(), 'kept.jsonl')
  return startResident(['node', 'bench/floors/queue.mjs', `${url}/bot${TOKEN}`, url, path], /ready/)
}

function watched(url: string, chats: number) {
  const { dir } = makeHome({ tasks: 0, rooms: 1, kind: 'settled' })
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  put('neo.yaml', configText(url))
  for (let n = 1; n <= chats; n++)
    put(`workspace/members/m-${n}.md`, `---\nrole: parent\nchannels: { telegram: "${n}" }\n---\n`)
  git(dir, ['add', '-A'])
  git(dir, ['commit', '-q', '-m', 'People'])
  return watchHome(dir)
}

function configText(url: string): string {
  return [
    'model: local/m',
    `providers: { local: { api: openai, base_url: "${url}/v1", api_key: k } }`,
    'daemon: { branch: main }',
    `channels: { telegram: { enabled: true, token: "${TOKEN}", api_root: "${url}", allow_from: [] } }`,
    '',
  ].join('\n')
}
