/** What a person did to a file between a crash and the recovery: an intent is done whole, or nothing of it stays. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { composeWorld } from '../../../src/compose.ts'
import type { FileChange } from '../../../src/engine/commit/journal.ts'
import { recoverJournal } from '../../../src/engine/commit/recover-journal.ts'
import type { Context } from '../../../src/engine/context.ts'
import { openHome } from '../../../src/engine/open-engine.ts'
import { type Home, makeHome } from '../../path/home.ts'

const PATH = 'rooms/shop/tasks/a.md'
const ASK = 'rooms/shop/asks/a-1.md'
const ONE = '---\nstatus: pending\n---\nOne\nTwo\nThree\n'
const TWO = '---\nstatus: blocked\nneo:\n  id: t-1\n---\nOne\nTwo\nThree\n'
const AUTHOR = { name: 'Neo', email: 'neo@localhost' }
const COMMIT = { subject: 'neo(shop): block a', body: '', trailers: [], author: AUTHOR }

async function open(home: Home): Promise<Context> {
  const context = await openHome({ home: home.dir, world: await composeWorld(home.dir), settleMs: 0 })
  await context.look.look('all')
  return context
}

/** The intent is in the journal, the files are as the crash and the person left them. */
async function recovered(
  home: Home,
  changes: readonly FileChange[],
  disk: Readonly<Record<string, string | null>>,
): Promise<void> {
  const crashed = await open(home)
  crashed.journal.begin({ key: 'k', kind: 'test', changes: [...changes], commit: COMMIT, branch: 'main' })
  for (const [path, text] of Object.entries(disk))
    if (text === null) rmSync(join(home.dir, path))
    else home.write(path, text)
  const next = await open(home)
  await recoverJournal(next)
  await next.world.git.close()
  expect(next.journal.unfinished()).toEqual([])
}

function found(home: Home): unknown {
  return {
    log: home.git('log', '--format=%an: %s').split('\n'),
    files: home.git('ls-tree', '-r', '--name-only', 'HEAD', PATH, ASK).split('\n'),
    status: home.git('status', '--porcelain', '-uall').trim(),
  }
}

const FINISHED = { log: ['Neo: neo(shop): block a', 'Person: begin'], files: [ASK, PATH] }
const DROPPED = { log: ['Person: begin'], files: [PATH] }

test.each<[string, string | null, { a: string | null; ask?: string }, unknown]>([
  ['finishes what was edited after both files', TWO, { a: `${TWO}Mine\n`, ask: 'Ask\n' }, `M ${PATH}`],
  ['finishes what was edited after the first file', TWO, { a: `${TWO}Mine\n` }, `M ${PATH}`],
  ['finishes what an old buffer was saved over', TWO, { a: `${ONE}Mine\n`, ask: 'Ask\n' }, `M ${PATH}`],
  ['finishes what was deleted after both files', TWO, { a: null, ask: 'Ask\n' }, `D ${PATH}`],
  ['drops what was edited before the first file', TWO, { a: `${ONE}Mine\n` }, null],
  ['drops what was deleted before the first file', TWO, { a: null }, null],
  ['takes the rest back of what was restored', null, { a: ONE, ask: 'Ask\n' }, null],
  ['keeps the rest of what was restored if a person changed it', null, { a: ONE, ask: 'My ask\n' }, null],
])('recoverJournal() %s', async (_, after, { a, ask }, finished) => {
  const home = makeHome({ [PATH]: ONE })
  const changes = [
    { path: PATH, before: home.git('hash-object', PATH), after },
    { path: ASK, before: null, after: 'Ask\n' },
  ]
  await recovered(home, changes, { [PATH]: a, ...(ask === undefined ? {} : { [ASK]: ask }) })
  const mine = a === ONE ? '' : `${a === null ? 'D' : 'M'} ${PATH}`
  const asks = finished === null && ask === 'My ask\n' ? `?? ${ASK}` : ''
  expect(found(home)).toEqual({
    ...(finished === null ? DROPPED : FINISHED),
    status: finished ?? mine + asks,
  })
  expect(home.has(PATH) ? home.read(PATH) : null).toBe(a)
})

test('recoverJournal() finishes tasks that only share a commit with one that was edited', async () => {
  const other = 'rooms/shop/tasks/b.md'
  const home = makeHome({ [PATH]: ONE, [other]: ONE })
  const before = home.git('hash-object', PATH)
  const changes = [PATH, other].map((path) => ({ path, before, after: TWO }))
  await recovered(home, changes, { [PATH]: `${ONE}Mine\n`, [other]: TWO })
  expect([home.read(PATH), home.git('show', `HEAD:${other}`)]).toEqual([`${ONE}Mine\n`, TWO.trimEnd()])
  await home.run()
  expect(home.git('status', '--porcelain')).toBe('')
  expect([home.status('a'), home.text('a')]).toEqual(['blocked', expect.stringContaining('Mine')])
})

test.each([
  ['its beginning', (text: string) => text.slice(0, 1_500_000)],
  ['zeros', (text: string) => '\0'.repeat(text.length)],
  ['all of it', (text: string) => text],
])('recoverJournal() commits a long transcript of which a power cut left %s', async (_, torn) => {
  const path = 'rooms/shop/transcripts/s-1.jsonl'
  const home = makeHome()
  const text = `{"v":1,"text":"${'x'.repeat(2_000_000)}"}\n`
  await recovered(home, [{ path, before: null, after: text }], { [path]: torn(text) })
  expect([home.read(path) === text, home.git('status', '--porcelain')]).toEqual([true, ''])
})

test('recoverJournal() puts a file back whose new room is gone', async () => {
  const home = makeHome({ [ASK]: 'Ask\n' })
  const before = home.git('hash-object', ASK)
  const changes = [
    { path: ASK, before, after: null },
    { path: 'rooms/gone/asks/a-1.md', before: null, after: 'Ask\n' },
  ]
  await recovered(home, changes, { [ASK]: null })
  expect([home.read(ASK), home.git('status', '--porcelain')]).toEqual(['Ask\n', ''])
})
