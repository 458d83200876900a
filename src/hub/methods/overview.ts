/** room.overview and status.global: one look at a room, and at the home. */
import { z } from 'zod'
import { dayBounds, sumOf, tokensOf, usdOf } from '../../domain/budget/usage-sum.ts'
import { openAsks } from '../../domain/plan/needs.ts'
import { TASK_STATUSES } from '../../domain/task/task.ts'
import { memoryOf } from '../../memory/open-memory.ts'
import { type HubEnv, look, method } from '../env.ts'
import { aboutHome, aboutRoom } from '../views/about.ts'
import { SILENT } from '../hub.ts'
import { findRoom, roomAt, roomNames, sessionIds, sessionsOf } from '../views/find-in-home.ts'
import { healthOf } from '../views/home-health.ts'
import { askView, roomParams, roomView, sessionView, taskView } from '../views/shapes.ts'
import { viewAsk, viewRoom, viewSession, viewTask } from '../views/views.ts'

const today = z.strictObject({
  callsToday: z.number(),
  tokensToday: z.number(),
  /** null if a price is not known. */
  usdToday: z.number().nullable(),
})

/** Sessions that ended longer ago are in session.list. */
const MOST_SESSIONS = 50

export const roomOverview = method({
  name: 'room.overview',
  summary: 'Get an overview of a room',
  details:
    'The room with its tasks by status, its last 50 sessions, its open requests, what its Neo is doing, and what it used today.',
  tool: { effect: 'reads' },
  params: roomParams,
  result: z.strictObject({
    room: roomView,
    sessions: z.array(sessionView),
    tasks: z.partialRecord(z.enum(TASK_STATUSES), z.array(taskView)),
    asks: z.array(askView),
    neo: z.strictObject({
      status: z.enum(['idle', 'thinking', 'waiting_for_input']),
      currentTaskId: z.string().nullable(),
      currentSessionId: z.string().nullable(),
    }),
    usage: today,
  }),
  act: 'see',
  resource: aboutRoom,
  run: async (env, { roomId }) => {
    const snapshot = await look(env)
    const at = findRoom(snapshot, roomId)
    const files = [...snapshot.tasks.values()].filter(({ room }) => room === at.name)
    const facts = env.context.sessions.facts()
    const said = TASK_STATUSES.map(
      (status) =>
        [status, files.filter(({ task }) => task.status === status).map((file) => viewTask(file))] as const,
    )
    const { status, currentTaskId, currentSessionId } = env.neo?.context(at.name) ?? SILENT
    return {
      room: viewRoom(at, { sessionIds: sessionIds(env, at.name), updatedAt: null }),
      sessions: sessionsOf(env, at.name)
        .slice(0, MOST_SESSIONS)
        .map((session) => viewSession(session, facts.get(session.id))),
      tasks: Object.fromEntries(said.filter(([, list]) => list.length > 0)),
      asks: openAsks(snapshot, (room) => room === at.name).map(viewAsk),
      neo: { status, currentTaskId, currentSessionId },
      usage: usedToday(env, snapshot.config.timezone, at.name),
    }
  },
})

function usedToday(env: HubEnv, zone: string, room?: string): z.input<typeof today> {
  const { from: since, to: until } = dayBounds(env.context.world.clock.now(), zone)
  const sum = sumOf(env.usage.calls({ since, until, ...(room === undefined ? {} : { room }) }))
  return { callsToday: sum.calls, tokensToday: tokensOf(sum), usdToday: usdOf(sum) }
}

const count = z.int()

export const statusGlobal = method({
  name: 'status.global',
  summary: 'Get the status of the home',
  details:
    'Counts of rooms, tasks, sessions and open requests, problems in files, and whether a daemon runs. Without a daemon, nothing starts until somebody runs `neo watch` or `neo run`.',
  tool: { effect: 'reads' },
  params: z.strictObject({}),
  result: z.strictObject({
    totalRooms: count,
    activeRooms: count,
    totalSessions: count,
    activeSessions: count,
    totalTasks: count,
    pendingTasks: count,
    inProgressTasks: count,
    openAsks: count,
    inReview: count,
    ...today.shape,
    problems: z.array(
      z.strictObject({
        file: z.string(),
        line: z.number().nullable(),
        severity: z.enum(['error', 'warning']),
        message: z.string(),
        hint: z.string(),
      }),
    ),
    /** The index of memory, as this process keeps it; times are '' if there were none. */
    index: z.strictObject({
      by: z.enum(['index', 'words']),
      runs: count,
      failures: count,
      lastSuccess: z.string(),
      lastError: z.string(),
      sources: count,
      passages: count,
    }),
    health: z.array(
      z.strictObject({
        part: z.string(),
        state: z.enum(['ok', 'off', 'trouble']),
        says: z.string(),
        needs: z.literal('person').optional().describe('Only a person ends it'),
      }),
    ),
  }),
  act: 'see-home',
  resource: aboutHome,
  run: async (env) => {
    const snapshot = await look(env)
    const tasks = [...snapshot.tasks.values()].map(({ task }) => task)
    const rooms = roomNames(snapshot).map((name) => roomAt(snapshot, name))
    const live = [...env.context.sessions.facts().values()].filter(({ state }) => state !== 'ended')
    const of = (status: string) => tasks.filter((task) => task.status === status).length
    return {
      totalRooms: rooms.length,
      activeRooms: rooms.filter(({ room }) => room.status === 'active').length,
      totalSessions: rooms.reduce((sum, { name }) => sum + sessionIds(env, name).length, 0),
      activeSessions: live.length,
      totalTasks: tasks.length,
      pendingTasks: of('pending'),
      inProgressTasks: of('in_progress'),
      openAsks: openAsks(snapshot, () => true).length,
      inReview: of('review'),
      ...usedToday(env, snapshot.config.timezone),
      problems: snapshot.problems.map(({ file, line, severity, message, hint }) => ({
        file,
        line,
        severity,
        message,
        hint,
      })),
      index: indexOf(env),
      health: await healthOf(env),
    }
  },
})

function indexOf({ context }: HubEnv) {
  const { by, runs, failures, lastSuccess, lastError, sources, passages } = memoryOf(context).health()
  return { by, runs, failures, lastSuccess, lastError, sources, passages }
}
