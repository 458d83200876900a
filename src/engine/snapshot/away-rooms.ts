/**
 * Rooms whose ROOM.md is missing on disk while their tasks are there: its last settings count, else the tasks would run
 * without any limit.
 */
import type { Problem } from '../../domain/home/problem.ts'
import type { RoomFile, TaskFile } from '../../domain/plan/snapshot.ts'
import type { Known } from '../../domain/home/home-paths.ts'

interface Placed {
  readonly tasks: ReadonlyMap<string, TaskFile>
  readonly rooms: ReadonlyMap<string, RoomFile>
}

interface Kept {
  readonly known: Known
  readonly gone: boolean
  /** The last version that could be understood. */
  readonly good: object | null
}

export function awayRooms<T extends Kept>(entries: Iterable<T>, { tasks, rooms }: Placed): T[] {
  const used = new Set([...tasks.values()].map(({ room }) => room))
  return [...entries].filter(
    ({ gone, known, good }) =>
      gone && good !== null && known.kind === 'room' && used.has(known.room) && !rooms.has(known.room),
  )
}

export function awayProblem(file: string): Problem {
  return {
    file,
    line: null,
    column: null,
    severity: 'warning',
    code: 'away',
    message: 'file deleted but still committed; its last settings still apply',
    hint: `Restore it: git checkout -- ${file}`,
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
  const hint = 'Finish the file, or delete it'
  return [{ file: path, line: null, column: null, severity: 'warning', code: 'fence', message: why, hint }]
}
