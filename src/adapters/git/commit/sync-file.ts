/**
 * Makes a file's bytes durable without holding up the event loop: sessions continue in the meantime, and what is synced side by
 * side shares one write of the file system's journal.
 */
import { closeSync, fsync, openSync } from 'node:fs'
import { promisify } from 'node:util'

const synced = promisify(fsync)

export async function syncFile(path: string): Promise<void> {
  const file = openSync(path, 'r')
  try {
    await synced(file)
  } finally {
    closeSync(file)
  }
}
