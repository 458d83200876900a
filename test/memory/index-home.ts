/** A Memory over the files of a home of its own, without hub and daemon. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openFiles } from '../../src/adapters/disk/disk-files.ts'
import { systemClock } from '../../src/adapters/machine.ts'
import { openIndexStores } from '../../src/adapters/sqlite/stores.ts'
import { readConfig } from '../../src/files/config/read-config.ts'
import { Memory } from '../../src/memory/open-memory.ts'
import type { Files } from '../../src/ports/files-port.ts'
import type { IndexStores } from '../../src/ports/index-port.ts'
import type { Home } from '../path/home.ts'

const read = readConfig('neo.yaml', null, {})
const blobId = (bytes: Buffer) =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')

export function memoryAt(
  home: Home,
  stores: IndexStores | null = openIndexStores(),
  files: Files = openFiles(),
): Memory {
  if (read.kind !== 'ok') throw new Error('the default configuration is broken')
  const config = read.value
  const memory = new Memory({
    home: home.dir,
    dir: join(home.dir, '.git/neo'),
    files,
    clock: systemClock(),
    blobId,
    stores,
    config: () => config,
  })
  onTestFinished(() => memory.close())
  return memory
}

/** Places that a search gives, best first. */
export async function placesOf(
  memory: Memory,
  query: string,
  parts: readonly string[] | null = null,
): Promise<readonly string[]> {
  const { hits } = await memory.search({ query, parts, limit: 10 })
  return hits.map(({ passage, line }) => `${passage.source}:${line}`)
}
