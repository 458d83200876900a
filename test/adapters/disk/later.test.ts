/** Syncs that wait: none is lost by a failure or by what is written beside it, and each runs once for all who wait. */
import nodeFs from 'node:fs'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { DiskFs } from '../../../src/adapters/disk/fs.ts'
import { openLater } from '../../../src/adapters/disk/later.ts'

beforeAll(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterAll(() => void vi.useRealTimers())

type Done = (error: NodeJS.ErrnoException | null) => void

/** A disk whose syncs end when the test says so. */
function disk() {
  const names = new Map<number, string>()
  const open = new Set<number>()
  const running: { readonly path: string; readonly done: Done }[] = []
  const started: string[] = []
  let last = 0
  const fs = {
    constants: nodeFs.constants,
    openSync(path: string) {
      if (path.includes('gone')) throw Object.assign(new Error('gone'), { code: 'ENOENT' })
      names.set(++last, path)
      open.add(last)
      return last
    },
    closeSync: (fd: number) => void open.delete(fd),
    fsync(fd: number, done: Done) {
      const path = names.get(fd) ?? ''
      started.push(path)
      running.push({ path, done })
    },
  } as unknown as DiskFs
  const end = (code?: string) => {
    const all = running.splice(0)
    for (const { done } of all)
      done(code === undefined ? null : Object.assign(new Error(`it says ${code}`), { code }))
    return all.map(({ path }) => path)
  }
  return { later: openLater(fs), started, end, open }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('what nobody waits for is synced by itself, soon', async () => {
  const { later, started } = disk()
  later.add('/a')
  later.add('/b')
  await turn()
  expect(started).toEqual([])
  vi.advanceTimersByTime(250)
  await turn()
  expect(started).toEqual(['/a', '/b'])
})

test('sync() waits for all that was added, once a path', async () => {
  const { later, started, end, open } = disk()
  for (const path of ['/a', '/b', '/a']) later.add(path)
  const syncing = later.sync()
  await turn()
  expect(started).toEqual(['/a', '/b'])
  end()
  await syncing
  await later.sync()
  expect([started.length, open.size]).toEqual([2, 0])
})

test('sync() of a folder takes what is below it, and the folders that hold its name', async () => {
  const { later, started, end } = disk()
  for (const path of ['/h', '/h/x', '/h/x/f', '/h/xy', '/h/y']) later.add(path)
  const syncing = later.sync(['/h/x'])
  await turn()
  expect(started).toEqual(['/h', '/h/x', '/h/x/f'])
  end()
  await syncing
  const rest = later.sync()
  await turn()
  expect(end()).toEqual(['/h/xy', '/h/y'])
  await rest
})

test('what is written while its sync runs is synced once more, by one sync for all who wait', async () => {
  const { later, started, end } = disk()
  later.add('/a')
  const first = later.sync()
  await turn()
  later.add('/a')
  const others = [later.sync(), later.sync()]
  end()
  await first
  await turn()
  expect(started).toEqual(['/a', '/a'])
  end()
  await Promise.all(others)
  await later.sync()
  expect(started).toEqual(['/a', '/a'])
})

test('a sync that fails is told, with the path, and tried again by the next', async () => {
  const { later, started, end, open } = disk()
  later.add('/a')
  const failing = later.sync()
  await turn()
  end('EIO')
  await expect(failing).rejects.toThrow(
    'Cannot sync to disk (written, but a power cut may undo it) "/a": it says EIO',
  )
  const again = later.sync()
  await turn()
  end()
  await again
  expect([started, open.size]).toEqual([['/a', '/a'], 0])
})

test.each(['EINVAL', 'ENOTSUP', 'EACCES', 'EISDIR'])(
  'a file system that has no sync (%s) is taken as it is',
  async (code) => {
    const { later, end } = disk()
    later.add('/a')
    const syncing = later.sync()
    await turn()
    end(code)
    await expect(syncing).resolves.toBeUndefined()
  },
)

test('what is gone, or was synced in another way, is not waited for', async () => {
  const { later, started } = disk()
  later.add('/gone')
  later.add('/a')
  later.done('/a')
  await later.sync()
  expect(started).toEqual([])
})

test('sync() of many runs some side by side, and all of them in the end', async () => {
  const { later, started, end } = disk()
  const paths = Array.from({ length: 70 }, (_, at) => `/f${at}`)
  for (const path of paths) later.add(path)
  const syncing = later.sync()
  const sizes: number[] = []
  for (let ended = 0; ended < paths.length; ) {
    await turn()
    const now = end().length
    if (now > 0) sizes.push(now)
    ended += now
  }
  await syncing
  expect([sizes, started]).toEqual([[32, 32, 6], paths])
})
