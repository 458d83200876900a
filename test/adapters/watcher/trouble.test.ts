import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { watch as nodeWatch } from 'node:fs'
import { join } from 'node:path'
import { watch as chokidarWatch } from 'chokidar'
import { expect, test } from 'vitest'
import type { WatchFolder } from '../../../src/adapters/watcher/folder-watch.ts'
import { listen, makeHome, until } from './listen.ts'

const TASK = 'rooms/shop/tasks/a.md'

function failure(code: string): Error {
  return Object.assign(new Error(`${code}: no watches left`), { code })
}

/** Watches only while `broken` says no. */
function faulty(broken: () => boolean, code: string): WatchFolder {
  return ((...args: Parameters<WatchFolder>) => {
    if (broken()) throw failure(code)
    return Reflect.apply(nodeWatch, undefined, args)
  }) as WatchFolder
}

test.each(['ENOSPC', 'EMFILE'])(
  'watch() tells trouble once and polls when every watch fails by %s',
  async (code) => {
    const home = makeHome([TASK, 'rooms/a/tasks/b.md', 'rooms/c/tasks/d.md'])
    const watchFolder = faulty(() => true, code)
    const { hints, troubles } = await listen(home.root, {
      fewFiles: -1,
      watchFolder,
      pollMs: 50,
      refreshMs: 50,
    })
    await until(() => hints.filter((hint) => hint === '').length >= 3, 'three polls')
    expect(troubles).toEqual([expect.stringContaining(code)])
  },
)

test('watch() watches what it can when watches run out', async () => {
  const home = makeHome([TASK])
  let made = 0
  const watchFolder = faulty(() => ++made > 3, 'ENOSPC')
  const { troubles, heard } = await listen(home.root, { fewFiles: -1, watchFolder, pollMs: 100_000 })
  home.write('neo.yaml')
  await heard('neo.yaml')
  expect(troubles).toHaveLength(1)
})

test('watch() ends polling and says so when watching works again', async () => {
  const home = makeHome([TASK])
  let broken = true
  const watchFolder = faulty(() => broken, 'ENOSPC')
  const listening = await listen(home.root, { fewFiles: -1, watchFolder, pollMs: 50, refreshMs: 50 })
  await until(() => listening.hints.includes(''), 'a poll')
  expect(listening.wells()).toBe(0)
  broken = false
  await until(() => listening.wells() === 1, 'the end of the trouble')
  await listening.quiet()
  home.write(TASK, '# y\n')
  await listening.heard(TASK)
  expect(listening.hints).not.toContain('')
})

test('watch() hands over to folder watches when chokidar tells an error', async () => {
  const home = makeHome([TASK])
  const started: ReturnType<typeof chokidarWatch>[] = []
  const chokidar: typeof chokidarWatch = (path, options) => {
    const watcher = chokidarWatch(path, options)
    started.push(watcher)
    return watcher
  }
  const listening = await listen(home.root, { chokidar, fewFiles: 1_000, refreshMs: 50, pollMs: 50 })
  for (let n = 0; n < 100; n += 1) started[0]?.emit('error', failure('ENOSPC'))
  await until(() => listening.troubles.length > 0, 'trouble')
  await listening.quiet()
  home.write(TASK, '# y\n')
  await listening.heard(TASK)
  expect(listening.troubles).toEqual([expect.stringContaining('ENOSPC')])
  expect(started[0]?.closed).toBe(true)
})

const CHILD = `
import { openWatcher } from ${JSON.stringify(join(process.cwd(), 'src/adapters/watcher/watcher.ts'))}
import { writeFileSync } from 'node:fs'
const home = process.argv[1]
let troubles = 0
const stop = openWatcher({ pollMs: 200 }).watch(home, {
  trouble: () => { troubles += 1 },
  ready: () => setTimeout(() => writeFileSync(home + '/rooms/r1999/a.md', 'new'), 100),
  hint: (path) => {
    if (path !== '' && path !== 'rooms/r1999/a.md') return
    process.stdout.write(JSON.stringify({ path, troubles }))
    stop().then(() => process.exit(0))
  },
})`

test('watch() goes on when the process may open 256 files and the home has 2,000 folders', async () => {
  const home = makeHome()
  for (let n = 0; n < 2_000; n += 1) home.write(`rooms/r${n}/a.md`)
  const script = 'ulimit -n 256; exec "$0" "$@"'
  const args = [
    '-c',
    script,
    process.execPath,
    '--import',
    'tsx',
    '--input-type=module',
    '-e',
    CHILD,
    home.root,
  ]
  const child = spawn('sh', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.on('data', (piece) => {
    said += String(piece)
  })
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)
  expect(JSON.parse(said).troubles).toBeLessThanOrEqual(1)
})
