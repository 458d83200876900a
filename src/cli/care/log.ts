/**
 * `neo log`: the timeline of a task, a room or the home, from git's history and from transcripts, by time.
 * Takes a subject; prints one line for each commit and each entry. Leaves to git: what is true.
 */
import { NeoError } from '../../core/model/error.ts'
import type { LogEntry } from '../../ports.ts'
import { countOption } from '../duration-option.ts'
import type { Cell } from '../output.ts'
import { entriesOf, saysOf } from '../session/transcript.ts'
import type { Call } from '../spec.ts'
import { openDesk } from '../task/open.ts'
import { roomNames } from '../task/paths.ts'
import { dateText } from '../time.ts'
import { type Opened, withWorld } from '../with-world.ts'

const DEFAULT_LIMIT = 50

interface Line {
  readonly at: string
  readonly source: 'git' | 'transcript'
  readonly who: string
  readonly what: string
  /** Commit or session. */
  readonly ref: string
  readonly room: string | null
  readonly task: string | null
}

interface Subject {
  /** Extended regular expression over messages. */
  readonly grep: string | null
  readonly paths: readonly string[]
}

export function log(call: Call): Promise<number> {
  return withWorld(call, async (opened) => {
    const limit = countOption(call, 'limit') ?? DEFAULT_LIMIT
    const commits = await commitsOf(opened, await subjectOf(call), limit)
    const said = call.isSet('commits') ? [] : fromTranscripts(opened, commits)
    const all = [...commits.map(fromCommit), ...said].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
    const lines = all.slice(-limit)
    call.out.data('log', lines)
    call.out.table(lines.map(row), 3)
    if (lines.length === 0) call.out.note('There is no history of it yet.')
    return 0
  })
}

/** A room's name goes before a task's. */
async function subjectOf(call: Call): Promise<Subject> {
  const [typed] = call.args
  if (typed === undefined) return { grep: null, paths: [] }
  const desk = await openDesk(call)
  if (roomNames(desk.home, desk.files).includes(typed))
    return { grep: `^Neo-Room: ${quoted(typed)}$`, paths: [`rooms/${typed}`] }
  if (/^t-[a-z0-9]+$/.test(typed)) return { grep: `^Neo-Task: ${typed}$`, paths: [] }
  const path = await desk.find(typed).catch((error: unknown) => {
    if (error instanceof NeoError && error.code === 'missing')
      throw new NeoError(
        'missing',
        `Cannot show the history of "${typed}": neither a task nor a room has this name`,
        { next: 'neo room list, or neo task list' },
      )
    throw error
  })
  const { neo } = desk.read(path)
  return { grep: neo.id === undefined ? null : `^Neo-Task: ${quoted(neo.id)}$`, paths: [path] }
}

function quoted(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** By trailers and by paths: a person's own commits carry no trailers. Newest first. */
async function commitsOf(
  { world }: Opened,
  { grep, paths }: Subject,
  limit: number,
): Promise<readonly LogEntry[]> {
  const { git } = world
  if (grep === null && paths.length === 0) return git.log({ limit })
  const found = [
    ...(grep === null ? [] : await git.log({ grep, limit })),
    ...(paths.length === 0 ? [] : await git.log({ paths, limit })),
  ]
  return [...new Map(found.map((entry) => [entry.commit, entry])).values()]
}

function fromCommit({ commit, at, author, subject, trailers }: LogEntry): Line {
  return {
    at,
    source: 'git',
    who: author,
    what: subject,
    ref: commit.slice(0, 10),
    room: trailers['Neo-Room'] ?? null,
    task: trailers['Neo-Task'] ?? null,
  }
}

/** What the sessions that these commits name said of themselves. */
function fromTranscripts(opened: Opened, commits: readonly LogEntry[]): readonly Line[] {
  const sessions = new Map<string, string>()
  for (const { trailers } of commits) {
    const [id, room] = [trailers['Neo-Session'], trailers['Neo-Room']]
    if (id !== undefined && room !== undefined && /^[\w-]+$/.test(id)) sessions.set(id, room)
  }
  return [...sessions].flatMap(([id, room]) =>
    entriesOf(opened, { id, room }).map(
      (entry): Line => ({
        at: entry.ts,
        source: 'transcript',
        who: 'session',
        what: `${entry.type} ${saysOf(entry)}`.trim(),
        ref: id,
        room,
        task: entry.task ?? null,
      }),
    ),
  )
}

function row({ at, source, who, what, ref }: Line): Cell[] {
  return [
    { text: dateText(at), style: 'dim' },
    { text: ref, style: source === 'git' ? 'yellow' : 'blue' },
    { text: who, style: 'dim' },
    source === 'git' ? what : { text: what, style: 'dim' },
  ]
}
