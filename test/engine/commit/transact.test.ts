/** One decision's writes and its commit: done whole, not at all, or taken up later. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { composeWorld } from '../../../src/compose.ts'
import type { Context } from '../../../src/engine/context.ts'
import { openHome } from '../../../src/engine/open-engine.ts'
import { recoverJournal } from '../../../src/engine/commit/recover-journal.ts'
import { type Intent, transact } from '../../../src/engine/commit/transact.ts'
import { type Home, makeHome, NEO } from '../../path/home.ts'

const PATH = 'rooms/shop/tasks/a.md'
const AUTHOR = { name: 'Neo', email: 'neo@localhost' }

async function open(home: Home): Promise<Context> {
  const context = await openHome({ home: home.dir, world: await composeWorld(home.dir), settleMs: 0 })
  await context.look.look('all')
  return context
}

function intent(changes: Intent['changes']): Intent {
  return {
    kind: 'test',
    changes,
    subject: 'neo(shop): test',
    trailers: [['Neo-Room', 'shop']],
    author: AUTHOR,
  }
}

async function scene(): Promise<{ home: Home; context: Context; before: string }> {
  const home = makeHome({ [PATH]: '# One\n' })
  const context = await open(home)
  return { home, context, before: home.git('hash-object', PATH) }
}

test('transact() writes all files and makes one commit of them', async () => {
  const { home, context, before } = await scene()
  const made = intent([
    { path: PATH, before, after: '# Two\n' },
    { path: 'rooms/shop/asks/a-1.md', before: null, after: 'Ask\n' },
  ])
  expect(await transact(context, made)).toBe('done')
  await context.world.git.close()
  expect([home.read(PATH), home.read('rooms/shop/asks/a-1.md')]).toEqual(['# Two\n', 'Ask\n'])
  expect(home.git('log', '-1', '--format=%an <%ae> %s')).toBe(`${NEO} neo(shop): test`)
  expect([home.git('status', '--porcelain'), context.journal.unfinished()]).toEqual(['', []])
})

test('transact() does nothing when its first file has changed meanwhile', async () => {
  const { home, context, before } = await scene()
  home.write(PATH, '# Mine\n')
  const made = intent([
    { path: PATH, before, after: '# Two\n' },
    { path: 'rooms/shop/asks/a-1.md', before: null, after: 'Ask\n' },
  ])
  expect(await transact(context, made)).toBe('lost')
  expect([home.read(PATH), home.has('rooms/shop/asks/a-1.md')]).toEqual(['# Mine\n', false])
  expect([home.git('log', '--format=%s'), context.journal.unfinished()]).toEqual(['begin', []])
})

test('transact() waits with its commit while a merge is under way', async () => {
  const { home, context, before } = await scene()
  home.write('.git/MERGE_HEAD', `${home.git('rev-parse', 'HEAD')}\n`)
  expect(await transact(context, intent([{ path: PATH, before, after: '# Two\n' }]))).toBe('waits')
  expect([home.read(PATH), context.journal.unfinished().length]).toEqual(['# Two\n', 1])
})

test('recoverJournal() carries out once what was begun and not written', async () => {
  const { home, context, before } = await scene()
  const { kind, subject, trailers, author } = intent([])
  const changes = [{ path: PATH, before, after: '# Two\n' }]
  const commit = { subject, body: '', trailers, author }
  context.journal.begin({ key: 'k', kind, changes, commit, branch: 'main' })
  const next = await open(home)
  expect(await recoverJournal(next)).toEqual({ waiting: 0, ended: 1 })
  expect(await recoverJournal(next)).toEqual({ waiting: 0, ended: 0 })
  expect([home.read(PATH), home.git('log', '--format=%s')]).toEqual(['# Two\n', 'neo(shop): test\nbegin'])
})

test('recoverJournal() drops what a person has overtaken', async () => {
  const { home, context, before } = await scene()
  const { kind, subject, trailers, author } = intent([])
  const changes = [{ path: PATH, before, after: '# Two\n' }]
  const commit = { subject, body: '', trailers, author }
  context.journal.begin({ key: 'k', kind, changes, commit, branch: 'main' })
  home.write(PATH, '# Mine\n')
  const next = await open(home)
  await recoverJournal(next)
  expect([home.read(PATH), home.git('log', '--format=%s'), next.journal.unfinished()]).toEqual([
    '# Mine\n',
    'begin',
    [],
  ])
})

test('recoverJournal() leaves the look to find out how files stand after it', async () => {
  const { home, context, before } = await scene()
  home.write('.git/MERGE_HEAD', `${home.git('rev-parse', 'HEAD')}\n`)
  await transact(context, intent([{ path: PATH, before, after: '---\nstatus: blocked\n---\n' }]))
  const { rmSync } = await import('node:fs')
  rmSync(join(home.dir, '.git/MERGE_HEAD'))
  const next = await open(home)
  await recoverJournal(next)
  const { snapshot } = await next.look.look(new Set())
  expect(snapshot.tasks.get(PATH)?.gitStatus).toBe('same')
})
