/** What a person saves is found by whoever asks the daemon, soon and without a commit; how the index is, is told. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openFiles } from '../../src/adapters/disk/disk-files.ts'
import { openIndexStores } from '../../src/adapters/sqlite/stores.ts'
import { composeWorld } from '../../src/compose.ts'
import { memoryRows } from '../../src/memory/health-rows.ts'
import { memoryOf } from '../../src/memory/open-memory.ts'
import { wire } from '../channels/bus-home.ts'
import { makeHome, until } from '../path/home.ts'
import { MOMENT_MS } from '../wait.ts'
import { memoryAt, placesOf } from './index-home.ts'

const FILES = { 'rooms/shop/memories/a.md': 'The heron is grey\n' }

test('a file of memory that is saved, changed or taken away by hand is in the index soon', async () => {
  const home = makeHome({ ...FILES, 'neo.yaml': 'memory: { sync_every: 1h, embeddings: off }\n' })
  const daemon = wire(home)
  await daemon.ready()
  await until(() => home.read('.neo/memory.json').includes('"runs"'))
  const found = async (query: string) => {
    const { results } = (await daemon.hub().call({ kind: 'human' }, 'memory.search', { query })) as {
      results: readonly { readonly source: string }[]
    }
    return results.map(({ source }) => source).join(' ')
  }
  const soon = async (query: string, wanted: string) => {
    const last = { now: '' }
    const end = Date.now() + MOMENT_MS
    while (Date.now() < end && last.now !== wanted) last.now = await found(query)
    expect(last.now).toBe(wanted)
  }
  await soon('grey heron', 'rooms/shop/memories/a.md:1')
  home.write('rooms/shop/memories/b.md', 'The zebra is striped\n')
  await soon('striped zebra', 'rooms/shop/memories/b.md:1')
  home.write('workspace/memory/MEMORY.md', '- Trams run at night\n')
  await soon('night trams', 'workspace/memory/MEMORY.md:1')
  rmSync(join(home.dir, 'rooms/shop/memories/b.md'))
  await soon('striped zebra', '')
  await daemon.stop()
})

test('a search beside a daemon finds what was written while the index was being updated', async () => {
  const home = makeHome({ ...FILES, 'rooms/shop/memories/z.md': 'The newt is orange\n' })
  const disk = openFiles()
  let during = () => {}
  const files: typeof disk = {
    ...disk,
    read(path, ...rest) {
      if (path.endsWith('/z.md')) during()
      return disk.read(path, ...rest)
    },
  }
  const memory = memoryAt(home, openIndexStores(), files)
  memory.keeps(() => {})
  let search: Promise<readonly string[]> | null = null
  // The folder is listed already.
  during = () => {
    during = () => {}
    home.write('rooms/shop/memories/b.md', 'The zebra is striped\n')
    memory.changed()
    search = placesOf(memory, 'striped zebra')
  }
  await memory.sync()
  expect(await search).toContain('rooms/shop/memories/b.md:1')
})

test('the first search after the watcher reports a memory finds it, before any round', async () => {
  const home = makeHome({ ...FILES, 'neo.yaml': 'memory: { sync_every: 1h, embeddings: off }\n' })
  const world = await composeWorld(home.dir)
  let hint = (_path: string) => {}
  const watcher: typeof world.watcher = {
    watch(_home, on) {
      hint = on.hint
      return async () => {}
    },
  }
  const daemon = wire(home, [], { world: { ...world, watcher } })
  await daemon.ready()
  await until(() => home.read('.neo/memory.json').includes('"runs"'))
  home.write('rooms/shop/memories/b.md', 'The zebra is striped\n')
  const found = await daemon.context().exclusive(async () => {
    hint('rooms/shop/memories/b.md')
    return placesOf(memoryOf(daemon.context()), 'striped zebra')
  })
  expect(found).toContain('rooms/shop/memories/b.md:1')
  await daemon.stop()
})

test('status tells runs, failures, the last success and the last error', () => {
  const told = { by: 'index', runs: 12, failures: 1, lastSuccess: '2026-03-01T09:12:00.000Z', lastError: '' }
  const says = '; 12 runs, 1 failed, last success 2026-03-01 09:12 UTC'
  expect(memoryRows({ ...told, passages: 5, sources: 2 })).toEqual([
    { part: 'memory', state: 'ok', says: `5 passages from 2 files${says}` },
  ])
  expect(memoryRows({ ...told, lastError: 'Cannot use the index: disk full' })).toEqual([
    { part: 'memory', state: 'trouble', says: `Cannot use the index: disk full${says}` },
  ])
})
