/** The tracked files of workspaces: found by what they are about, by the rooms whose workspace it is. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { openMind } from '../../src/compose-orchestrator.ts'
import { summaryOf } from '../../src/domain/memory/recall-texts.ts'
import { beginRepository } from '../repository.ts'
import { makeHome, until } from '../path/home.ts'
import { type Asked, startModel } from '../path/model.ts'

const PRICES = `/**
 * Parses prices of the shop: amounts with a currency.
 */
export function parsePrice(text: string) { return text }
export class PriceTable {}
`

function repository(files: Readonly<Record<string, string>>): {
  dir: string
  git: (...args: string[]) => void
} {
  const dir = mkdtempSync(join(tmpdir(), 'neo-workspace-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const git = (...args: string[]) => void execFileSync('git', args, { cwd: dir, stdio: 'pipe' })
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  beginRepository(dir, { name: 'Person', email: 'person@localhost', message: 'begin' })
  return { dir, git }
}

const room = (workspace: string) =>
  `---\nname: Shop\nworker: agent\nreview: none\nworkspace: ${workspace}\npermissions: { shell: deny }\n---\n`

test('an agent is shown which files may matter, finds them by what they are about, and others are not among them', async () => {
  const shop = repository({
    'src/prices.ts': PRICES,
    'src/door.ts': '// Opens the door.\nexport function openServers() {}\n',
    '.gitignore': 'secret-prices.ts\n',
    'secret-prices.ts': 'export const prices = 1\n',
    'big.bin': '\0\0\0',
  })
  const other = repository({ 'lib/prices-of-others.py': 'def parse_price(): pass\n' })
  const tools: string[] = []
  const model = await startModel(({ turn, last }: Asked) => {
    if (turn === 0) return { calls: [{ name: 'find', input: { about: 'where prices are parsed' } }] }
    if (turn === 1) return { calls: [{ name: 'recall', input: { query: 'price parsing' } }] }
    tools.push(last)
    return { calls: [{ name: 'finish_task', input: { result: 'done' } }] }
  })
  const home = makeHome({
    'neo.yaml': `${model.config}memory: { sync_every: 1s }\n`,
    'rooms/shop/ROOM.md': room(shop.dir),
    'rooms/other/ROOM.md': room(other.dir),
  })
  const daemon = home.watch({ openOrchestrator: openMind })
  await until(() => /"passages":[^0]/.test(home.read('.neo/memory.json')))
  home.task('prices', '# Prices with a comma are parsed wrongly\n')
  await until(() => home.status('prices') === 'completed', 30_000)
  const first = model.asked[0]?.text ?? ''
  expect(first).toContain('Files of the workspace that may matter')
  expect(first).toContain('- src/prices.ts: Parses prices of the shop: amounts with a currency.')
  const all = model.asked.map(({ text }) => text).join('\n')
  expect(all).toContain('parsePrice, PriceTable')
  expect(tools.join('')).toContain('src/prices.ts')
  expect(all).not.toMatch(/secret-prices|prices-of-others/)
  await daemon.stop()
})

test('a file that is committed, changed or gone is known by its blob, and the rest is not read again', async () => {
  const shop = repository({ 'a.ts': '// About the cellar.\n', 'b.ts': '// About the roof.\n' })
  const model = await startModel(() => ({ calls: [{ name: 'finish_task', input: { result: 'done' } }] }))
  const home = makeHome({
    'neo.yaml': `${model.config}memory: { sync_every: 1s }\n`,
    'rooms/shop/ROOM.md': room(shop.dir),
  })
  const daemon = home.watch({ openOrchestrator: openMind })
  const counted = () => (JSON.parse(home.read('.neo/memory.json')) as { sources: number }).sources
  await until(() => counted() >= 3)
  const before = counted()
  writeFileSync(join(shop.dir, 'c.ts'), '// About the attic and its windows.\n')
  rmSync(join(shop.dir, 'b.ts'))
  shop.git('add', '-A')
  shop.git('commit', '-q', '-m', 'more')
  writeFileSync(join(shop.dir, 'd.ts'), '// About the attic, not committed.\n')
  const tries = setInterval(() => home.task(`t${Date.now()}`, '# The attic windows and the roof\n'), 1_000)
  onTestFinished(() => clearInterval(tries))
  await until(() => model.asked.some(({ text }) => text.includes('c.ts: About the attic')), 30_000)
  clearInterval(tries)
  expect(counted()).toBeGreaterThanOrEqual(before)
  expect(model.asked.at(-1)?.text).not.toMatch(/- d\.ts/)
  await daemon.stop()
})

test('any file has a summary, and names of several languages are known', () => {
  expect(
    summaryOf('a/readTask.py', '"""Reads tasks."""\nclass Task:\n  def read_all(self): pass\n'),
  ).toMatchObject({
    symbols: ['Task', 'read_all'],
    words: expect.arrayContaining(['read', 'task', 'all']),
  })
  expect(
    summaryOf('x.go', '// Package x does it well.\nfunc (s *Server) Start() {}\ntype Conf struct {}\n'),
  ).toMatchObject({
    line: 'Package x does it well.',
    symbols: ['Start', 'Conf'],
  })
  expect(summaryOf('README.md', '# Shop\n\nSells things to people.\n\n## Install\n')).toMatchObject({
    line: 'Shop: Sells things to people.',
    symbols: ['Shop', 'Install'],
  })
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'binary', maxLength: 3_000 }),
      (path, text) => {
        const made = summaryOf(path, text)
        expect(made.line.length).toBeLessThanOrEqual(200)
        expect(made.symbols.length).toBeLessThanOrEqual(40)
      },
    ),
  )
})
