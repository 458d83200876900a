/** What a sync believes of stats and listings: nothing is looked at twice, and no change is missed, on coarse clocks too. */
import { createHash } from 'node:crypto'
import { renameSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openFiles } from '../../src/adapters/disk/disk-files.ts'
import { openIndexStores } from '../../src/adapters/sqlite/stores.ts'
import { NeoError } from '../../src/domain/home/error.ts'
import { type SyncPlaces, syncIndex } from '../../src/memory/index/index-sync.ts'
import { openEmbeddings } from '../../src/memory/search/embeddings.ts'
import type { Stat } from '../../src/ports/files-port.ts'
import { type Home, makeHome } from '../path/home.ts'

const FOLDER = 'rooms/shop/memories'
const disk = openFiles()
const library = await openIndexStores().trouble('/nothing/here')
const blobId = (bytes: Buffer) => createHash('sha1').update(bytes).digest('hex')

interface Bench {
  readonly home: Home
  /** Calls of the disk since the last sync began. */
  readonly calls: { names: number; read: number }
  sync(): ReturnType<typeof syncIndex>
}

/** `ahead`: how long after the writing the syncs are, by the clock. */
async function begin(of: {
  readonly ahead: number
  readonly files?: Partial<SyncPlaces['files']>
}): Promise<Bench> {
  const home = makeHome({ [`${FOLDER}/a.md`]: 'The heron is grey\n', [`${FOLDER}/b.md`]: 'one\n' })
  const store = await openIndexStores().open(join(home.dir, '.neo/index.db'), 'v')
  if ('wrong' in store) throw new Error(store.wrong)
  onTestFinished(() => store.close())
  const calls = { names: 0, read: 0 }
  const from = { ...disk, ...of.files }
  const files: SyncPlaces['files'] = {
    ...from,
    names: (dir) => {
      calls.names++
      return from.names(dir)
    },
    read: (path, most) => {
      calls.read++
      return from.read(path, most)
    },
  }
  const meaning = openEmbeddings(disk, 'off')
  const places = { home: home.dir, dir: join(home.dir, '.git/neo'), files, blobId, meaning, timezone: 'UTC' }
  const now = () => Date.now() + of.ahead
  return {
    ...{ home, calls },
    sync() {
      Object.assign(calls, { names: 0, read: 0 })
      return syncIndex({ ...places, now }, store)
    },
  }
}

test.runIf(library === null)(
  'a second sync of unchanged files reads none, and lists no folder again',
  async () => {
    const { calls, sync } = await begin({ ahead: 10_000 })
    expect(await sync()).toMatchObject({ sources: 2, changed: 2 })
    expect(await sync()).toMatchObject({ sources: 2, changed: 0, dropped: 0 })
    expect(calls.read).toBe(0)
    // Folders that are missing are asked for.
    expect(calls.names).toBeLessThanOrEqual(3)
  },
)

test.runIf(library === null)('a change of the same size that keeps its time is seen', async () => {
  const { home, sync } = await begin({ ahead: 10_000 })
  await sync()
  const path = join(home.dir, FOLDER, 'b.md')
  const { atime, mtime } = statSync(path)
  home.write(`${FOLDER}/b.md`, 'two\n')
  utimesSync(path, atime, mtime)
  expect(await sync()).toMatchObject({ changed: 1 })
})

test.runIf(library === null)(
  'on a clock of whole seconds no change is missed, of a file or a folder',
  async () => {
    const coarse = (stat: Stat | null) =>
      stat === null ? null : { ...stat, mtimeMs: 1_000, ctimeMs: 1_000, ino: 7, size: stat.size }
    const read: SyncPlaces['files']['read'] = (path, most) => {
      const found = disk.read(path, most)
      return found.kind === 'file' ? { ...found, stat: coarse(found.stat) ?? found.stat } : found
    }
    const files = { read, stat: (path: string, kind?: 'file' | 'folder') => coarse(disk.stat(path, kind)) }
    const { home, sync } = await begin({ ahead: 2_000 - Date.now(), files })
    await sync()
    home.write(`${FOLDER}/b.md`, 'two\n')
    home.write(`${FOLDER}/c.md`, 'new\n')
    expect(await sync()).toMatchObject({ changed: 2, sources: 3 })
    rmSync(join(home.dir, FOLDER, 'c.md'))
    expect(await sync()).toMatchObject({ changed: 0, sources: 2, dropped: 1 })
  },
)

test.runIf(library === null)('files that come, go and change names are seen, whole folders too', async () => {
  const { home, sync } = await begin({ ahead: 10_000 })
  await sync()
  home.write(`${FOLDER}/c.md`, 'new\n')
  renameSync(join(home.dir, FOLDER, 'a.md'), join(home.dir, FOLDER, 'z.md'))
  expect(await sync()).toMatchObject({ sources: 3, changed: 2, dropped: 1 })
  renameSync(join(home.dir, 'rooms/shop'), join(home.dir, 'rooms/store'))
  expect(await sync()).toMatchObject({ sources: 3, changed: 3, dropped: 3 })
  rmSync(join(home.dir, 'rooms/store'), { recursive: true })
  expect(await sync()).toMatchObject({ sources: 0, dropped: 3 })
})

test.runIf(library === null)(
  'a folder that may not be looked into keeps what was known of it, and is said',
  async () => {
    let isClosed = false
    const guarded = <T>(path: string, work: () => T): T => {
      if (isClosed && path.endsWith(FOLDER)) throw new NeoError('disk', 'Cannot list "memories": EACCES')
      return work()
    }
    const names = (dir: string) => guarded(dir, () => disk.names(dir))
    const stat = (path: string, kind?: 'file' | 'folder') => guarded(path, () => disk.stat(path, kind))
    const { home, sync } = await begin({ ahead: 10_000, files: { names, stat } })
    await sync()
    isClosed = true
    home.write('rooms/other/memories/d.md', 'beside it\n')
    expect(await sync()).toMatchObject({ changed: 1, dropped: 0, closed: 'Cannot list "memories": EACCES' })
    isClosed = false
    expect(await sync()).toMatchObject({ sources: 3, changed: 0, dropped: 0, closed: '' })
  },
)
