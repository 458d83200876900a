import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openWatcher } from '../../src/adapters/watcher/watcher.ts'
import { BACKENDS, listen, makeHome, until } from '../adapters/watcher/listen.ts'

const TASK = 'rooms/shop/tasks/a.md'

describe.each(BACKENDS)('watch() by %s', (_name, options) => {
  test.each([TASK, 'neo.yaml', 'workspace/SOUL.md', 'templates/tasks/b.md', 'workspace/members/m.md'])(
    'hints at %s when it is saved',
    async (path) => {
      const home = makeHome([path])
      const { heard } = await listen(home.root, options)
      home.write(path, '# y\n')
      await heard(path)
    },
  )

  test('hints at a new file and at a deleted one', async () => {
    const home = makeHome([TASK])
    const { heard, quiet } = await listen(home.root, options)
    home.write('rooms/shop/tasks/b.md')
    await heard('rooms/shop/tasks/b.md')
    await quiet()
    rmSync(join(home.root, TASK))
    await heard(TASK)
  })

  test('is silent about sessions, worktrees and files of the workspace', async () => {
    const home = makeHome([
      TASK,
      'rooms/shop/sessions/s-1.md',
      'workspace/files/x.md',
      '.neo/worktrees/s/a.md',
    ])
    const { hints, heard } = await listen(home.root, options)
    for (const path of [
      'rooms/shop/sessions/s-2.md',
      'workspace/files/y.md',
      '.neo/worktrees/s/b.md',
      'c.md',
    ]) {
      home.write(path)
    }
    home.write(TASK, '# y\n')
    await heard(TASK)
    expect(new Set(hints)).toEqual(new Set([TASK]))
  })

  test('hears a folder that was missing at the start', async () => {
    const home = makeHome(['neo.yaml'])
    const { heard, quiet } = await listen(home.root, options)
    home.write(TASK)
    await heard(TASK)
    await quiet()
    home.write(TASK, '# y\n')
    await heard(TASK)
  })

  test('hears a folder that was removed and made again at once', async () => {
    const home = makeHome([TASK])
    const { heard, quiet } = await listen(home.root, options)
    for (let round = 0; round < 3; round += 1) {
      rmSync(join(home.root, 'rooms/shop/tasks'), { recursive: true })
      mkdirSync(join(home.root, 'rooms/shop/tasks'))
      await quiet()
      home.write(TASK, `# ${round}\n`)
      await heard(TASK)
      await quiet()
    }
  })

  test('hears a room that was renamed, under its new name', async () => {
    const home = makeHome([TASK])
    const { heard, quiet } = await listen(home.root, options)
    renameSync(join(home.root, 'rooms/shop'), join(home.root, 'rooms/store'))
    await heard('rooms/store/tasks/a.md')
    await quiet()
    home.write('rooms/store/tasks/a.md', '# y\n')
    await heard('rooms/store/tasks/a.md')
  })

  test('hears a task after a switch to a branch without the room and back', async () => {
    const home = makeHome([TASK, 'neo.yaml'])
    home.git('init', '-q', '-b', 'main')
    home.git('add', '-A')
    home.git('commit', '-qm', 'with')
    home.git('checkout', '-qb', 'bare')
    home.git('rm', '-rq', 'rooms')
    home.git('commit', '-qm', 'without')
    home.git('checkout', '-q', 'main')
    const { heard, quiet, hints } = await listen(home.root, options)
    home.git('checkout', '-q', 'bare')
    home.git('checkout', '-q', 'main')
    await until(() => hints.includes('.git'), 'a hint of the switch')
    await quiet()
    home.write(TASK, '# y\n')
    await heard(TASK)
  })

  test('hears a task after stash and pop', async () => {
    const home = makeHome(['neo.yaml'])
    home.git('init', '-q', '-b', 'main')
    home.git('add', '-A')
    home.git('commit', '-qm', 'first')
    home.write(TASK)
    const { heard, quiet } = await listen(home.root, options)
    home.git('stash', '-qu')
    home.git('stash', 'pop', '-q')
    await quiet()
    home.write(TASK, '# y\n')
    await heard(TASK)
  })

  test('hears a home that is reached through a link', async () => {
    const home = makeHome([TASK])
    const link = join(makeHome().root, 'link')
    symlinkSync(home.root, link)
    const { heard } = await listen(link, options)
    home.write(TASK, '# y\n')
    await heard(TASK)
  })

  test('hears a home again that was moved away and made again', async () => {
    const home = makeHome([TASK])
    const { heard, quiet, troubles } = await listen(home.root, {
      ...options,
      refreshMs: 100,
      pollMs: 100_000,
    })
    rmSync(home.root, { recursive: true })
    await until(() => troubles.length > 0, 'trouble')
    home.write(TASK)
    await quiet()
    home.write(TASK, '# y\n')
    await heard(TASK)
  })

  test('gives odd names as they are', async () => {
    const home = makeHome([TASK])
    const { hints } = await listen(home.root, options)
    const odd = ['rooms/shop/tasks/a b "c"\'.md', 'rooms/shop/tasks/漢字🚀.md', 'rooms/shop/tasks/l\nn.md']
    for (const path of odd) home.write(path)
    await until(() => odd.every((path) => hints.includes(path)), 'all names')
  })

  test('says nothing after it was stopped, and stops twice', async () => {
    const home = makeHome([TASK])
    const { stop, hints } = await listen(home.root, options)
    home.write(TASK, '# y\n')
    await Promise.all([stop(), stop()])
    const before = hints.length
    home.write(TASK, '# z\n')
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(hints).toHaveLength(before)
  })
})

test('watch() hands over to folder watches when the home has grown, and goes on', async () => {
  const home = makeHome([TASK])
  const { heard, quiet, hints } = await listen(home.root, { fewFiles: 5, refreshMs: 100 })
  for (let n = 0; n < 20; n += 1) home.write(`rooms/shop/tasks/t${n}.md`)
  await until(() => hints.includes(''), 'the hand-over')
  await quiet()
  home.write(TASK, '# y\n')
  await heard(TASK)
})

test('watch() gives no hint before it returns, and is ready once', async () => {
  const home = makeHome([TASK])
  let returned = 'no'
  const early: string[] = []
  let ready = 0
  const note = (what: string) => {
    if (returned === 'no') early.push(what)
  }
  const stop = openWatcher().watch(home.root, {
    hint: note,
    trouble: note,
    ready() {
      note('ready')
      ready += 1
    },
  })
  returned = 'yes'
  await until(() => ready > 0, 'ready')
  await stop()
  expect([early, ready]).toEqual([[], 1])
})
