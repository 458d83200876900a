/**
 * Gathers what files can't say: sessions of this process, branches in review, what requests name now, and whether work
 * may start here.
 */
import { join } from 'node:path'
import type { Ask } from '../../domain/ask/ask.ts'
import type {
  BranchFact,
  Facts,
  PullFact,
  SessionFact,
  Snapshot,
  TaskFile,
} from '../../domain/plan/snapshot.ts'
import { openTasks, type StartFacts, unreadRoom } from '../../domain/task/readiness.ts'
import { settingsOf } from '../../domain/task/task-settings.ts'
import { dueAgain } from '../../domain/text/grown-wait.ts'
import type { Context } from '../context.ts'
import { isOwnTool, PUSH, subjectFor } from '../effects/ask-effects.ts'
import { placeOf, presentHash } from '../effects/approved-text.ts'
import { earlierOf } from '../effects/wake-orchestrator.ts'
import { shownHash } from '../effects/wants.ts'

export async function gatherFacts(context: Context, snapshot: Snapshot): Promise<Facts> {
  const agents = context.agents.facts(snapshot)
  const sessions = context.sessions.facts()
  return {
    ...startFacts(context, snapshot),
    ...(await reviews(context, snapshot)),
    ...agents,
    attempts: context.sessions.attempts,
    neo: {
      ...context.turns.facts(agents.agent.kind === 'ready'),
      told: new Set(context.scopes.tasks.all().keys()),
      earlier: new Map([...snapshot.inbox].map(([path, file]) => [path, earlierOf(context, file)])),
    },
    schedules: context.schedules.facts(),
    askHashes: await askHashes(context, snapshot, sessions),
  }
}

/** Whether anything may start now, without a look at git. */
export function startFacts(context: Context, snapshot: Snapshot): StartFacts {
  return {
    sessions: context.sessions.facts(),
    barred: context.world.files.read(join(context.dir, BARRIER), 4096).kind === 'file',
    elsewhere: elsewhere(context, snapshot),
    diskFull: diskFull(context, snapshot),
  }
}

/** The state of branches in review, and of their pull requests. */
async function reviews(context: Context, snapshot: Snapshot): Promise<Pick<Facts, 'branches' | 'pulls'>> {
  const branches = new Map<string, BranchFact>()
  const pulls = new Map<string, PullFact>()
  for (const file of openTasks(snapshot)) {
    const { branch, id, pr } = file.task.neo
    if (file.task.status !== 'review' || branch === undefined || id === undefined) continue
    if (unreadRoom(snapshot, file.room) !== null) continue
    const place = await placeOf(context, snapshot, file)
    if (place === null) continue
    branches.set(id, await context.world.git.branchState(place, branch))
    const room = snapshot.rooms.get(file.room)?.room ?? null
    if (settingsOf(file.task, room, snapshot.config).review !== 'pr') continue
    const pull = context.pulls.follow({ task: id, place, branch, known: pr !== undefined })
    if (pull !== undefined) pulls.set(id, pull)
  }
  context.pulls.forget(new Set(branches.keys()))
  return { branches, pulls }
}

/**
 * The hash of what each open request names now; another hash than the request's means that it has changed. It covers the
 * task, or what the session wants. Requests of the hub have none here: hub/rights/carry-out.ts checks them.
 */
async function askHashes(
  context: Context,
  snapshot: Snapshot,
  sessions: Facts['sessions'],
): Promise<Map<string, string>> {
  const hashes = new Map<string, string>()
  const byId = new Map<string, TaskFile>()
  const asks = [...snapshot.asks.values()]
  if (asks.length === 0) return hashes
  for (const file of snapshot.tasks.values())
    if (file.task.neo.id !== undefined) byId.set(file.task.neo.id, file)
  for (const { ask, path } of asks) {
    const hash =
      ask.session === undefined
        ? await taskHash(context, snapshot, { ask, file: byId.get(ask.task ?? '') })
        : sessionHash(ask, sessions.get(ask.session))
    // A copy of the file never counts for the request itself.
    if (hash !== null && (path.endsWith(`/asks/${ask.id}.md`) || !hashes.has(ask.id)))
      hashes.set(ask.id, hash)
  }
  return hashes
}

async function taskHash(
  context: Context,
  snapshot: Snapshot,
  { ask, file }: { readonly ask: Ask; readonly file: TaskFile | undefined },
): Promise<string | null> {
  const { tool } = ask.action
  if (file === undefined || !isOwnTool(tool) || !isLooked(ask, file)) return null
  return presentHash(ask, await subjectFor(context, snapshot, { file, tool }))
}

/** Null if the session doesn't wait for this request: then it is withdrawn. */
function sessionHash(ask: Ask, fact: SessionFact | undefined): string | null {
  const one = fact?.wants?.find(({ id }) => id === ask.id)
  return fact === undefined || one === undefined ? null : shownHash(ask, one, fact.record)
}

/** What was denied stays denied, except a push: another commit is another request. */
function isLooked({ action, handledAt, decision }: Ask, { task }: TaskFile): boolean {
  if (action.tool === PUSH) return task.status === 'review' && task.neo.pr === undefined
  return handledAt === undefined || decision === 'approved'
}

const BARRIER = 'barred'

/** `neo stop --all` prevents new starts until the next `neo watch` or `neo run`, which calls this. */
export function clearStartBarrier({ world, dir }: Context): void {
  world.files.removeTree(join(dir, BARRIER))
}

function elsewhere(context: Context, { config }: Snapshot): string | null {
  const { node } = config.daemon
  if (node === null) return context.node.elsewhere(config.syncMs)
  return node === context.host ? null : node
}

/** Measuring large worktrees at each look would be slow; once a minute is soon enough for a full disk. */
const MEASURE_EVERY_MS = 60_000
const measured = new WeakMap<Context, { readonly at: number; readonly bytes: number }>()

function diskFull(context: Context, snapshot: Snapshot): boolean {
  const now = context.world.clock.now()
  const last = measured.get(context)
  const fresh =
    last !== undefined && now < dueAgain(last.at, MEASURE_EVERY_MS, now)
      ? last
      : { at: now, bytes: worktreeBytes(context) }
  measured.set(context, fresh)
  return fresh.bytes > snapshot.config.daemon.diskLimitBytes
}

function worktreeBytes({ home, world }: Context): number {
  const root = join(home, '.neo', 'worktrees')
  if (world.files.names(root).length === 0) return 0
  return world.files.scan(root, () => true).reduce((sum, { size }) => sum + size, 0)
}
