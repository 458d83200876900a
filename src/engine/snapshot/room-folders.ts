/**
 * Rooms without their own folder or ROOM.md. If it is missing on disk while its tasks are there, its last settings
 * count, else the tasks would run without any limit. If its deletion was committed, tasks, schedules and messages wait:
 * the settings may have been stricter than the defaults. History is read once a room. Symbolic links in place of folders
 * are never followed.
 */
import { isWantedFolder, kindOf, type Known } from '../../domain/home/home-paths.ts'
import { fileProblem, type Problem } from '../../domain/home/problem.ts'
import type { Snapshot } from '../../domain/plan/snapshot.ts'
import type { ScanEntry } from '../../ports/files-port.ts'
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
  return fileProblem(file, 'error', {
    code: 'lost',
    message: 'file deleted, with the settings of this room; nothing starts in it until the file is back',
    hint: `Write it again or restore it; git log -1 -- ${file} shows the commit that deleted it`,
  })
}

interface Kept {
  readonly known: Known
  readonly gone: boolean
  /** The last version that could be understood. */
  readonly good: object | null
}

export function awayRooms<T extends Kept>(
  entries: Iterable<T>,
  { tasks, rooms }: Pick<Snapshot, 'tasks' | 'rooms'>,
): T[] {
  const used = new Set([...tasks.values()].map(({ room }) => room))
  return [...entries].filter(
    ({ gone, known, good }) =>
      gone && good !== null && known.kind === 'room' && used.has(known.room) && !rooms.has(known.room),
  )
}

export function awayProblem(file: string): Problem {
  return fileProblem(file, 'warning', {
    code: 'away',
    message: 'file deleted but still committed; its last settings still apply',
    hint: `Restore it: git checkout -- ${file}`,
  })
}

/** Whether the path is one of a home's folders. */
export function isLinkedFolder(path: string): boolean {
  return isWantedFolder(path) && kindOf(path) === null && !isOwn(path)
}

/** Names that start with `_`, and files such as pictures beside tasks, are the user's own. */
function isOwn(path: string): boolean {
  return (
    /(?:^|\/)_/.test(path) || /^(?:[^/]+\/){3,}[^/]*\./.test(path) || path.startsWith('workspace/skills/')
  )
}

export function linksApart(found: readonly ScanEntry[]): {
  readonly links: readonly Problem[]
  readonly others: readonly ScanEntry[]
} {
  const isLink = ({ kind, path }: ScanEntry) => kind === 'link' && isLinkedFolder(path)
  const links = found.filter(isLink).map(({ path }) => linkProblem(path))
  return {
    links: links.toSorted((a, b) => (a.file < b.file ? -1 : 1)),
    others: links.length === 0 ? found : found.filter((one) => !isLink(one)),
  }
}

function linkProblem(path: string): Problem {
  const isRoom = /^rooms(?:\/[^/]+)?$/.test(path)
  return fileProblem(path, 'error', {
    code: 'link',
    message: 'Symbolic links are not followed, so Neo ignores what is in it',
    hint: `Replace the link with the folder itself${isRoom ? ', or set workspace: to another repository' : ''}`,
  })
}
