/** What was being written when the person left the branch: taken back where it is ours, kept where it is theirs. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { composeWorld } from '../../../src/compose.ts'
import type { FileChange } from '../../../src/engine/commit/journal.ts'
import { recoverJournal } from '../../../src/engine/commit/recover-journal.ts'
import { transact } from '../../../src/engine/commit/transact.ts'
import type { Context } from '../../../src/engine/context.ts'
import { openHome } from '../../../src/engine/open-engine.ts'
import { type Home, makeHome } from '../../path/home.ts'

const PATH = 'rooms/shop/tasks/a.md'
const AUTHOR = { name: 'Neo', email: 'neo@localhost' }
const COMMIT = { subject: 'neo(shop): test', body: '', trailers: [], author: AUTHOR }

/** A home on main with `a.md`, and a branch `side` without it or with the text given. */
async function scene(side: string | null): Promise<{ home: Home; context: Context }> {
  const home = makeHome()
  if (side !== null) {
    home.write(PATH, side)
    home.git('add', PATH)
    home.git('commit', '-qm', 'side')
  }
  home.git('branch', 'side')
  home.write(PATH, '# One\n')
  home.git('add', PATH)
  home.git('commit', '-q', '--allow-empty', '-m', 'one')
  return { home, context: await open(home) }
}

async function open(home: Home): Promise<Context> {
  const context = await openHome({ home: home.dir, world: await composeWorld(home.dir), settleMs: 0 })
  await context.look.look('all')
  return context
}

/** As a crash leaves it: in the journal, and on disk after the checkout took the old file away. */
function written(context: Context, changes: readonly FileChange[]): void {
  const seq = context.journal.begin({
    key: 'k',
    kind: 'test',
    changes: [...changes],
    commit: COMMIT,
    branch: 'main',
  })
  context.journal.note(seq, 'written')
}

const hash = (context: Context, text: string) => context.world.git.blobId(Buffer.from(text))

test.each([
  ['is gone', null],
  ['has the bytes of that branch', '# Zero\n'],
  ['has the bytes of both branches', '# One\n'],
])('recoverJournal() on another branch takes a write back, so that the file %s', async (_, side) => {
  const { home, context } = await scene(side)
  written(context, [{ path: PATH, before: hash(context, '# One\n'), after: '# Two\n' }])
  home.git('checkout', '-q', 'side')
  home.write(PATH, '# Two\n')
  await recoverJournal(context)
  expect([home.has(PATH) ? home.read(PATH) : null, home.git('status', '--porcelain')]).toEqual([side, ''])
  home.git('checkout', '-q', 'main')
  expect([home.read(PATH), context.journal.unfinished()]).toEqual(['# One\n', []])
})

test('recoverJournal() on another branch leaves what a person wrote', async () => {
  const { home, context } = await scene(null)
  written(context, [{ path: PATH, before: hash(context, '# One\n'), after: '# Two\n' }])
  home.git('checkout', '-q', 'side')
  home.write(PATH, '# Two\nand mine\n')
  await recoverJournal(context)
  expect(home.read(PATH)).toBe('# Two\nand mine\n')
})

test('recoverJournal() on another branch leaves what stands on text that a person had not committed', async () => {
  const { home, context } = await scene(null)
  const path = 'rooms/shop/tasks/new.md'
  written(context, [{ path, before: hash(context, '# Mine\n'), after: '# Mine\nand ours\n' }])
  home.git('checkout', '-q', 'side')
  home.write(path, '# Mine\nand ours\n')
  expect(await recoverJournal(context)).toEqual({ waiting: 1, ended: 0 })
  expect(home.read(path)).toBe('# Mine\nand ours\n')
})

test('transact() that HEAD leaves before its commit puts back what the person had not committed', async () => {
  const { home, context } = await scene(null)
  home.write(PATH, '# Mine\n')
  const { git } = context.world
  const leaving: Context = {
    ...context,
    world: {
      ...context.world,
      git: {
        ...git,
        commit: (...args) => {
          home.git('symbolic-ref', 'HEAD', 'refs/heads/side')
          return git.commit(...args)
        },
      },
    },
  }
  const before = hash(context, '# Mine\n')
  const changes = [
    { path: PATH, before, after: '# Mine\nand ours\n' },
    { path: 'rooms/shop/asks/a-1.md', before: null, after: 'Ask\n' },
  ]
  const done = await transact(leaving, { kind: 'test', changes, ...COMMIT })
  expect([done, home.read(PATH), home.has('rooms/shop/asks/a-1.md')]).toEqual(['lost', '# Mine\n', false])
  expect([context.journal.unfinished(), context.look.branch()]).toEqual([[], null])
})

test('transact() writes nothing once HEAD has left, whatever the last look saw', async () => {
  const { home, context } = await scene(null)
  const before = hash(context, '# One\n')
  home.git('symbolic-ref', 'HEAD', 'refs/heads/side')
  const changes = [{ path: PATH, before, after: '# Two\n' }]
  expect(await transact(context, { kind: 'test', changes, ...COMMIT })).toBe('lost')
  expect([home.read(PATH), context.journal.unfinished()]).toEqual(['# One\n', []])
})

test('recoverJournal() writes again what a checkout and its way back have undone', async () => {
  const { home, context } = await scene(null)
  written(context, [{ path: PATH, before: hash(context, '# One\n'), after: '# Two\n' }])
  expect(await recoverJournal(context)).toEqual({ waiting: 0, ended: 1 })
  await context.world.git.close()
  expect([home.read(PATH), home.git('show', `HEAD:${PATH}`), home.git('status', '--porcelain')]).toEqual([
    '# Two\n',
    '# Two',
    '',
  ])
})

test('recoverJournal() deletes no file that came back', async () => {
  const { home, context } = await scene(null)
  const before = hash(context, '# One\n')
  rmSync(join(home.dir, PATH))
  written(context, [{ path: PATH, before, after: null }])
  home.git('checkout', '-q', '--', PATH)
  expect(await recoverJournal(context)).toEqual({ waiting: 0, ended: 1 })
  expect([home.read(PATH), home.git('log', '-1', '--format=%s')]).toEqual(['# One\n', 'one'])
})
