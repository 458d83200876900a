/**
 * The events that git holds: commits of the home, by their trailers and by the paths that they change. Git knows whole
 * seconds. Invariant 1: a commit is at the end of its second, after what led to it there; but the one that starts a
 * session is just before the session's first line. Invariant 2: commits of one second keep git's order, on every
 * page.
 */

import { NEO } from '../../engine/context.ts'
import { isoSecond } from '../../files/values/times.ts'
import type { Git } from '../../ports/git-port.ts'
import type { LogEntry } from '../../ports/worktree-port.ts'
import {
  AUDITED,
  isWanted,
  type Newest,
  rankOf,
  type TimelineEvent,
  type Wanted,
  wantsMoreThan,
} from './event.ts'

export interface CommitPlaces {
  readonly git: Pick<Git, 'log'>
  /** Ids of members: they are authors by their id. */
  readonly members: ReadonlySet<string>
  /** When a session's first line was written; null if unknown. */
  readonly beginOf: (session: string, room: string | null) => number | null
}

const LEAST_PART = 200
/** Who has done nothing in so many commits is not looked for further. */
const MOST_PARTS = 20
const SECOND = 1_000
/** That one question of git names. */
const MOST_TASKS = 200
/** Between commits of one second. */
const STEP = 0.001

export async function fromCommits(
  places: CommitPlaces,
  wanted: Wanted,
  { newest, most }: { readonly newest: Newest; readonly most: number },
): Promise<void> {
  if (!wantsAll(wanted) && handedOver(wanted).length === 0) return
  const limit = Math.max(LEAST_PART, 2 * most)
  const seen = new Set<string>()
  let until = lastSecond(wanted)
  let found = 0
  for (let part = 0; part < MOST_PARTS && found < most; part++) {
    const { commits, more } = await commitsOf(places.git, wanted, { until, limit })
    const fresh = commits.filter(({ commit }) => !seen.has(commit))
    for (const { commit } of fresh) seen.add(commit)
    found += put(places, { wanted, newest, commits, fresh: new Set(fresh) })
    const oldest = commits.at(-1)
    if (oldest === undefined || more === 'no' || fresh.length === 0) return
    until = secondOf(oldest)
  }
}

/** Commits of any kind; otherwise those of tasks that were handed over. */
function wantsAll(wanted: Wanted): boolean {
  return wantsMoreThan(wanted, [...AUDITED, 'transcript'])
}

/** Newest last. */
function handedOver({ kinds, agent, handedOver: tasks }: Wanted): readonly string[] {
  if (kinds !== null && !kinds.has('peer')) return []
  const ids = [...tasks].flatMap(([id, doer]) => (agent === null || doer === agent ? id : []))
  return ids.slice(-MOST_TASKS)
}

/** Seconds since the epoch; the whole second of the cursor, so that its commits are numbered as before. */
function lastSecond({ before, until }: Wanted): number | null {
  const ends = [...(before === null ? [] : [before[0] + SECOND]), ...(until === null ? [] : [until])]
  return ends.length === 0 ? null : Math.floor(Math.min(...ends) / SECOND)
}

function secondOf({ committed }: LogEntry): number {
  return Math.floor(Date.parse(committed) / SECOND)
}

interface Part {
  readonly until: number | null
  readonly limit: number
}

/** Newest first. The user's own commits carry no trailers: they are found by their paths. */
async function commitsOf(
  git: CommitPlaces['git'],
  wanted: Wanted,
  { until, limit }: Part,
): Promise<{ readonly commits: readonly LogEntry[]; readonly more: 'yes' | 'no' }> {
  const span = {
    limit,
    ...(wanted.since === null ? {} : { since: isoSecond(wanted.since) }),
    ...(until === null ? {} : { until: isoSecond(until * SECOND) }),
  }
  const lists: (readonly LogEntry[])[] = []
  for (const grep of trailersOf(wanted)) lists.push(await git.log({ ...span, grep }))
  const paths = pathsOf(wanted)
  if (paths.length > 0) lists.push(await git.log({ ...span, paths }))
  if (lists.length === 0) lists.push(await git.log(span))
  const all = [...new Map(lists.flat().map((entry) => [entry.commit, entry])).values()]
  const sorted = all.toSorted((a, b) => secondOf(b) - secondOf(a))
  // Beyond the end of one list, the others' older commits are not all known.
  const full = lists.filter((list) => list.length === limit).map((list) => list.at(-1))
  const known = Math.max(...full.map((last) => (last === undefined ? 0 : secondOf(last))), 0)
  const commits = sorted.filter((entry) => secondOf(entry) >= known)
  return { commits, more: full.length > 0 ? 'yes' : 'no' }
}

function trailersOf(wanted: Wanted): readonly string[] {
  const { room, task, session } = wanted
  if (session !== null) return [`^Neo-Session: ${quoted(session)}$`]
  if (task !== null) return [`^Neo-Task: (${[...task.names].map(quoted).join('|')})$`]
  if (!wantsAll(wanted)) return [`^Neo-Task: (${handedOver(wanted).map(quoted).join('|')})$`]
  return room === null ? [] : [`^Neo-Room: ${quoted(room)}$`]
}

function pathsOf(wanted: Wanted): readonly string[] {
  const { room, task, session } = wanted
  if (session !== null) return []
  if (task !== null) return task.path === null ? [] : [task.path]
  if (!wantsAll(wanted)) return []
  return room === null ? [] : [`rooms/${room}`]
}

function quoted(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

interface Put {
  readonly wanted: Wanted
  readonly newest: Newest
  /** Newest first, the newest second whole. */
  readonly commits: readonly LogEntry[]
  readonly fresh: ReadonlySet<LogEntry>
}

/** Gives how many are wanted. */
function put(places: CommitPlaces, { wanted, newest, commits, fresh }: Put): number {
  let [second, above, found] = [Number.NaN, 0, 0]
  for (const entry of commits) {
    const own = secondOf(entry)
    const end = own === second ? above - STEP : (own + 1) * SECOND - STEP
    const at = Math.min(end, startOf(places, entry) ?? end)
    second = own
    above = at
    const event = eventOf(places, entry, wanted)
    const key = [at, rankOf('git'), entry.commit, 0] as const
    if (!fresh.has(entry) || !isWanted(wanted, event, key)) continue
    newest.add({ key, event })
    found++
  }
  return found
}

/** Just before the first line of the session that this commit starts, if that is in the same second. */
function startOf({ beginOf }: CommitPlaces, { trailers, committed }: LogEntry): number | null {
  const session = only(trailers['Neo-Session'])
  if (only(trailers['Neo-Event']) !== 'start' || session === null) return null
  const begin = beginOf(session, only(trailers['Neo-Room']))
  const own = Math.floor(Date.parse(committed) / SECOND)
  return begin !== null && Math.floor(begin / SECOND) === own ? begin - STEP : null
}

function eventOf({ members }: CommitPlaces, entry: LogEntry, wanted: Wanted): TimelineEvent {
  const { trailers, author, subject } = entry
  const task = taskIn(entry, wanted)
  const actor = author === NEO.name ? 'neo' : members.has(author) ? `member:${author}` : 'human'
  return {
    at: new Date(entry.committed).toISOString(),
    source: 'git',
    kind: only(trailers['Neo-Event']) ?? 'commit',
    actor,
    name: author,
    room: about(trailers['Neo-Room'], roomIn(wanted)),
    task,
    session: about(trailers['Neo-Session'], wanted.session),
    agent: wanted.handedOver.get(task ?? '') ?? null,
    says: subject,
    decision: null,
    file: null,
    line: null,
    commit: entry.commit,
  }
}

/** Null if a commit names several. */
function only(values: readonly string[] | undefined): string | null {
  return values?.length === 1 ? (values[0] ?? null) : null
}

/** What a commit is about: the one that it names; if it names many or none, the one that the query is about. */
function about(values: readonly string[] | undefined, asked: string | null): string | null {
  if (values === undefined || (asked !== null && values.includes(asked))) return asked
  return only(values)
}

/** Whatever is found for a task is about it, unless it names others. */
function taskIn({ trailers }: LogEntry, { task }: Wanted): string | null {
  const named = trailers['Neo-Task']
  if (task === null) return only(named)
  if (named === undefined) return [...task.names][0] ?? null
  return named.find((id) => task.names.has(id)) ?? only(named)
}

/** A commit without trailers that was found by paths is about them. */
function roomIn({ room, task }: Wanted): string | null {
  return room ?? (task?.path === undefined || task.path === null ? null : (task.path.split('/')[1] ?? null))
}
