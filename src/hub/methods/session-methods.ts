/**
 * session.list, get, create, stop, resume: the runs of workers. Invariant 1: a session starts only if the plan would
 * start it: ready, within slots and budgets, approved. Invariant 2: a stop blocks the task first, so that nothing starts
 * again what is being ended; a person lets it go on.
 */
import { z } from 'zod'
import { plan } from '../../domain/plan/plan.ts'
import type { Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import { SESSION_STATUSES } from '../../domain/session/session.ts'
import { openIdleSessions } from '../../engine/agents/idle-sessions.ts'
import { gatherFacts } from '../../engine/snapshot/facts.ts'
import { editTask, taskAt } from '../changes/compare-and-write.ts'
import { keysOf, readBack, taskInputs, workerIn } from '../changes/header-inputs.ts'
import { closeIdleSession, findIdleSession, openIdleSession } from '../changes/waiting-sessions.ts'
import { type Actor, type HubEnv, look, method, nameOf } from '../env.ts'
import { aboutOnlyRoom, aboutSession, listedRooms, sessionNamed } from '../views/about.ts'
import { badParams, HUB_CODES, HubError } from '../hub.ts'
import { findRoom, roomNames, type SessionAt, sessionsOf, taskOf } from '../views/find-in-home.ts'
import { type SessionDetail, sessionDetail } from '../views/detail-shapes.ts'
import {
  idText,
  limit,
  lineText,
  onlyRoom,
  roomId,
  type SessionView,
  sessionId,
  sessionView,
  taskId,
} from '../views/shapes.ts'
import { viewCost, viewSession } from '../views/views.ts'
import { aboutTask, byHand } from './task-methods.ts'

const sessionParams = z.strictObject({ sessionId })

export const sessionList = method({
  name: 'session.list',
  summary: 'List sessions',
  details: 'Newest first. A session is one run of a worker.',
  tool: { effect: 'reads', list: 'sessions', limit: 20 },
  params: z.strictObject({
    roomId: onlyRoom,
    taskId: taskId.optional(),
    status: z.array(z.enum(SESSION_STATUSES)).optional().describe('Only sessions with one of these'),
    limit: limit(1_000, 100),
  }),
  result: z.array(sessionDetail),
  act: 'see',
  resource: aboutOnlyRoom,
  run: async (env, { roomId, taskId, status, limit: most }, { principal }) => {
    const snapshot = await look(env)
    const task = taskId === undefined ? undefined : taskOf(snapshot, taskId).task.neo.id
    return roomNames(snapshot)
      .filter(listedRooms(env, snapshot, { roomId, principal }))
      .flatMap((room) => sessionsOf(env, room))
      .filter((session) => task === undefined || session.task === task)
      .filter((session) => status === undefined || status.includes(session.status))
      .toSorted((a, b) => (a.startedAt < b.startedAt ? 1 : -1))
      .slice(0, most)
      .map((session) => withCost(env, session))
  },
})

function shown(env: HubEnv, session: SessionAt): SessionView {
  return viewSession(session, env.context.sessions.facts().get(session.id))
}

function withCost(env: HubEnv, session: SessionAt): SessionDetail {
  return { ...shown(env, session), cost: viewCost(env.usage.ofSession(session.id)) }
}

export const sessionGet = method({
  name: 'session.get',
  summary: 'Get a session',
  details: 'Its status, its branch, its summary and its cost.',
  tool: { effect: 'reads' },
  params: sessionParams,
  result: sessionDetail,
  act: 'see',
  resource: aboutSession,
  run: async (env, { sessionId }) => withCost(env, await sessionNamed(env, sessionId)),
})

const createParams = z.strictObject({
  roomId,
  taskId: taskId.optional(),
  worker: taskInputs.fields.worker.describe("Otherwise the task's or the room's"),
  model: idText.optional().describe("Otherwise the task's or the room's"),
  workspacePath: lineText.optional().describe("Otherwise the room's workspace"),
})
type Create = z.output<typeof createParams>

export const sessionCreate = method({
  name: 'session.create',
  summary: 'Start a session',
  details:
    'With `taskId`, the task starts now if it can. Without it, the session waits, takes messages, and `task.start` gives it tasks, all in one worktree.',
  params: createParams,
  result: z.strictObject({ sessionId: z.string() }),
  act: 'run-session',
  resource: async (env, { roomId, taskId, worker, model, workspacePath }) => {
    const snapshot = await look(env)
    const room = findRoom(snapshot, roomId).name
    const sets = keysOf({ worker, model, workspace: workspacePath })
    const where = workspacePath === undefined ? {} : { workspace: workspacePath }
    if (taskId === undefined) return { room, sets, worker: workerIn(snapshot, room, { worker }), ...where }
    const file = taskOf(snapshot, taskId)
    if (file.room !== room) throw badParams(['taskId'], `the task is in the room ${file.room}`)
    return {
      ...aboutTask(file),
      to: 'pending',
      sets,
      worker: workerIn(snapshot, room, { task: file.task, worker }),
      ...where,
    }
  },
  run: create,
})

async function create(env: HubEnv, params: Create, actor: Actor): Promise<{ sessionId: string }> {
  const { worker, model, workspacePath, taskId } = params
  if (taskId === undefined) return { sessionId: await opened(env, params, actor) }
  const { path } = taskOf(await look(env), taskId)
  if (env.daemon === 'no')
    throw refused('start', path, 'no daemon is running; start one with neo watch or neo run')
  const file = await editTask(env, actor, {
    path,
    edit: ({ task }) => {
      if (task.status === 'in_progress') return null
      const set = { ...taskInputs.header({ worker, model, workspace: workspacePath }), status: 'pending' }
      return { verb: 'start', event: 'start', patch: { set, neo: byHand(env, task, 'pending') } }
    },
    check: (text, _file, snapshot) => void readBack(env, path, { text, snapshot }),
  })
  const running = runningOn(file)
  if (running !== null) return { sessionId: running }
  // The daemon itself carries out what was approved: it cannot wait for its own next round.
  return { sessionId: actor.approvedBy === null ? await started(env, file) : '' }
}

/** An idle session can be opened with and without a daemon. */
async function opened(env: HubEnv, params: Create, actor: Actor): Promise<string> {
  const room = findRoom(await look(env), params.roomId).name
  const { worker = null, model = null, workspacePath: workspace = null } = params
  return await openIdleSession(env, actor, { room, worker, model, workspace })
}

function refused(verb: string, what: string, why: string): HubError {
  return new HubError(HUB_CODES.busy, `Cannot ${verb} "${what}": ${why}`)
}

/** Long enough for a daemon that is woken; what waits longer waits for something. */
const PATIENCE_MS = 10_000
const LOOK_MS = 100
const LOOKS_BEFORE_REASON = 10

/** Waits for the daemon to start the task, which alone keeps the limits. Throws HubError `busy` with what it waits for. */
async function started(env: HubEnv, { path, task: before }: TaskFile): Promise<string> {
  const { clock } = env.context.world
  const until = clock.now() + PATIENCE_MS
  env.wake()
  for (let looks = 1; clock.now() < until; looks++) {
    const snapshot = await look(env)
    const file = taskAt(snapshot, path)
    const { status, neo } = file.task
    // A short one is over by the next look; the file says that it runs a moment before it does.
    const session = runningOn(file) ?? (neo.session === before.neo.session ? undefined : neo.session)
    if (session !== undefined && env.context.sessions.facts().get(session)?.state !== 'dormant')
      return session
    if (status !== 'pending' && status !== 'in_progress')
      throw refused('start', path, neo.error ?? `it is ${status}`)
    const on = looks % LOOKS_BEFORE_REASON === 0 ? await waitsFor(env, snapshot, path) : undefined
    if (on !== undefined) throw refused('start', path, `it waits for ${on}; it starts by itself then`)
    await env.aside(() => new Promise<void>((resolve) => void clock.after(LOOK_MS, resolve)))
  }
  throw refused('start', path, 'it has not started yet; it starts by itself when it can')
}

async function waitsFor(env: HubEnv, snapshot: Snapshot, path: string): Promise<string | undefined> {
  const facts = await gatherFacts(env.context, snapshot)
  const { waiting } = plan(snapshot, facts, env.context.world.clock.now())
  return waiting.find((one) => one.path === path)?.on
}

function runningOn({ task }: TaskFile): string | null {
  return task.status === 'in_progress' ? (task.neo.session ?? null) : null
}

export const sessionStop = method({
  name: 'session.stop',
  summary: 'Stop a session',
  details: 'All its processes end. Its task is blocked until a person starts it again.',
  tool: { effect: 'changes' },
  params: sessionParams,
  result: sessionView,
  act: 'stop-session',
  resource: aboutSession,
  run: async (env, { sessionId }, actor) => {
    const { sessions } = env.context
    const fact = sessions.facts().get(sessionId)
    const idle = openIdleSessions(env.context).get(sessionId)
    if (idle !== null) await closeIdleSession(env, actor, idle)
    if (fact !== undefined && fact.state !== 'ended') {
      await block(env, actor, sessionId)
      // Work in another home is stopped by the next daemon, which can tell that home.
      if (env.beside === 'nobody' && fact.record.peer === undefined)
        await sessions.stop(sessionId, `stopped by ${nameOf(actor.principal)}`)
      env.wake()
    }
    return shown(env, await sessionNamed(env, sessionId))
  },
})

async function block(env: HubEnv, actor: Actor, session: string): Promise<void> {
  const snapshot = await look(env)
  const file = [...snapshot.tasks.values()].find(({ task }) => task.neo.session === session)
  if (file === undefined) return
  await editTask(env, actor, {
    path: file.path,
    edit: ({ task }) =>
      task.status === 'in_progress'
        ? {
            verb: 'stop',
            says: session,
            event: 'stop',
            patch: { set: { status: 'blocked' }, neo: { blocked: undefined } },
          }
        : null,
  })
}

export const sessionResume = method({
  name: 'session.resume',
  summary: 'Resume a session',
  details: 'For a session that waits to be continued. If it has ended, use `task.retry`.',
  params: sessionParams,
  result: sessionView,
  act: 'run-session',
  resource: aboutSession,
  run: async (env, { sessionId }) => {
    const { sessions } = env.context
    const fact = sessions.facts().get(sessionId)
    if (findIdleSession(env, sessionId) !== null)
      throw refused('resume', sessionId, 'it waits for a task; use task.start with sessionId')
    if (fact === undefined || fact.state === 'ended')
      throw refused('resume', sessionId, 'it has ended; use task.retry to run its task again')
    if (env.daemon === 'no')
      throw refused('resume', sessionId, 'no daemon is running; start one with neo watch')
    sessions.run(sessionId)
    return shown(env, await sessionNamed(env, sessionId))
  },
})
