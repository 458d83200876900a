/** Distilling with a model is killed at every thing that it writes, and while the model is asked; then it goes on. */
import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { factLine, readFact } from '../../src/domain/memory/distill-lines.ts'
import { neo } from '../cli/program.ts'
import { makeHome, openHome } from '../path/home.ts'
import { startModel } from '../path/model.ts'
import { neoSays, say, user } from './said.ts'

const PROCESS = resolve('dist/tests/distilling-process.js')
/** Every n-th of the things that it writes; `npm run torture -- distilling` takes each. */
const STEP = Number(process.env['NEO_KILL_STEP'] ?? 4)
const FOLDER = 'rooms/shop/memories'
const FILES = ['MEMORY.md', 'HISTORY.md', '2026-03-01.md'].map((name) => `${FOLDER}/${name}`)
const MARKS = ['.git/neo/memory/shop.json', '.git/neo/memory/by-model/shop.json']
const MEMORY = '# Mine\n\nI like tea.\n\n- (human): "we ship on Mondays" — 2026-02-01 (neo-2026-02-01-1:3)\n'

interface Run {
  readonly child: ChildProcess
  readonly ended: Promise<{ readonly out: string; readonly signal: string | null }>
}

function distilling(home: string, dieAfter: number, scope = ''): Run {
  const child = spawn(process.execPath, [PROCESS, home, String(dieAfter), scope], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let out = ''
  child.stdout?.on('data', (piece) => (out += String(piece)))
  return { child, ended: new Promise((done) => child.on('close', (_, signal) => done({ out, signal }))) }
}

async function begin() {
  const facts = [{ text: 'We ship on Tuesdays', sources: ['f1', 'm4'] }]
  const answer = JSON.stringify({ summary: 'The till was repaired.', facts })
  const on = { asked: () => {} }
  const model = await startModel(() => {
    on.asked()
    return answer
  })
  const home = makeHome({
    'neo.yaml': `${model.config}memory: { distill: model, window: 6 }\n`,
    [`${FOLDER}/MEMORY.md`]: MEMORY,
  })
  const talk = [
    user('remember the shelf is the third'),
    neoSays('Noted.'),
    user('the till is broken'),
    user('we now ship on Tuesdays'),
  ]
  say(home.dir, ...talk, neoSays('I see to it.'), user('my tea is green'), user('thank you'))
  return { copy: () => copyOf(home.dir), on, model }
}

function copyOf(home: string): string {
  const top = mkdtempSync(join(tmpdir(), 'neo-distil-'))
  onTestFinished(() => rmSync(top, { recursive: true, force: true }))
  cpSync(home, join(top, 'home'), { recursive: true })
  return join(top, 'home')
}

const textOf = (home: string, path: string) =>
  existsSync(join(home, path)) ? readFileSync(join(home, path), 'utf8') : ''
const textsOf = (home: string) => [...FILES, ...MARKS].map((path) => textOf(home, path))

/** Every line of ours is whole, people's lines stand, and each range has one entry. */
function isWhole(home: string): void {
  const [memory = '', history = ''] = textsOf(home)
  expect(memory.startsWith('# Mine\n\nI like tea.\n')).toBe(true)
  for (const line of memory.split('\n').filter((one) => one.startsWith('- '))) {
    const fact = readFact(line)
    expect(fact === null ? line : factLine(fact)).toBe(line)
    expect(fact).not.toBeNull()
  }
  expect(history.split('The till was repaired.').length).toBeLessThanOrEqual(2)
}

test('killed after anything that it writes, the command goes on to the very same memory, in as many commits', async () => {
  const { copy } = await begin()
  const unbroken = copy()
  const { out } = await distilling(unbroken, 0).ended
  const { written } = JSON.parse(out) as { readonly written: number }
  const wanted = textsOf(unbroken)
  const commits = openHome(unbroken).git('rev-list', '--count', 'HEAD')
  expect(wanted.join('\n')).toMatch(/The till was repaired[\s\S]*"line": 7/)
  for (let at = 1; at <= written; at += STEP) {
    const home = copy()
    const killed = await distilling(home, at).ended
    expect([at, killed.signal]).toEqual([at, 'SIGKILL'])
    isWhole(home)
    expect((await neo(['memory', 'distill', '--room', 'shop', '--home', home])).code).toBe(0)
    expect([at, ...textsOf(home)]).toEqual([at, ...wanted])
    const { git } = openHome(home)
    expect([at, git('rev-list', '--count', 'HEAD'), git('status', '--porcelain')]).toEqual([at, commits, ''])
  }
})

test('a private conversation goes on as well, and nothing of it is in git', async () => {
  const { copy } = await begin()
  const folder = '.git/neo/scopes/telegram-m1'
  const first = copy()
  const lines = readFileSync(join(first, '.git/neo/transcripts/neo-shop-2026-03-01-1.jsonl'), 'utf8')
  openHome(first).write(`${folder}/scope.json`, '{"key":"telegram:1"}')
  openHome(first).write(`${folder}/transcripts/neo-telegram-m1-2026-03-01-1.jsonl`, lines)
  const texts = (home: string) =>
    ['MEMORY.md', 'HISTORY.md', '2026-03-01.md', 'distilled.json', 'by-model.json'].map((name) =>
      textOf(home, `${folder}/${name}`),
    )
  const unbroken = copyOf(first)
  const { out } = await distilling(unbroken, 0, 'telegram-m1').ended
  const { written } = JSON.parse(out) as { readonly written: number }
  expect(texts(unbroken).join('\n')).toMatch(/The till was repaired[\s\S]*"line": 7/)
  for (let at = 1; at <= written; at += STEP) {
    const home = copyOf(first)
    expect((await distilling(home, at, 'telegram-m1').ended).signal).toBe('SIGKILL')
    const again = await neo(['memory', 'distill', '--scope', 'telegram-m1', '--home', home])
    expect([at, again.code, ...texts(home)]).toEqual([at, 0, ...texts(unbroken)])
    expect(openHome(home).git('log', '--all', '-p')).not.toMatch(/till (?:is broken|was repaired)/)
  }
})

test('killed while the model is asked, it asks again, and enters the range once', async () => {
  const { copy, on, model } = await begin()
  const home = copy()
  const run = distilling(home, 0)
  on.asked = () => run.child.kill('SIGKILL')
  expect((await run.ended).signal).toBe('SIGKILL')
  isWhole(home)
  expect(textOf(home, FILES[1] ?? '')).not.toContain('repaired')
  on.asked = () => {}
  for (const _ of [1, 2])
    expect((await neo(['memory', 'distill', '--room', 'shop', '--home', home])).code).toBe(0)
  expect(textOf(home, FILES[1] ?? '').match(/The till was repaired\./g)).toHaveLength(1)
  expect(textOf(home, FILES[0] ?? '').match(/We ship on Tuesdays/g)).toHaveLength(1)
  expect(model.asked).toHaveLength(2)
})
