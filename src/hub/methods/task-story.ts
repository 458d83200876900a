/**
 * task.story: what happened to a task, from git, session files, transcripts and requests. It needs no daemon, and tells a
 * task of last month as one of today.
 */
import { z } from 'zod'
import type { TaskFile } from '../../domain/plan/snapshot.ts'
import { workspaceCommits } from '../timeline/task-commits.ts'
import { tellStory } from '../timeline/tell-story.ts'
import { type Actor, type HubEnv, look, method } from '../env.ts'
import { type SessionAt, sessionsOf, taskOf } from '../views/find-in-home.ts'
import { type StoryAttempt, storyItem } from '../views/detail-shapes.ts'
import { limit, taskId } from '../views/shapes.ts'
import { viewAsk, viewCost, viewSession, viewTask } from '../views/views.ts'
import { auditTimeline } from './audit-methods.ts'
import { lastEntries } from './session-transcript.ts'

export const taskStory = method({
  name: 'task.story',
  summary: 'Tell what happened to a task',
  details:
    'Oldest first: who made it, what was changed, each attempt with its checks, result and cost, each request with its decision. `session.transcript` has all that an attempt did.',
  params: z.strictObject({ taskId, limit: limit(1_000, 200) }),
  result: z.strictObject({
    items: z.array(storyItem),
    cut: z.boolean().describe('There are older ones'),
  }),
  act: 'see',
  resource: async (env, { taskId }) => ({ room: taskOf(await look(env), taskId).room }),
  run: async (env, { taskId, limit: most }, actor) => {
    const snapshot = await look(env)
    const file = taskOf(snapshot, taskId)
    const own = await commitsOf(env, { id: taskId, most }, actor)
    const work = await workspaceCommits({ env, snapshot, file }, most * COMMITS_AN_ITEM)
    const asks = [...snapshot.asks.values()].filter(({ ask }) => isAbout(file, ask.task))
    const items = tellStory({
      task: viewTask(file),
      commits: [...own, ...work],
      attempts: attemptsOf(env, file),
      requests: asks.map((ask) => ({ createdAt: ask.ask.createdAt ?? null, view: viewAsk(ask) })),
    })
    return {
      items: items.slice(-most),
      cut: items.length > most || own.length === most * COMMITS_AN_ITEM,
    }
  },
})

function isAbout({ task }: TaskFile, id: string | undefined): boolean {
  return id !== undefined && task.neo.id === id
}

/** Several commits are about one attempt. */
const COMMITS_AN_ITEM = 4

async function commitsOf(env: HubEnv, { id, most }: { id: string; most: number }, actor: Actor) {
  const asked = auditTimeline.params.parse({ taskId: id, kinds: ['git'], limit: 1_000 })
  const wanted = { ...asked, limit: most * COMMITS_AN_ITEM }
  return (await auditTimeline.run(env, wanted, actor)).events
}

/** Of more, checks are not read. */
const MOST_WITH_CHECKS = 20

function attemptsOf(env: HubEnv, { room, task }: TaskFile): readonly Omit<StoryAttempt, 'commits'>[] {
  const { id } = task.neo
  const own = id === undefined ? [] : sessionsOf(env, room).filter((session) => session.task === id)
  return own.map((session, index) => attemptOf(env, session, index < MOST_WITH_CHECKS)).toReversed()
}

function attemptOf(env: HubEnv, session: SessionAt, withChecks: boolean): Omit<StoryAttempt, 'commits'> {
  const fact = env.context.sessions.facts().get(session.id)
  const { id, worker, model, status, startedAt, endedAt, turns, branch, summary } = viewSession(session, fact)
  const number = fact?.record.attempt ?? Number(/^Attempt (\d+) of /m.exec(summary)?.[1] ?? Number.NaN)
  return {
    sessionId: id,
    isKept: true,
    number: Number.isNaN(number) ? null : number,
    worker,
    model,
    status,
    startedAt,
    endedAt,
    turns,
    branch: branch === '' ? null : branch,
    cost: viewCost(env.usage.ofSession(id)),
    result: sectionOf(summary, ['Result']),
    error: unfenced(sectionOf(summary, ['Error', 'Waits', 'Interrupted']) ?? stopOf(summary)),
    checks: withChecks ? checksOf(env, session) : [],
  }
}

/** Under one of these headings, up to the next that Neo writes. */
function sectionOf(body: string, names: readonly string[]): string | null {
  const found = new RegExp(
    `^## (?:${names.join('|')})\\n\\n([\\s\\S]*?)(?=^## Checks$|(?![\\s\\S]))`,
    'm',
  ).exec(body)
  const text = found?.[1]?.trim() ?? ''
  return text === '' ? null : text
}

function stopOf(body: string): string | null {
  return /^Stopped: (.+)$/m.exec(body)?.[0] ?? null
}

function unfenced(text: string | null): string | null {
  return text === null ? null : text.replace(/^`{3,}\n([\s\S]*?)\n`{3,}$/, '$1')
}

/** Checks come at the end of an attempt. */
const LAST_ENTRIES = 100

/** The last run of each check: an agent may have several rounds. */
function checksOf(env: HubEnv, session: SessionAt): StoryAttempt['checks'] {
  const found = new Map<string, StoryAttempt['checks'][number]>()
  const commands = new Map<unknown, string>()
  for (const entry of lastEntries(env, session, LAST_ENTRIES)) {
    if (entry.type === 'tool_call') commands.set(entry['call'], String(entry['command'] ?? entry['name']))
    if (entry.type !== 'verify') continue
    const command = commands.get(entry['call']) ?? String(entry['call'])
    found.delete(command)
    found.set(command, checkOf(command, entry))
  }
  return [...found.values()]
}

function checkOf(command: string, entry: Readonly<Record<string, unknown>>): StoryAttempt['checks'][number] {
  const { is_error: isError, exit_code: code, ended, ms, output } = entry
  const how = typeof code === 'number' ? `exit ${code}` : String(ended)
  return {
    command,
    isPassed: isError !== true,
    ended: isError === true ? how : '',
    ms: typeof ms === 'number' ? ms : null,
    output: typeof output === 'string' ? output : '',
  }
}
