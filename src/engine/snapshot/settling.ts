/**
 * Settling: a file counts once it has been quiet, so that autosave does not start half a script. A missing file counts as
 * deleted once it has been missing for the settling time and one more scan.
 */
import { fileProblem, type Problem } from '../../domain/home/problem.ts'

export interface Settling {
  /** A file with new content was seen. True once it has been quiet long enough. */
  seen(path: string, hash: string, times: { readonly mtimeMs: number; readonly now: number }): boolean
  /** A full scan did not find a committed file. True once its deletion counts. */
  missing(path: string, now: number): boolean
  /** The file is there and known. */
  clear(path: string): void
  /** Another branch was checked out: deletions start over. */
  forgetMissing(): void
  /** Paths to look at now, and when the next one is due. */
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
      // A modification time in the future (a clock jump, an archive) must not delay the file.
      const quietSince = known === undefined ? Math.min(mtimeMs, now) : now
      // Also if the clock went back since.
      const dueAt = known?.hash === hash ? Math.min(known.dueAt, now + settleMs()) : quietSince + settleMs()
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
      if (since === undefined || since > now) gone.set(path, now)
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
      const back = [...gone.values()].map((since) => since + settleMs())
      let next = Number.POSITIVE_INFINITY
      for (const at of back) next = Math.min(next, at)
      for (const { dueAt } of pending.values()) next = Math.min(next, dueAt)
      return {
        paths: [...pending].filter(([, { dueAt }]) => dueAt <= now).map(([path]) => path),
        rescan: back.some((at) => at <= now),
        wakeAt: Number.isFinite(next) ? next : null,
      }
    },
  }
}

/** An open fence means that somebody is writing; after this time it is shown. */
const WRITING_MS = 60_000

interface Written {
  readonly path: string
  readonly state: string
  readonly stat: { readonly mtimeMs: number }
  readonly why: string
}

export function unfinishedProblem({ path, state, stat, why }: Written, now: number): Problem[] {
  if (state !== 'unfinished' || now - stat.mtimeMs < WRITING_MS) return []
  return [
    fileProblem(path, 'warning', { code: 'fence', message: why, hint: 'Finish the file, or delete it' }),
  ]
}
