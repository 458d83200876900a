/**
 * Rooms whose committed ROOM.md was deleted while they still have tasks, schedules or messages: they wait, because their
 * settings may have been stricter than the defaults. History is read once a room, when one without a file appears.
 */
import type { Problem } from '../../domain/home/problem.ts'
import type { Snapshot } from '../../domain/plan/snapshot.ts'
import type { Git } from '../../ports/git-port.ts'

export interface LostRooms {
  withProblems(snapshot: Snapshot): Promise<Snapshot>
}

type Used = Pick<Snapshot, 'rooms' | 'open' | 'schedules' | 'inbox'>

export function openLostRooms(git: Pick<Git, 'everHad'>): LostRooms {
  /** Whether history has the missing file of a room. */
  const known = new Map<string, boolean>()
  let seen: Used | null = null
  let lost: readonly string[] = []

  async function find(snapshot: Snapshot): Promise<readonly string[]> {
    const { rooms } = snapshot
    for (const room of rooms.keys()) known.delete(room)
    const used = [snapshot.open, snapshot.schedules, snapshot.inbox].flatMap((files) =>
      [...(files?.values() ?? [])].map(({ room }) => room),
    )
    const bare = [...new Set(used)].filter((room) => !rooms.has(room))
    const news = bare.filter((room) => !known.has(room))
    const had = news.length === 0 ? new Set<string>() : await git.everHad(news.map(fileOf))
    for (const room of news) known.set(room, had.has(fileOf(room)))
    return bare.filter((room) => known.get(room)).map(fileOf)
  }

  return {
    async withProblems(snapshot) {
      if (seen === null || !isLike(seen, snapshot)) lost = await find(snapshot)
      seen = snapshot
      const news = lost.filter((path) => !snapshot.invalid.has(path))
      if (news.length === 0) return snapshot
      return {
        ...snapshot,
        invalid: new Set([...snapshot.invalid, ...news]),
        problems: [...snapshot.problems, ...news.map(problemOf)],
      }
    },
  }
}

function isLike(a: Used, b: Used): boolean {
  return a.rooms === b.rooms && a.open === b.open && a.schedules === b.schedules && a.inbox === b.inbox
}

function fileOf(room: string): string {
  return `rooms/${room}/ROOM.md`
}

function problemOf(file: string): Problem {
  return {
    file,
    line: null,
    column: null,
    severity: 'error',
    code: 'lost',
    message: 'file deleted, with the settings of this room; nothing starts in it until the file is back',
    hint: `Write it again or restore it; git log -1 -- ${file} shows the commit that deleted it`,
  }
}
