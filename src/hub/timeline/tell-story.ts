/**
 * The story of a task, in the order of time: who made it, what was changed, each attempt, each request. Pure. Invariant 1:
 * an attempt whose session file is gone comes from the commits that name it.
 */
import type { StoryAttempt, StoryItem } from '../views/detail-shapes.ts'
import type { TaskView } from '../views/shapes.ts'

/** A commit of the home about the task, as `audit.timeline` gives it. */
export interface StoryCommit {
  readonly at: string
  readonly kind: string
  readonly actor: string
  readonly name: string | null
  readonly sessionId: string | null
  readonly says: string
  readonly commit: string | null
}

interface Sources {
  readonly task: TaskView
  /** Oldest first. */
  readonly commits: readonly StoryCommit[]
  /** Those that have a file, oldest first. */
  readonly attempts: readonly Omit<StoryAttempt, 'commits'>[]
  readonly requests: readonly StoryRequest[]
}

type Request = NonNullable<StoryItem['request']>
interface StoryRequest {
  readonly createdAt: string | null
  readonly view: Request
}

export function tellStory({ task, commits, attempts, requests }: Sources): readonly StoryItem[] {
  const bySession = groupBySession(commits)
  const known = new Set(attempts.map(({ sessionId }) => sessionId))
  const lost = [...bySession].filter(([session]) => !known.has(session)).map(lostAttempt)
  const told = [...attempts, ...lost].toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : 1))
  const others = commits.filter(
    ({ kind, sessionId }) =>
      sessionId === null && !BEGINS.has(kind) && !(requests.length > 0 && ASKS.has(kind)),
  )
  const items = [
    ...others.map(changeOf),
    ...told.map((attempt, index) => attemptItem(attempt, { index, commits: bySession })),
    ...requests.map(requestItem),
  ]
  return [...created(task, commits), ...items.toSorted((a, b) => compare(a.at, b.at))]
}

/** Commits that take the file in; the story begins with its author instead. */
const BEGINS: ReadonlySet<string> = new Set(['adopt', 'create'])
/** Commits about a request, which is one item of the story. */
const ASKS: ReadonlySet<string> = new Set([
  'ask',
  'ask-changed',
  'approve',
  'deny',
  'answer',
  'withdraw',
  'close-ask',
  'decide-ask',
])

const NOTHING = { event: null, commit: null, name: null, attempt: null, request: null } as const

function created({ createdAt, createdBy }: TaskView, commits: readonly StoryCommit[]): readonly StoryItem[] {
  if (createdAt === null) return []
  const made = commits.find(({ kind }) => BEGINS.has(kind))
  const name = createdBy === 'human' && made?.actor === 'human' ? made.name : null
  const commit = made?.commit ?? null
  return [{ ...NOTHING, kind: 'created', at: createdAt, by: createdBy ?? 'human', name, says: '', commit }]
}

function groupBySession(commits: readonly StoryCommit[]): Map<string, StoryCommit[]> {
  const groups = new Map<string, StoryCommit[]>()
  for (const commit of commits) {
    if (commit.sessionId === null) continue
    const group = groups.get(commit.sessionId)
    if (group === undefined) groups.set(commit.sessionId, [commit])
    else group.push(commit)
  }
  return groups
}

/** As far as the commits tell. */
function lostAttempt([sessionId, commits]: [string, readonly StoryCommit[]]): Omit<StoryAttempt, 'commits'> {
  const last = commits.findLast(({ kind }) => kind in ENDS)
  return {
    sessionId,
    isKept: false,
    number: null,
    worker: null,
    model: null,
    status: ENDS[last?.kind ?? ''] ?? null,
    startedAt: commits[0]?.at ?? '',
    endedAt: last?.at ?? null,
    turns: 0,
    branch: null,
    cost: null,
    result: null,
    error: null,
    checks: [],
  }
}

const ENDS: Readonly<Record<string, StoryAttempt['status']>> = {
  complete: 'completed',
  review: 'completed',
  fail: 'failed',
  stop: 'stopped',
}

function attemptItem(
  attempt: Omit<StoryAttempt, 'commits'>,
  { index, commits }: { readonly index: number; readonly commits: ReadonlyMap<string, StoryCommit[]> },
): StoryItem {
  const own = (commits.get(attempt.sessionId) ?? []).filter(({ kind }) => !ASKS.has(kind))
  const told = own.map(({ at, kind, actor, name, says, commit }) => ({
    at,
    event: kind,
    by: actor,
    name,
    says: plain(says),
    commit,
  }))
  const by = `session:${attempt.sessionId}`
  const number = attempt.number ?? index + 1
  return {
    ...NOTHING,
    kind: 'attempt',
    at: attempt.startedAt,
    by,
    says: '',
    attempt: { ...attempt, number, commits: told },
  }
}

function changeOf({ at, kind, actor, name, says, commit }: StoryCommit): StoryItem {
  return { ...NOTHING, kind: 'change', at, by: actor, name, event: kind, says: plain(says), commit }
}

/** Without the room, which all of them have. */
function plain(subject: string): string {
  return subject.replace(/^neo(?:\([^)]*\))?: /, '')
}

function requestItem({ createdAt, view }: StoryRequest): StoryItem {
  const { sessionId, reason, decidedAt } = view
  const by = sessionId === null ? 'neo' : `session:${sessionId}`
  return { ...NOTHING, kind: 'request', at: createdAt ?? decidedAt ?? '', by, says: reason, request: view }
}

function compare(a: string, b: string): number {
  const [x, y] = [Date.parse(a), Date.parse(b)]
  return Number.isNaN(x) || Number.isNaN(y) ? 0 : x - y
}
