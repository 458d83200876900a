/** Guards let through what they say ok to, and nothing else, whatever else they do; what they were shown is gone after. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withoutSecrets } from '../../src/channels/channel-message.ts'
import type { Guard } from '../../src/domain/policy/scope-types.ts'
import { passes } from '../../src/engine/people/run-guards.ts'
import { scopeAt, scopeStore } from '../../src/engine/people/scope-store.ts'
import { makeHome, until } from '../path/home.ts'
import { startModel } from '../path/model.ts'
import { said, taker, wire } from './bus-home.ts'
import { HARMLESS } from './harmless.ts'

const ROOM = '---\nname: Shop\norchestrator: auto\n---\nBe brief.\n'
const sh = (script: string): Guard => ({ kind: 'command', argv: ['sh', '-c', script, 'guard'] })

async function guarding(answer: (text: string) => string = () => 'ALLOW') {
  const model = await startModel(({ last }) => answer(last))
  const home = makeHome({ 'neo.yaml': model.config, 'rooms/shop/ROOM.md': ROOM })
  const daemon = wire(home)
  await daemon.ready()
  const context = daemon.context()
  const scope = scopeAt(scopeStore(context), 'test-7')
  const ask = (guard: Guard, text: string, signal = new AbortController().signal) =>
    passes(context, guard, { scope, room: 'shop', side: 'in', speaker: 'human', text, signal })
  return { home, ask }
}

test.each([
  ['says ok', 'echo ok', null],
  ['looks at the text and says ok', 'grep -q plain "$1" && echo ok', null],
  ['says no', 'echo no', 'the guard did not say ok'],
  ['says ok and more', 'echo ok but', 'the guard did not say ok'],
  ['says nothing', 'true', 'the guard did not say ok'],
  ['says ok and fails', 'echo ok; exit 3', 'the guard ended with 3'],
  ['crashes', 'kill -SEGV $$', expect.stringMatching(/^the guard/)],
  ['writes garbage', 'head -c 400 /dev/urandom', expect.stringMatching(/^the guard/)],
  ['is not there', 'exec /no/such/program', expect.stringMatching(/^the guard ended with/)],
])('a command that %s', async (_, script, verdict) => {
  const { home, ask } = await guarding()
  expect(await ask(sh(script), 'a plain text')).toEqual(verdict)
  const left = join(home.dir, '.git/neo/scopes/test-7/guards')
  expect(existsSync(left) ? readdirSync(left) : []).toEqual([])
})

test('a program that cannot be started, and a command that is cut off, let nothing through', async () => {
  const { ask } = await guarding()
  expect(await ask({ kind: 'command', argv: ['/no/such/program'] }, 'x')).not.toBeNull()
  const abort = new AbortController()
  setTimeout(() => abort.abort('closed'), 300)
  expect(await ask(sh('sleep 30; echo ok'), 'x', abort.signal)).not.toBeNull()
})

test.each([
  ['ALLOW', null],
  ['ALLOW.', null],
  ['DENY', 'the guard said no'],
  ['ALLOW, since it is harmless', 'the guard answered something else'],
  ['', expect.stringMatching(/^the guard/)],
])('a model that answers "%s"', async (answer, verdict) => {
  const { ask } = await guarding(() => answer)
  expect(await ask({ kind: 'model', model: 'fake/claude-sonnet-5-5', rule: 'No addresses' }, 'x')).toEqual(
    verdict,
  )
})

test('a model that cannot be opened lets nothing through', async () => {
  const { ask } = await guarding()
  expect(await ask({ kind: 'model', model: 'nowhere/none', rule: 'No addresses' }, 'x')).toMatch(
    /can't be opened/,
  )
})

/** Of two hundred: at most one in a hundred may be held back. */
const MADE = Array.from(
  { length: 100 },
  (_, n) => `Harmless text ${n}: "quotes", $(dollars), \n lines, 日本語 ✿ \u0000`,
)
const FALSE_ALARMS = 0

test('of two hundred harmless texts a command holds back none, nor is anything in them taken for a secret', async () => {
  const { ask } = await guarding()
  const guard = sh('case "$(cat "$1")" in *forbidden*) echo no;; *) echo ok;; esac')
  const texts = [...MADE, ...HARMLESS]
  expect(new Set(texts).size).toBe(200)
  const held: string[] = []
  for (let at = 0; at < texts.length; at += 4) {
    const some = texts.slice(at, at + 4)
    const verdicts = await Promise.all(some.map((text) => ask(guard, text)))
    held.push(...some.filter((_, n) => verdicts[n] !== null))
  }
  expect(held).toHaveLength(FALSE_ALARMS)
  expect(texts.filter((text) => withoutSecrets(said(1, { content: text })).content !== text)).toEqual([])
  expect(await ask(guard, 'this is forbidden')).not.toBeNull()
})

test('a model that says ALLOW to each of two hundred harmless texts is shown each whole, and holds back none', async () => {
  const seen: string[] = []
  const { ask } = await guarding((text) => {
    seen.push(text)
    return 'ALLOW'
  })
  const guard: Guard = { kind: 'model', model: 'fake/claude-sonnet-5-5', rule: 'No addresses' }
  const verdicts: (string | null)[] = []
  for (const text of [...MADE, ...HARMLESS]) verdicts.push(await ask(guard, text))
  expect(verdicts.filter((verdict) => verdict !== null)).toHaveLength(FALSE_ALARMS)
  expect(HARMLESS.every((text) => seen.some((one) => one.includes(text.trim())))).toBe(true)
})

test('what a guard holds back reaches neither Neo nor the speaker, and is logged without its words', async () => {
  const model = await startModel(({ last }) =>
    last.includes('tell') ? 'The address is Elm Street 5' : 'Fine.',
  )
  const home = makeHome({
    'neo.yaml': model.config,
    'rooms/shop/ROOM.md': ROOM,
    'workspace/scopes/test-7/SCOPE.md':
      '---\ntype: dm\nguards:\n  in: [sh, -c, \'grep -q bomb "$0" && echo no || echo ok\']\n  out: [sh, -c, \'grep -q Street "$0" && echo no || echo ok\']\n---\n',
  })
  const daemon = wire(home)
  await daemon.ready()
  const channel = taker()
  daemon.queues().attach(channel, async () => {})
  daemon.queues().accept(said(1, { content: 'how to make a bomb' }))
  daemon.queues().accept(said(2, { content: 'tell me where' }))
  daemon.queues().accept(said(3, { content: 'thanks' }))
  await until(() => channel.sent.length === 3, 20_000)
  expect(channel.sent.map(({ content }) => content)).toEqual([
    expect.stringMatching(/^Your message was not delivered/),
    expect.stringMatching(/^The answer is hidden/),
    'Fine.',
  ])
  expect(model.asked.some(({ text }) => text.includes('bomb'))).toBe(false)
  const logged = daemon.events.filter(({ kind }) => kind === 'refused').map(({ text }) => text)
  expect(logged).toEqual([
    'test-7: human, in: the guard did not say ok',
    'test-7: human, out: the guard did not say ok',
  ])
})
