/** What is forgotten in a conversation goes without a model; what is purged leaves no byte, whatever was done with it. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import type { Principal } from '../../src/domain/policy/policy-acts.ts'
import { type Home, makeHome, until } from '../path/home.ts'
import { type Asked, startModel } from '../path/model.ts'
import { said, taker, wire } from './bus-home.ts'

const HUMAN: Principal = { kind: 'human' }
const ANA: Principal = { kind: 'member', id: 'ana' }
const FILES = {
  'rooms/shop/ROOM.md': '---\nname: Shop\norchestrator: auto\n---\nBe brief.\n',
  'workspace/members/ana.md':
    '---\nrole: parent\nchannels: { test: "12" }\npermissions: { rooms: [shop] }\n---\n',
  'workspace/scopes/club/SCOPE.md': '---\ntype: group\nchannel: "test:77"\n---\n',
}
const PRIVATE = { chatId: '12', scope: 'test-12', sessionKey: 'test:12' }
const CLUB = { chatId: '77', scope: 'club', sessionKey: 'test:77' }

/** Repeats what it hears, so that the words are in all that is kept of an answer. */
const echo = ({ last }: Asked) => `You said: ${/<message[^>]*>\n([^<]*)/.exec(last)?.[1] ?? last.slice(-80)}`

async function beside() {
  const model = await startModel(echo)
  const home = makeHome({ 'neo.yaml': model.config, ...FILES })
  const daemon = wire(home)
  await daemon.ready()
  await until(() => daemon.queues().seen() !== null)
  const channel = taker()
  daemon.queues().attach(channel, async () => {})
  let messages = 0
  return {
    ...{ home, daemon, model },
    call: (who: Principal, method: string, params: object) => daemon.hub().call(who, method, params),
    async tell(place: typeof PRIVATE, content: string): Promise<string> {
      const ana = { senderId: '12', speaker: 'member:ana', target: 'member:ana' } as const
      const message = said(++messages, { ...place, ...ana, content })
      daemon.queues().accept(message)
      const replyOf = () => channel.sent.find(({ key }) => key === `reply:${message.key}`)
      await until(() => replyOf() !== undefined, 20_000)
      return replyOf()?.content ?? ''
    },
  }
}

/** Files below the home, its git dir too, that hold the word in plain bytes. */
function holding(home: Home, word: string): readonly string[] {
  return readdirSync(home.dir, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name)
    const isHolder = entry.isFile() && readFileSync(path, 'latin1').toLowerCase().includes(word)
    return isHolder ? [relative(home.dir, path)] : []
  })
}

function objects(home: Home): string {
  const args = ['cat-file', '--batch-all-objects', '--batch', '--buffer']
  return execFileSync('git', args, { cwd: home.dir, maxBuffer: 1 << 28 }).toString('latin1')
}

test('a conversation forgets at once and says what, and the next turn is not shown it', async () => {
  const { home, call, tell, model } = await beside()
  await tell(PRIVATE, 'remember that the quartz is in the shed')
  await tell(PRIVATE, 'remember that the lamp is broken')
  const asked = model.asked.length
  expect(await tell(PRIVATE, 'vergiss quartz')).toBe(
    'Vergessen: the quartz is in the shed\nIn dieser Unterhaltung steht es noch; sie gehört nicht zum Gedächtnis.',
  )
  expect(model.asked).toHaveLength(asked)
  const memory = home.read('.git/neo/scopes/test-12/MEMORY.md')
  expect([memory.includes('quartz'), memory.includes('lamp')]).toEqual([false, true])
  const found = await call(ANA, 'memory.search', { scopeId: 'test-12', query: 'quartz in the shed' })
  const { results } = found as { readonly results: readonly { snippet: string }[] }
  expect(results.filter(({ snippet }) => snippet.includes('quartz'))).toEqual([])
  // Nothing here says that, so Neo hears it.
  expect(await tell(PRIVATE, 'forget the appointment')).toContain('You said: forget the appointment')
})

test('nothing of a purged conversation is left in any byte of the home, but in git history of a shared one', async () => {
  const { home, call, tell, daemon } = await beside()
  for (const [place, word] of [
    [PRIVATE, 'quartzprivate'],
    [CLUB, 'quartzshared'],
  ] as const) {
    const scopeId = place.scope
    await tell(place, `remember that the ${word} is in the shed`)
    await tell(place, `my nickname is ${word}`)
    await call(HUMAN, 'scope.renew', { scopeId })
    await tell(place, `and the ${word} again`)
    await call(ANA, 'memory.search', { scopeId, query: word })
    await call(ANA, 'memory.search', { query: word })
    await call(HUMAN, 'scope.purge', { scopeId, confirm: scopeId })
  }
  await call(HUMAN, 'memory.search', { query: 'shed' })
  await until(() => home.git('status', '--porcelain') === '')
  expect([holding(home, 'quartzprivate'), holding(home, 'quartzshared')]).toEqual([[], []])
  await daemon.stop()
  expect([holding(home, 'quartzprivate'), holding(home, 'quartzshared')]).toEqual([[], []])
  expect(objects(home)).not.toContain('quartzprivate')
})
