/** One session of many that is broken on the disk or at the model: the others go on. */
import { appendFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Home, makeHome } from './home.ts'
import { type Asked, startModel } from './model.ts'

const NAMES = Array.from({ length: 10 }, (_, n) => `task-${n}`)
const ASK = { calls: [{ name: 'ask_human', input: { question: 'Go on?' } }] }
const FINISH = { calls: [{ name: 'finish_task', input: { result: 'done' } }] }

/** Ten sessions that wait with a question, the daemon ended; every question answered since. */
async function ten(): Promise<Home> {
  const model = await startModel(({ turn }: Asked) => (turn === 0 ? ASK : FINISH))
  const config = model.config.replace('settle: 0s', 'concurrency: 20, settle: 0s')
  const room = '---\nworker: agent\nreview: none\nconcurrency: 20\n---\n'
  const home = makeHome({ 'neo.yaml': config, 'rooms/shop/ROOM.md': room })
  for (const name of NAMES) home.task(name, `Work on ${name}.\n`)
  await home.run()
  for (const name of readdirSync(join(home.dir, 'rooms/shop/asks'))) {
    const path = `rooms/shop/asks/${name}`
    home.write(path, home.read(path).replace(/## Answer\n[\s\S]*/, '## Answer\n\nYes.\n'))
  }
  return home
}

function folder(home: Home, name: string): string {
  return join(home.dir, '.git/neo/sessions', home.neo(name, 'session') ?? '')
}

/** What is done to the first of them. */
const BROKEN: readonly ((home: Home, name: string) => void)[] = [
  (home, name) => {
    const path = join(home.dir, '.git/neo/transcripts', `${home.neo(name, 'session')}.jsonl`)
    appendFileSync(path, `${'\0'.repeat(512)}\n{"v":1,"id":"x","type":"assist`)
  },
  (home, name) => writeFileSync(join(folder(home, name), 'record.json'), '{"v":1,'),
  (home, name) => writeFileSync(join(folder(home, name), 'mail.jsonl'), '\0\0{"key":\nnull\n[]\n"x"\n'),
  (home, name) => {
    const wants = join(folder(home, name), 'wants')
    for (const want of readdirSync(wants)) writeFileSync(join(wants, want), '[1, 2]')
  },
  (home, name) => writeFileSync(join(folder(home, name), 'progress.json'), '["x"]'),
]

test('sessions go on beside those whose transcript, record, mailbox, wants or progress are broken', async () => {
  const home = await ten()
  for (const [n, hurt] of BROKEN.entries()) hurt(home, NAMES[n] ?? '')
  await home.run()
  const others = NAMES.slice(BROKEN.length)
  expect(others.map((name) => home.status(name))).toEqual(others.map(() => 'completed'))
  const broken = NAMES.slice(0, BROKEN.length).map((name) => home.status(name))
  expect(broken.filter((status) => status !== 'completed' && status !== 'in_progress')).toEqual([])
  expect(home.git('status', '--porcelain')).toBe('')
})
