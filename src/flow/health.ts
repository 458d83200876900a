/**
 * What a running daemon says about itself: `.neo/daemon.json`, which clients find it by, with its troubles.
 * Invariant 1: a stale file is told by pid, start time and boot id; it proves nothing by itself, the lock does.
 */
import { join } from 'node:path'
import type { Context } from './context.ts'

export interface Health {
  /** Something does not work; shown in `neo status` until it is well again. */
  trouble(part: 'watcher' | 'round', why: string): void
  /** A round went well: its trouble is over. */
  well(): void
  close(): void
}

export function openHealth(context: Context, version: string): Health {
  const path = join(context.home, '.neo', 'daemon.json')
  const { files, processes, clock } = context.world
  const troubles = new Map<string, string>()
  const startedAt = new Date(clock.now()).toISOString()
  write()

  /** Without a disk to write to, the terminal has said it already. */
  function write(): void {
    const { pid, bootId, startTime } = processes.self()
    const said = [...troubles].map(([part, why]) => ({ part, why }))
    try {
      files.writeJson(path, {
        pid,
        startedAt,
        bootId,
        startTime,
        url: null,
        token: null,
        version,
        troubles: said,
      })
    } catch {
      troubles.set('disk', 'daemon.json could not be written')
    }
  }

  return {
    trouble(part, why) {
      if (troubles.get(part) === why) return
      troubles.set(part, why)
      write()
    },
    well() {
      if (troubles.delete('round') || troubles.delete('disk')) write()
    },
    close() {
      const read = files.read(path, 65536)
      if (read.kind === 'file') files.remove(path, context.world.git.blobId(read.bytes))
    },
  }
}
