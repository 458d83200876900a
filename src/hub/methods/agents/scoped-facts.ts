/**
 * What an agent of another home learns about a context: the tasks of its room, the memories about the question, the
 * commits and files of its workspace. Invariant 1: progress and blockers come from tasks, never from a model. Invariant 2:
 * each reference exists: a commit of the base branch, or a tracked file and a line of it, below what was asked about.
 * Invariant 3: nothing of conversations, and no path of this machine. Invariant 4: a file, or a commit with a file, that a
 * narrower rule hides is left out.
 */
import { counted } from '../../../domain/text/counted.ts'
import { matcherOf } from '../../../domain/memory/matched-words.ts'
import { mirrorFacts } from '../../../domain/peer/mirror.ts'
import type { Snapshot, TaskFile } from '../../../domain/plan/snapshot.ts'
import type { TaskStatus } from '../../../domain/task/task.ts'
import { mirrorContext } from '../../../memory/mirror-index.ts'
import { memoryOf } from '../../../memory/open-memory.ts'
import type { LogEntry } from '../../../ports/worktree-port.ts'
import type { HubEnv } from '../../env.ts'
import type { Reference } from '../../peer-control.ts'
import { below, frameOf, isBelow, isReadable, partOf, type PartAsked, short } from './scoped-files.ts'

export interface Asked extends Pick<PartAsked, 'query' | 'mayRead'> {
  readonly contexts: readonly Pick<PartAsked, 'asked' | 'own'>[]
  /** With facts for a model. */
  readonly isFull: boolean
}

export interface Facts {
  readonly summary: string
  readonly progress?: number
  readonly blockers: string[]
  readonly contextRefs: Reference[]
  /** Lines for a model that words the answer. */
  readonly facts: string[]
}

const MOST_TASKS = 50
const MOST_MEMORIES = 5
const MOST_BLOCKERS = 10

export async function factsAbout(env: HubEnv, snapshot: Snapshot, asked: Asked): Promise<Facts> {
  const parts = await Promise.all(
    asked.contexts.map((one) =>
      partOf(env.context, snapshot, { ...one, query: asked.query, mayRead: asked.mayRead }),
    ),
  )
  const contexts = asked.contexts.filter((_, at) => parts[at]?.isTracked === true)
  const tasks = tasksIn(snapshot, { contexts })
  const commits = parts.flatMap((part) => part.commits)
  const files = parts.flatMap((part) => part.files)
  const counted = tasks.filter(({ task }) => !NOT_COUNTED.has(task.status))
  const done = counted.filter(({ task }) => task.status === 'completed').length
  const blockers = tasks.flatMap(blockerOf)
  return {
    summary: inWords({ tasks: counted, done, blockers, commits, asked }),
    ...(counted.length === 0 ? {} : { progress: Math.round((100 * done) / counted.length) }),
    blockers: blockers.slice(0, MOST_BLOCKERS),
    contextRefs: [
      ...commits.map(({ commit, subject }) => ({ type: 'commit', ref: commit, summary: short(subject) })),
      ...files,
    ],
    facts: asked.isFull ? await factLines(env, snapshot, { asked, tasks, commits, files }) : [],
  }
}

interface Found {
  readonly asked: Asked
  readonly tasks: readonly TaskFile[]
  readonly commits: readonly LogEntry[]
  readonly files: readonly Reference[]
}

async function factLines(env: HubEnv, snapshot: Snapshot, found: Found): Promise<string[]> {
  const { asked, tasks, commits, files } = found
  const memories = await memoriesAbout(env, asked)
  return [
    ...tasks.slice(0, MOST_TASKS).map(({ task }) => `task [${task.status}] ${task.title}${said(task.neo)}`),
    ...commits.map(
      ({ commit, at, subject }) => `commit ${commit.slice(0, 10)} ${at.slice(0, 10)} ${subject}`,
    ),
    ...memories.map((text) => `memory ${text}`),
    ...files.map(({ ref, summary = '' }) => `file ${ref} ${summary}`),
    ...asked.contexts.flatMap((one) => mirrored(env, snapshot, { ...one, mayRead: asked.mayRead })),
  ].map(short)
}

/** What its owner works on now, if the mirror is on: never what they have said. */
function mirrored(
  env: HubEnv,
  { config }: Snapshot,
  { asked, own, mayRead }: Asked['contexts'][number] & Pick<Asked, 'mayRead'>,
): readonly string[] {
  const mirror = config.agent?.mirror
  if (mirror?.enabled !== true || asked.type === 'issue') return []
  const part = below(asked, frameOf(own))
  const isIn = (file: string) => isBelow(file, part) && isReadable(mayRead, own, file)
  const isWhole = below(asked, own) === ''
  return mirrorFacts(mirrorContext(env.context, own.room, mirror.indexIntervalMs), { isIn, isWhole })
}

const NOT_COUNTED: ReadonlySet<TaskStatus> = new Set<TaskStatus>(['draft', 'cancelled'])

function said({ result, error }: TaskFile['task']['neo']): string {
  return result === undefined ? (error === undefined ? '' : `: ${error}`) : `: ${result}`
}

/** All tasks of a room if its whole context was asked about; else those that name the issue, or the folder or file in git. */
function tasksIn(snapshot: Snapshot, { contexts }: Pick<Asked, 'contexts'>): readonly TaskFile[] {
  const all = [...snapshot.tasks.values()]
  return all.filter(({ room, task }) =>
    contexts.some(({ asked, own }) => {
      if (own.room !== room) return false
      const part = below(asked, own)
      return part === '' || names(`${task.title}\n${task.body}`, part)
    }),
  )
}

/** As a whole word: `src/a.ts` is not in `src/a.tsx`, `#1` is not in `#12`. */
function names(text: string, part: string): boolean {
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) {
    const [before, after] = [text[at - 1] ?? ' ', text[at + part.length] ?? ' ']
    if (!/[\w/-]/.test(before) && !/[\w/-]/.test(after)) return true
  }
  return false
}

function blockerOf({ task }: TaskFile): readonly string[] {
  const { status, title, neo } = task
  if (status === 'blocked' || status === 'failed') return [short(`${title}: ${neo.error ?? status}`)]
  return status === 'review' ? [short(`${title}: waits for review`)] : []
}

async function memoriesAbout(env: HubEnv, { query, contexts }: Asked): Promise<readonly string[]> {
  const whole = contexts.filter(({ asked, own }) => below(asked, own) === '')
  if (whole.length === 0) return []
  const parts = [...new Set(whole.map(({ own }) => own.room))]
  const found = await env.aside(() =>
    memoryOf(env.context).search({
      query,
      types: ['preference', 'pattern', 'note', 'task_result'],
      parts,
      limit: MOST_MEMORIES,
    }),
  )
  // What people said in chats stays there.
  return found.hits.filter(({ passage }) => passage.kind === 'memory').map(({ snippet }) => short(snippet))
}

interface Counted {
  readonly tasks: readonly TaskFile[]
  readonly done: number
  readonly blockers: readonly string[]
  readonly commits: readonly LogEntry[]
  readonly asked: Asked
}

/** The answer without a model: counts, what the question names, what is in the way, the last commit. */
function inWords({ tasks, done, blockers, commits, asked }: Counted): string {
  const [last] = commits
  const matched = matcherOf(asked.query)
  const about = tasks.filter(({ task }) => matched(task.title).length > 0).slice(0, 3)
  const running = tasks.filter(({ task }) => task.status === 'in_progress').slice(0, 3)
  const sentences = [
    tasks.length === 0 ? 'There are no tasks.' : `Completed: ${done} of ${counted(tasks.length, 'task')}.`,
    ...(running.length === 0 ? [] : [`In progress: ${titles(running)}.`]),
    ...about.map(
      ({ task }) => `"${task.title}" is ${STATUS_WORDS[task.status] ?? task.status}${said(task.neo)}.`,
    ),
    ...(blockers.length === 0 ? [] : [`Blocked: ${blockers.slice(0, 3).join('; ')}.`]),
    last === undefined
      ? 'There are no commits.'
      : `Last commit, ${last.at.slice(0, 10)}: ${short(last.subject)}.`,
  ]
  return sentences.map(short).join(' ')
}

const STATUS_WORDS: Partial<Record<TaskStatus, string>> = { in_progress: 'in progress', review: 'in review' }

function titles(files: readonly TaskFile[]): string {
  return files.map(({ task }) => `"${task.title}"`).join(', ')
}
