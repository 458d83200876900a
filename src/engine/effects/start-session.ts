/**
 * Starting a session for a task, assigning a task to a human, and taking either back. Invariants: 1. the session's record
 * is durable before the task file names it; 2. the runner starts after the commit, on the committed text.
 */
import { join } from 'node:path'
import { counted } from '../../domain/text/counted.ts'
import type { DecisionOf } from '../../domain/plan/decision.ts'
import type { RoomFile, Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import type { Place, SessionRecord } from '../../domain/session/session.ts'
import { slugOf } from '../../domain/task/slug.ts'
import { workerText } from '../../domain/task/task.ts'
import { type Settings, settingsOf } from '../../domain/task/task-settings.ts'
import { languagesIn, stepsOf } from '../../files/body/runbook.ts'
import { isoSecond } from '../../files/values/times.ts'
import { type IdleSession, openIdleSessions } from '../agents/idle-sessions.ts'
import { peerBrief } from '../agents/peer-work.ts'
import type { Transacted } from '../commit/transact.ts'
import type { Context } from '../context.ts'
import { approval } from './ask-effects.ts'
import { briefOf, reachOf } from './brief.ts'
import { sessionAtStart } from './session-file.ts'
import { type Draft, draftTask, writeTask } from './task-write.ts'

export async function startSession(
  context: Context,
  snapshot: Snapshot,
  of: { file: TaskFile; attempt: number },
): Promise<Transacted> {
  const { file, attempt } = of
  const room = snapshot.rooms.get(file.room) ?? null
  const settings = settingsOf(file.task, room?.room ?? null, snapshot.config)
  const place = await context.world.git.place(settings.workspace, settings.base)
  if ('wrong' in place) return fail(context, file, `${place.wrong}; ${place.hint}`)
  if (isOnOtherBranch(context, settings, place)) return 'lost'
  const steps = settings.worker.kind === 'shell' ? stepsOf(file.task) : { steps: [], skipped: [] }
  if ('wrong' in steps) return fail(context, file, `line ${steps.line}: ${steps.wrong}`)
  if (settings.worker.kind === 'shell' && steps.steps.length === 0) return fail(context, file, noSteps(file))
  const idle = openIdleSessions(context).ofTask(file.task.neo.id ?? '')
  const record = await recordOf(context, { file, attempt, settings, place, ...steps, room, idle })
  const confirmed = approval(context, snapshot, { file, tool: 'run_task' })
  await context.sessions.create(record)
  for (const message of idle?.messages ?? []) context.sessions.deliver(record.id, message)
  const done = await writeTask(context, file, {
    status: 'in_progress',
    neo: startKeys(file, record),
    verb: 'start',
    says: attempt === 1 ? '' : await attemptWords(context, { file, record }),
    event: 'start',
    trailers: [['Neo-Session', record.id], ...confirmed.trailers],
    more: [sessionAtStart(context, record), ...confirmed.more],
  })
  if (done !== 'lost' && idle !== null) openIdleSessions(context).put({ ...idle, messages: [] })
  if (done === 'done') context.sessions.run(record.id)
  else if (done === 'lost') context.sessions.remove(record.id)
  return done
}

function noSteps({ task }: TaskFile): string {
  const found = languagesIn(task.body)
  const but = found.length === 0 ? '' : ` (found: ${found.join(', ')})`
  return `no sh, shell or bash code block to run${but}; add one, or set worker: human`
}

/** HEAD was on another branch for just that moment: no session starts from there. */
function isOnOtherBranch({ home, world, look }: Context, { base }: Settings, place: Place): boolean {
  const own = place.repository === home || join(place.repository, '.git') === world.git.gitDir
  return own && base === null && place.base !== look.branch()
}

/** A new attempt removes what an earlier one left in the block. */
function startKeys(file: TaskFile, record: SessionRecord): Record<string, string | number | undefined> {
  return {
    session: record.id,
    attempt: record.attempt,
    progress: 0,
    started_at: record.startedAt,
    current_step: record.steps[0]?.name ?? '',
    branch: undefined,
    pr: undefined,
    hold: undefined,
    completed_at: undefined,
    result: undefined,
    error: undefined,
    blocked: undefined,
    retry_at: undefined,
    verified: undefined,
    // Only a retry of Neo's own counts on.
    retries: file.task.neo.retryAt === undefined ? undefined : file.task.neo.retries,
  }
}

interface RecordInput {
  readonly file: TaskFile
  readonly attempt: number
  readonly settings: Settings
  readonly place: Place
  readonly steps: SessionRecord['steps']
  readonly skipped: readonly string[]
  readonly room: RoomFile | null
  /** The idle session that it is given to; null: a session of its own. */
  readonly idle: IdleSession | null
}

async function recordOf(
  context: Context,
  { file, attempt, settings, place, steps, skipped, room, idle }: RecordInput,
): Promise<SessionRecord> {
  const { task } = file
  const branch = await branchOf(context, { file, place, attempt, settings })
  const over = await isOverModel(context, { place, branch, idle })
  return {
    v: 1,
    id: idle?.id ?? context.world.random.id('s'),
    ...(idle === null ? {} : { seat: 'yes' as const }),
    taskId: task.neo.id ?? '',
    taskPath: file.path,
    taskName: file.name,
    title: task.title,
    room: file.room,
    attempt,
    worker: workerText(settings.worker),
    place,
    branch,
    from: '',
    steps,
    ...(skipped.length === 0 ? {} : { skipped }),
    setup: settings.setup,
    cleanup: settings.cleanup,
    verify: settings.verify,
    env: settings.env,
    ...(task.params === undefined ? {} : { params: task.params }),
    envFiles: settings.envFiles,
    review: settings.review,
    hooks: settings.hooks,
    timeoutMs: settings.timeoutMs,
    onInterrupt: task.onInterrupt,
    startedAt: isoSecond(context.world.clock.now()),
    ...(over ? { over: 'model' as const } : {}),
    ...(await workOf(context, { file, settings, place, room, over })),
  }
}

/** What the worker is given. */
async function workOf(
  context: Context,
  of: Pick<RecordInput, 'file' | 'settings' | 'place' | 'room'> & { readonly over: boolean },
): Promise<Partial<SessionRecord>> {
  const { file, settings, place, over } = of
  const room = of.room?.room ?? null
  switch (settings.worker.kind) {
    case 'shell':
      return reachOf(context, { file, room, over })
    case 'peer':
      return { peer: peerBrief(file, settings.worker.name, context.look.config().agent) }
    default:
      return { agent: await briefOf(context, { file, room, settings, place }) }
  }
}

/** A model has worked on the branch, or in the worktree of an idle session, where files that git ignores may be left. */
async function isOverModel(
  { world, sessions }: Context,
  of: { place: Place; branch: string; idle: IdleSession | null },
): Promise<boolean> {
  const left = of.idle === null ? null : world.files.stat(join(sessions.worktree(of.idle.id), '.git'))
  return left !== null || (await world.git.holdsModelWork(of.place, of.branch))
}

/** Which branch a further attempt starts from, and what that branch lacks. */
async function attemptWords(
  { world }: Context,
  { file, record }: { file: TaskFile; record: SessionRecord },
): Promise<string> {
  const { attempt, branch, place } = record
  const left = file.task.neo.branch
  if (left === undefined) return `attempt ${attempt}`
  const state = await world.git.branchState(place, left)
  if (branch !== left)
    return state.kind === 'gone'
      ? `attempt ${attempt}`
      : `attempt ${attempt} from ${place.base}; earlier work stays on ${left}`
  const lacks = state.kind === 'open' && state.behind > 0
  const commits = lacks ? `, which lacks ${counted(state.behind, 'commit')} of ${place.base}` : ''
  return `attempt ${attempt} continues on ${branch}${commits}`
}

/**
 * `neo/<room>/<task>-<attempt>`; with the id if that name is taken, in another folder if git has a branch `neo` or
 * `neo/<room>`, below which it can't make one. A rejected attempt and an agent continue on their branch; a failed runbook
 * starts again from the current base.
 */
async function branchOf(
  context: Context,
  { file, place, attempt, settings }: Pick<RecordInput, 'file' | 'place' | 'attempt' | 'settings'>,
): Promise<string> {
  const { git } = context.world
  const { branch, id, completedAt } = file.task.neo
  const startsAgain = settings.worker.kind === 'shell' && completedAt !== undefined
  if (branch !== undefined && !startsAgain && (await git.branchExists(place, branch))) return branch
  const room = slugOf(file.room, BRANCH_PART) || 'room'
  const top = (await git.branchExists(place, 'neo')) ? 'neo-work' : 'neo'
  const folder = `${top}/${room}${(await git.branchExists(place, `${top}/${room}`)) ? '-work' : ''}`
  const plain = `${folder}/${slugOf(file.name.replaceAll('/', '-'), BRANCH_PART) || id}-${attempt}`
  if (!(await git.branchExists(place, plain))) return plain
  return `${folder}/${id}-${attempt}`
}

/** Bytes; with room, prefix and attempt a branch stays well under the 255 of a file name. */
const BRANCH_PART = 60

/** A task that can't start fails: a person fixes it and sets it to pending. */
async function fail(context: Context, file: TaskFile, error: string): Promise<Transacted> {
  const at = isoSecond(context.world.clock.now())
  return writeTask(context, file, {
    status: 'failed',
    neo: { error, completed_at: at, blocked: undefined, retry_at: undefined },
    verb: 'fail',
    says: error,
    event: 'fail',
  })
}

export function draftHandOver(context: Context, file: TaskFile, attempt: number): Draft | null {
  return draftTask(context, file, {
    status: 'in_progress',
    neo: {
      attempt,
      started_at: isoSecond(context.world.clock.now()),
      completed_at: undefined,
      error: undefined,
      blocked: undefined,
    },
    verb: 'assign * to human',
    says: 'set status: completed when it is done',
    event: 'hand-over',
  })
}

export async function requeue(context: Context, file: TaskFile, why: string): Promise<Transacted> {
  const neo = { session: undefined, current_step: undefined }
  return writeTask(context, file, { status: 'pending', neo, verb: 'requeue', says: why, event: 'requeue' })
}

export function draftBlock(
  context: Context,
  file: TaskFile,
  { by, error }: Pick<DecisionOf<'block'>, 'by' | 'error'>,
): Draft | null {
  const neo = { blocked: by ?? undefined, error, attempt: context.sessions.lastAttempt(file.task.neo) }
  return draftTask(context, file, { status: 'blocked', neo, verb: 'block', says: error, event: 'block' })
}

/** The task of a subagent whose parent session ends: a person may start it again. */
export async function halt(context: Context, file: TaskFile): Promise<Transacted> {
  const error = 'the session that started it was stopped'
  const neo = { blocked: undefined, error }
  return writeTask(context, file, { status: 'blocked', neo, verb: 'stop', says: error, event: 'stop' })
}

export function draftUnblock(context: Context, file: TaskFile): Draft | null {
  const neo = { blocked: undefined, error: undefined }
  return draftTask(context, file, { status: 'pending', neo, verb: 'unblock', says: '', event: 'unblock' })
}
