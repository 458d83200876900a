/**
 * Settling: a file counts once it has been quiet, so that autosave does not start half a runbook; and a file that has
 * gone counts as deleted only when it stays away over the settling time and one rescan more. Pure state, no clock of its
 * own.
 */

export interface Settling {
  /** A file with new content was seen. Gives true when it has been quiet long enough. */
  seen(path: string, hash: string, times: { readonly mtimeMs: number; readonly now: number }): boolean
  /** A committed file was not there in a full scan. Gives true when its deletion counts. */
  missing(path: string, now: number): boolean
  /** The file is there and known: forget what was pending for it. */
  clear(path: string): void
  /** All deletions start over: another branch was checked out. */
  forgetMissing(): void
  /** Paths that are due to be looked at again, and the next time at which one will be. */
  due(now: number): {
    readonly paths: readonly string[]
    readonly rescan: boolean
    readonly wakeAt: number | null
  }
}

export function openSettling(settleMs: () => number): Settling {
  const pending = new Map<string, { hash: string; dueAt: number }>()
  const gone = new Map<string, number>()
  return {
    seen(path, hash, { mtimeMs, now }) {
      const known = pending.get(path)
      // A time of change in the future (a clock that jumped, an archive) must not hold the file back.
      const quietSince = known === undefined ? Math.min(mtimeMs, now) : now
      const dueAt = known?.hash === hash ? known.dueAt : quietSince + settleMs()
      if (dueAt <= now) {
        pending.delete(path)
        return true
      }
      pending.set(path, { hash, dueAt })
      return false
    },
    missing(path, now) {
      pending.delete(path)
      const since = gone.get(path)
      if (since === undefined) gone.set(path, now)
      return since !== undefined && now - since >= settleMs()
    },
    clear(path) {
      pending.delete(path)
      gone.delete(path)
    },
    forgetMissing() {
      gone.clear()
    },
    due(now) {
      const times = [...pending.values()].map(({ dueAt }) => dueAt)
      const back = [...gone.values()].map((since) => since + settleMs())
      const next = Math.min(...times, ...back)
      return {
        paths: [...pending].filter(([, { dueAt }]) => dueAt <= now).map(([path]) => path),
        rescan: back.some((at) => at <= now),
        wakeAt: Number.isFinite(next) ? next : null,
      }
    },
  }
}
