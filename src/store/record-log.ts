/**
 * Records with an id in a durable log: the newest version of each counts. Invariants: 1. at most about `most` are kept; the
 * oldest that have ended go first; 2. what another process has written counts too: commands write beside a daemon.
 */
import { finish, KeyedLog, type LogFiles, type LogFormat } from './keyed-log.ts'

export interface RecordLog<T> {
  get(id: string): T | null
  /** In the order in which they came first. */
  all(): readonly T[]
  /** Throws NeoError `disk` if it can't be saved; then nothing has changed. `later`: it is on the disk with the next write. */
  set(record: T, sync?: 'later'): void
  remove(id: string): void
}

type Line<T> = { readonly op: 'set'; readonly of: T } | { readonly op: 'gone'; readonly id: string }

const COMPACT_BYTES = 4 * 1024 * 1024
/** Not pruned at every write. */
const SLACK = 1.2

/** Opens it or begins one. Throws NeoError `disk` if it exists and can't be read. */
export function openRecords<T extends { readonly id: string }>(
  files: LogFiles,
  path: string,
  { most, hasEnded }: { readonly most: number; hasEnded(record: T): boolean },
): RecordLog<T> {
  const limits = { keptKeys: 0, compactBytes: COMPACT_BYTES }
  const read = () => new KeyedLog(files, path, { format: formatOf<T>(), ...limits })
  let last = read()
  // Invariant 2.
  const log = () => {
    if ((files.stat(path)?.size ?? 0) !== last.bytes) last = read()
    return last
  }
  const prune = (): void => {
    const ended = [...log().open.values()].filter(hasEnded)
    for (const { id } of ended.slice(0, Math.max(0, ended.length - most)))
      log().write({ op: 'gone', id }, 'later')
  }
  return {
    get: (id) => log().open.get(id) ?? null,
    all: () => [...log().open.values()],
    set(record, sync) {
      log().write({ op: 'set', of: record }, sync ?? 'now')
      if (last.open.size > most * SLACK) prune()
    },
    remove(id) {
      if (log().open.has(id)) log().write({ op: 'gone', id }, 'later')
    },
  }
}

function formatOf<T extends { readonly id: string }>(): LogFormat<Line<T>, T> {
  return {
    read: (value) => {
      const { op, of, id } = (value ?? {}) as { op?: unknown; of?: { id?: unknown }; id?: unknown }
      if (op === 'set' && typeof of?.id === 'string') return value as Line<T>
      return op === 'gone' && typeof id === 'string' ? { op, id } : null
    },
    apply: (state, line) => {
      if (line.op === 'set') state.open.set(line.of.id, line.of)
      else {
        finish(state, line.id)
        state.finished.delete(line.id)
      }
    },
    lines: ({ open }) => [...open.values()].map((of) => ({ op: 'set', of })),
  }
}
