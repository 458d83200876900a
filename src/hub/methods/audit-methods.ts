/**
 * audit.timeline: who did what and when, of a task, a session, a room or the home: one order over git's commits,
 * transcripts and the audit log. Invariant 1: every event names its line or its commit. Invariant 2: the caller gets
 * events of rooms that they see.
 */
import { z } from 'zod'
import type { Snapshot } from '../../domain/plan/snapshot.ts'
import { LOBBY } from '../../domain/policy/policy.ts'
import type { Principal } from '../../domain/policy/policy-acts.ts'
import { isDate } from '../../files/values/times.ts'
import { auditedAs, type HubEnv, look, method } from '../env.ts'
import { badParams, HubError } from '../hub.ts'
import { membersOf } from '../rights/member-rules.ts'
import { fromCommits } from '../timeline/commits.ts'
import {
  cursorOf,
  keyOf,
  Newest,
  SOURCES,
  type TaskWanted,
  type TimelineEvent,
  type Wanted,
} from '../timeline/event.ts'
import { beginOf, fromFiles, type LogPlaces } from '../timeline/log-places.ts'
import {
  answersMember,
  findRoom,
  roomNames,
  sees,
  sessionAt,
  sessionsOf,
  taskOf,
} from '../views/find-in-home.ts'
import { endOf, instant } from './home-methods.ts'
import { idText, limit, lineText, onlyRoom, sessionId, since, taskId, until } from '../views/shapes.ts'

const text = z.string()

const params = z.strictObject({
  roomId: onlyRoom,
  taskId: taskId.optional(),
  sessionId: sessionId.optional(),
  agentId: idText.optional().describe('Only what this agent of another home did, or what was done about it'),
  actor: idText
    .optional()
    .describe('Only events of `human`, `neo`, `member:ID`, `session:ID`, or a name in git'),
  kinds: z
    .array(idText)
    .min(1)
    .max(50)
    .optional()
    .describe(
      'Only these kinds: `git`, `audit` or `transcript`; `commit`, `decision`, `refusal`, `read` or `peer` (with agents of other homes); a type of transcript line; or an event of a commit',
    ),
  text: lineText.optional().describe('Only events whose words, names or ids contain it'),
  since,
  until,
  limit: limit(1_000, 100),
  cursor: z.string().max(4_000).optional().describe('`cursor` of the page that came before this one'),
})
type Params = z.output<typeof params>

const eventView = z.strictObject({
  at: text,
  source: z.enum(SOURCES),
  kind: text,
  actor: text,
  name: text.nullable(),
  roomId: text.nullable(),
  taskId: text.nullable(),
  sessionId: text.nullable(),
  agentId: text.nullable().describe('The agent of another home that did it, or that it is about'),
  says: text,
  decision: z
    .strictObject({
      method: text,
      does: text.nullable().describe('The summary of the method'),
      effect: z.enum(['allow', 'ask', 'deny']),
      askId: text.nullable().describe('The request that it became, or that it decided'),
    })
    .nullable()
    .describe('Of a call that was decided about'),
  /** `path:line`. */
  file: text.nullable(),
  commit: text.nullable(),
})

export const auditTimeline = method({
  name: 'audit.timeline',
  summary: 'List what happened',
  details:
    'The events of a task, a session, a room, or all that you may see, from commits, transcripts and the audit log. The first page holds the newest events; in each page, the oldest comes first. Each event names its line or commit.',
  tool: { effect: 'reads', limit: 50 },
  params,
  result: z.strictObject({
    events: z.array(eventView),
    cursor: text.nullable(),
    /** Files that were too large together to be read. */
    unread: z.array(text),
  }),
  act: 'see',
  resource: async (env, asked) => ({ room: roomOf(env, await look(env), asked) }),
  run: async (env, asked, { principal }) => {
    const snapshot = await look(env)
    const most = asked.limit
    const wanted = wantedOf(env, snapshot, { asked, principal })
    const newest = new Newest(most + 1)
    const places = placesOf(env)
    const members = new Set(membersOf(env).keys())
    const commits = {
      git: env.context.world.git,
      members,
      beginOf: (session: string, room: string | null) => beginOf(places, session, room),
    }
    await fromCommits(commits, wanted, { newest, most: most + 1 })
    const unread = await fromFiles(places, wanted, newest)
    const found = newest.all()
    const page = found.slice(-most)
    const [oldest] = page
    return {
      events: page.map(({ event }) => view(env, event)),
      cursor: found.length > most && oldest !== undefined ? cursorOf(oldest.key) : null,
      unread: [...unread],
    }
  },
})

function placesOf({ context, aside }: HubEnv): LogPlaces {
  const { files, clock } = context.world
  const pause = (): Promise<void> => aside(() => new Promise((resolve) => void clock.after(0, resolve)))
  return { files, home: context.home, dir: context.dir, pause }
}

function view(
  { table }: HubEnv,
  { room, task, session, agent, file, line, decision, ...event }: TimelineEvent,
): z.input<typeof eventView> {
  const { method = '', effect = 'allow', ask = null } = decision ?? {}
  return {
    ...event,
    decision: decision && { method, does: table.get(method)?.summary ?? null, effect, askId: ask },
    roomId: room,
    taskId: task,
    sessionId: session,
    agentId: agent,
    file: file === null ? null : `${file}:${line}`,
  }
}

/** The room that the call is about; null: all rooms that the caller sees. */
function roomOf(env: HubEnv, snapshot: Snapshot, { roomId, taskId, sessionId }: Params): string | null {
  if (roomId !== undefined) return findRoom(snapshot, roomId).name
  if (taskId !== undefined && !isBareId(taskId, snapshot)) return taskOf(snapshot, taskId).room
  return sessionId === undefined ? null : roomOfSession(env, snapshot, sessionId)
}

/** The id of a task whose file is gone: its history is there still. */
function isBareId(id: string, snapshot: Snapshot): boolean {
  if (!/^t-[a-z0-9]{1,40}$/.test(id)) return false
  try {
    return taskOf(snapshot, id).path === ''
  } catch (error) {
    if (error instanceof HubError) return true
    throw error
  }
}

/** Null if its file is gone; then the rooms of its events say who may see them. */
function roomOfSession(env: HubEnv, snapshot: Snapshot, id: string): string | null {
  const known = env.context.sessions.facts().get(id)?.record.room
  const isIt = (room: string) => (known === undefined ? sessionAt(env, room, id) !== null : room === known)
  return /^[\w-]{1,64}$/.test(id) ? (roomNames(snapshot).find(isIt) ?? null) : null
}

function wantedOf(
  env: HubEnv,
  snapshot: Snapshot,
  { asked, principal }: { readonly asked: Params; readonly principal: Principal },
): Wanted {
  const members = membersOf(env)
  const before = asked.cursor === undefined ? null : keyOf(asked.cursor)
  if (asked.cursor !== undefined && before === null)
    throw badParams(['cursor'], 'want the cursor that a page of this method returned')
  const zone = snapshot.config.timezone
  return {
    room: asked.roomId === undefined ? roomOfTask(snapshot, asked) : findRoom(snapshot, asked.roomId).name,
    task: asked.taskId === undefined ? null : taskWanted(env, snapshot, asked.taskId),
    session: asked.sessionId ?? null,
    agent: asked.agentId ?? null,
    handedOver: handedOver(snapshot),
    actor: asked.actor ?? null,
    kinds: asked.kinds === undefined ? null : new Set(asked.kinds),
    text: asked.text?.toLowerCase() ?? null,
    since: asked.since === undefined ? null : instant('since', asked.since, zone),
    until: asked.until === undefined ? null : lastOf(asked.until, zone),
    before,
    viewer: principal.kind === 'human' ? null : auditedAs(principal),
    sees: (room) => (room === null ? seesHome(principal) : sees(principal, room, members)),
  }
}

function handedOver({ tasks }: Snapshot): ReadonlyMap<string, string> {
  const all = [...tasks.values()].flatMap(({ task: { worker, neo } }) =>
    worker?.kind === 'peer' && neo.id !== undefined ? [[neo.id, worker.name] as const] : [],
  )
  return new Map(all)
}

/** What belongs to no room. Who answers a member sees what the member sees. */
function seesHome(principal: Principal): boolean {
  if (principal.kind !== 'neo') return principal.kind === 'human'
  return principal.room === LOBBY && !answersMember(principal)
}

/** Tasks of other rooms may have the same name. */
function roomOfTask(snapshot: Snapshot, { taskId }: Params): string | null {
  return taskId === undefined || isBareId(taskId, snapshot) ? null : taskOf(snapshot, taskId).room
}

/** The time itself, or the last ms of the day. */
function lastOf(value: string, zone: string): number {
  return endOf('until', value, zone) - (isDate(value) ? 1 : 0)
}

function taskWanted(env: HubEnv, snapshot: Snapshot, id: string): TaskWanted {
  if (isBareId(id, snapshot)) return { names: new Set([id]), path: null, sessions: new Set() }
  const { task, path, room, name } = taskOf(snapshot, id)
  const own = task.neo.id
  const sessions = sessionsOf(env, room).filter((session) => session.task === own)
  const names = [...(own === undefined ? [] : [own]), path, `${room}/${name}`, name]
  return { names: new Set(names), path, sessions: new Set(sessions.map((session) => session.id)) }
}
