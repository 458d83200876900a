/** What a person does to a task's file while its session runs: status, deletion, rename, copy. */
import { renameSync, rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { composeWorld } from '../../src/compose.ts'
import type { World } from '../../src/ports/world.ts'
import { type Home, makeHome, runbook, until, type Watching } from './home.ts'

/** A task of two steps whose first waits for a sign of the test; it tells the number of its process. */
const WAITS = 'echo $$ > "$NEO_HOME/.git/pid"; sleep 661.5 & wait; echo late > late.txt'

async function running(): Promise<{ home: Home; daemon: Watching; pid: number }> {
  const home = makeHome()
  const daemon = home.watch()
  await daemon.ready()
  home.task('a', runbook([WAITS]))
  await until(() => home.has('.git/pid') && home.read('.git/pid').endsWith('\n'))
  await until(() => home.status('a') === 'in_progress')
  return { home, daemon, pid: Number(home.read('.git/pid')) }
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function atRest(home: Home): boolean {
  return home.git('status', '--porcelain') === ''
}

for (const status of ['blocked', 'cancelled', 'completed', 'failed', 'draft']) {
  test(`watch stops the processes of a task that a person sets to ${status}`, async () => {
    const { home, daemon, pid } = await running()
    home.task('a', home.text('a').replace('in_progress', status))
    await until(() => !lives(pid) && atRest(home) && home.neo('a', 'session') === undefined)
    await daemon.stop()
    expect([home.status('a'), home.has('workspace/files/late.txt')]).toEqual([status, false])
    expect(home.git('log', '-1', '--format=%s')).toContain(`stop a (the task was set to ${status}`)
  })
}

test('watch starts a task again that a person sets to pending while it runs', async () => {
  const { home, daemon, pid } = await running()
  home.task('a', home.text('a').replace('in_progress', 'pending').replace('sleep 661.5', 'true'))
  await until(() => home.status('a') === 'completed' && atRest(home))
  await daemon.stop()
  expect([lives(pid), home.neo('a', 'attempt')]).toEqual([false, '2'])
  expect(home.read('workspace/files/late.txt')).toBe('late\n')
})

test('watch stops the session of a task whose file was deleted, and keeps its history', async () => {
  const { home, daemon, pid } = await running()
  rmSync(`${home.dir}/rooms/shop/tasks/a.md`)
  await until(() => !lives(pid) && atRest(home) && home.git('log', '--format=%s').includes('stop a'))
  await daemon.stop()
  expect(home.git('log', '--format=%s', '--', 'rooms/shop/tasks/a.md')).toContain('delete a')
})

test('watch lets a task that is renamed while it runs go on under its id', async () => {
  const { home, daemon, pid } = await running()
  const id = home.neo('a', 'id')
  renameSync(`${home.dir}/rooms/shop/tasks/a.md`, `${home.dir}/rooms/shop/tasks/b.md`)
  await until(() => home.git('log', '--format=%s').includes('move b') && atRest(home))
  expect(lives(pid)).toBe(true)
  process.kill(pid, 'SIGKILL')
  await until(() => home.status('b') === 'failed' && atRest(home))
  await daemon.stop()
  expect([home.neo('b', 'id'), home.neo('b', 'attempt')]).toEqual([id, '1'])
  expect(home.git('log', '--format=%s')).not.toContain('start b')
})

test('watch gives a copy of a running task a fresh block and does not run it', async () => {
  const { home, pid } = await running()
  home.task('copy', home.text('a'))
  await until(() => home.neo('copy', 'id') !== home.neo('a', 'id') && atRest(home))
  expect([home.status('copy'), home.neo('copy', 'session')]).toEqual(['draft', undefined])
  expect([lives(pid), home.status('a')]).toEqual([true, 'in_progress'])
  process.kill(pid, 'SIGKILL')
  await until(() => home.status('a') === 'failed')
})

test('run never runs a byte-equal copy of a pending task', async () => {
  const home = makeHome()
  const text = runbook(['echo x >> "$NEO_HOME/.git/ran"'], ['neo:', '  id: t-abc123'])
  home.task('a', text)
  home.task('b', text)
  await home.run()
  expect([home.status('a'), home.status('b'), home.read('.git/ran')]).toEqual(['completed', 'draft', 'x\n'])
})

test.each(['completed', 'failed', 'cancelled'])(
  'run makes a copy of a %s task a draft, and runs it when it is pending',
  async (status) => {
    const home = makeHome()
    home.task('a', runbook(['echo x >> "$NEO_HOME/.git/ran"']))
    await home.run()
    home.task('a', home.text('a').replace('status: completed', `status: ${status}`))
    await home.run()
    const before = home.text('a')
    home.task('a-2', before.replace('title: a', 'title: Again'))
    // Committed by a person before Neo has seen it.
    if (status === 'failed') home.git('add', '.')
    if (status === 'failed') home.git('commit', '-q', '-m', 'copy')
    await home.run()
    expect([home.status('a-2'), home.neo('a-2', 'completed_at'), home.text('a')]).toEqual([
      'draft',
      undefined,
      before,
    ])
    home.task('a-2', home.text('a-2').replace('status: draft', 'status: pending'))
    await home.run()
    expect([home.status('a-2'), home.read('.git/ran')]).toEqual(['completed', 'x\nx\n'])
  },
)

test.each(['cancelled', 'deleted'])('run merges nothing of a task that is %s just before', async (how) => {
  const home = makeHome()
  home.task('a', runbook(['echo late > late.txt']))
  const world = await composeWorld(home.dir)
  const tip: World['git']['tip'] = (...of) => {
    if (how === 'deleted') rmSync(`${home.dir}/rooms/shop/tasks/a.md`, { force: true })
    else home.task('a', home.text('a').replace('in_progress', 'cancelled'))
    return world.git.tip(...of)
  }
  await home.run({ world: { ...world, git: { ...world.git, tip } } })
  const left = home.git('status', '--porcelain').trim()
  expect([home.has('workspace/files/late.txt'), left]).toEqual([
    false,
    how === 'deleted' ? 'D rooms/shop/tasks/a.md' : '',
  ])
})

test('watch leaves an edit of the text to the next attempt', async () => {
  const { home, daemon, pid } = await running()
  home.task('a', home.text('a').replace('late > late.txt', 'new > late.txt'))
  await until(() => daemon.events.length > 0)
  process.kill(pid, 'SIGKILL')
  await until(() => home.status('a') === 'failed' && atRest(home))
  await daemon.stop()
  expect(home.text('a')).toContain('new > late.txt')
  expect(home.git('log', '-1', '--format=%(trailers:key=Co-authored-by,valueonly)').trim()).toBe(
    'Person <person@localhost>',
  )
})

test('watch picks a running step up again after a restart', async () => {
  const home = makeHome()
  const first = home.watch()
  await first.ready()
  const step = 'echo x >> "$NEO_HOME/.git/ran"; while ! test -e "$NEO_HOME/.git/go"; do sleep 0.05; done'
  home.task('a', runbook([step, 'echo y >> "$NEO_HOME/.git/ran"']))
  await until(() => home.has('.git/ran'))
  const left = await first.stop()
  expect(left.events.some(({ kind }) => kind === 'leave')).toBe(true)
  home.write('.git/go', '')
  await home.run()
  expect([home.status('a'), home.read('.git/ran'), home.neo('a', 'attempt')]).toEqual([
    'completed',
    'x\ny\n',
    '1',
  ])
})
