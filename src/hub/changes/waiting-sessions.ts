/**
 * Idle sessions, as methods open them, give them tasks and close them; and messages to any session. Invariant 1: one task at
 * a time; it is given to the idle session before it is set to pending. Invariant 2: what a person or Neo says to a session
 * that waits with a question is the answer to it, and closes its request; what another session says never is. Invariant 3:
 * secrets are masked before a message is saved.
 */
import { join } from 'node:path'
import { askPath } from '../../domain/plan/plan-wants.ts'
import type { SessionFact, TaskFile } from '../../domain/plan/snapshot.ts'
import { redact } from '../../domain/secrets/redact.ts'
import type { Delivery, Want } from '../../domain/session/session.ts'
import { DEFAULT_WORKSPACE } from '../../domain/task/task-settings.ts'
import { type IdleSession, openIdleSessions } from '../../engine/agents/idle-sessions.ts'
import { MAX_BYTES } from '../../engine/commit/journal.ts'
import { settled } from '../../engine/effects/answers.ts'
import { editDocument, renderDocument } from '../../files/edit/edit-header.ts'
import { type Actor, type HubEnv, isoNow, look } from '../env.ts'
import { badParams, HUB_CODES, HubError } from '../hub.ts'
import { missing } from '../views/find-in-home.ts'
import { commit } from './compare-and-write.ts'

const MOST_IDLE = 50
const MOST_MESSAGES = 100

type Opening = Pick<IdleSession, 'room' | 'worker' | 'model' | 'workspace'>

/** Returns its id. Throws HubError `busy` if there are too many already. */
export async function openIdleSession(env: HubEnv, actor: Actor, of: Opening): Promise<string> {
  const idleSessions = openIdleSessions(env.context)
  if (idleSessions.all().length >= MOST_IDLE)
    throw new HubError(
      HUB_CODES.busy,
      `Cannot open a session: ${MOST_IDLE} sessions are waiting for tasks already`,
    )
  const id = env.context.world.random.id('s')
  idleSessions.put({ v: 1, id, ...of, startedAt: isoNow(env), place: null, task: null, messages: [] })
  const path = pathOf({ id, room: of.room })
  const done = await commit(env, actor, {
    room: of.room,
    what: `open session ${id}`,
    event: 'open-session',
    trailers: [['Neo-Session', id]],
    changes: [{ path, before: null, after: textOf(env, id, of) }],
  })
  if (done === 'done') return id
  idleSessions.remove(id)
  throw new HubError(HUB_CODES.busy, `Cannot open a session: ${path} already exists`)
}

function pathOf({ id, room }: Pick<IdleSession, 'id' | 'room'>): string {
  return `rooms/${room}/sessions/${id}.md`
}

function textOf(env: HubEnv, id: string, { worker, model, workspace }: Opening): string {
  const given = Object.entries({ worker, model, workspace }).filter(([, value]) => value !== null)
  return renderDocument(
    {
      id,
      ...(Object.fromEntries(given) as Record<string, string>),
      status: 'waiting_for_input',
      started_at: isoNow(env),
      runner: env.context.host,
    },
    '# Waits for a task\n',
  )
}

/** `null` for a session that is not idle: a task runs in it, or it is of another kind. */
export function findIdleSession({ context }: HubEnv, id: string): IdleSession | null {
  return context.sessions.facts().has(id) ? null : openIdleSessions(context).get(id)
}

/** Gives a task to an idle session; call it before the task is set to pending. Throws HubError if they don't fit. */
export function giveTask(env: HubEnv, id: string, { file, roomWorkspace, isSeen }: GivenTask): IdleSession {
  const idleSessions = openIdleSessions(env.context)
  const idle = idleSessions.get(id)
  if (idle === null || !isSeen(idle.room))
    throw badParams(['sessionId'], `"${id}" is not a session that waits for tasks`)
  if (idle.room !== file.room) throw badParams(['sessionId'], `this session belongs to the room ${idle.room}`)
  const wanted = idle.workspace ?? roomWorkspace ?? DEFAULT_WORKSPACE
  if ((file.task.workspace ?? wanted) !== wanted)
    throw badParams(['sessionId'], `this session works in ${wanted}, the task in ${file.task.workspace}`)
  if (idle.place !== null && idle.place !== wanted)
    throw badParams(
      ['sessionId'],
      `its worktree belongs to ${idle.place}, which is not the workspace any more`,
    )
  if (env.context.sessions.facts().has(id)) throw busy(id, 'a task runs in it')
  const task = file.task.neo.id ?? ''
  idleSessions.put({ ...idle, place: wanted, task })
  return idle
}

interface GivenTask {
  readonly file: TaskFile
  readonly roomWorkspace: string | undefined
  readonly isSeen: (room: string) => boolean
}

function busy(id: string, why: string): HubError {
  return new HubError(HUB_CODES.busy, `Cannot give the session "${id}" a task: ${why}`)
}

/** Keeps a message for the next task. False if no idle session has this id. */
export function messageIdleSession(
  env: HubEnv,
  id: string,
  said: { readonly from: string; readonly text: string },
): boolean {
  const idle = findIdleSession(env, id)
  if (idle === null) return false
  if (idle.messages.length >= MOST_MESSAGES)
    throw new HubError(
      HUB_CODES.busy,
      `Cannot send a message to "${id}": ${MOST_MESSAGES} messages are waiting already`,
    )
  const key = `m-${isoNow(env)}-${env.context.world.random.id('a')}`
  const message = { key, kind: 'message' as const, from: said.from, text: redact(said.text) }
  openIdleSessions(env.context).put({ ...idle, messages: [...idle.messages, message] })
  return true
}

/** Its worktree is removed if it is clean, and its file says that it ended. */
export async function closeIdleSession(env: HubEnv, actor: Actor, idle: IdleSession): Promise<void> {
  const { context } = env
  const { files, git } = context.world
  openIdleSessions(context).remove(idle.id)
  const room = (await look(env)).rooms.get(idle.room)?.room
  const place = await git.place(idle.workspace ?? room?.workspace ?? DEFAULT_WORKSPACE, room?.base ?? null)
  const dir = context.sessions.worktree(idle.id)
  if (!('wrong' in place) && files.read(join(dir, '.git'), MAX_BYTES).kind === 'file')
    await git.removeWorktree(place, dir)
  const path = pathOf(idle)
  const read = files.read(join(context.home, path), MAX_BYTES)
  if (read.kind !== 'file') return
  const text = read.bytes.toString('utf8')
  if (!/^status: waiting_for_input$/m.test(text)) return
  const after = editDocument(text, { set: { status: 'stopped', ended_at: isoNow(env) } })
  await commit(env, actor, {
    room: idle.room,
    what: `close session ${idle.id}`,
    event: 'close-session',
    trailers: [['Neo-Session', idle.id]],
    changes: [{ path, before: git.blobId(read.bytes), after }],
  })
}

interface SessionMessage {
  readonly session: string
  /** As `neo.created_by`. */
  readonly from: string
  readonly text: string
}

/** Throws HubError `missing` if no such session is running, `busy` if it reads no messages. */
export async function deliver(env: HubEnv, { session, from, text }: SessionMessage): Promise<void> {
  const { sessions, world } = env.context
  const fact = sessions.facts().get(session)
  if (fact === undefined || fact.state === 'ended') throw missing('session at work', session)
  if (fact.record.agent === undefined)
    throw new HubError(
      HUB_CODES.busy,
      `Cannot tell "${session}" anything: it runs commands and reads no messages`,
    )
  const asks = from.startsWith('session:') ? [] : (fact.wants ?? [])
  const question = asks.find(({ kind }) => kind === 'question')
  const said = { from, text: redact(text) }
  if (question === undefined)
    sessions.deliver(session, { key: `m-${isoNow(env)}-${world.random.id('a')}`, kind: 'message', ...said })
  else await answer(env, fact, { question, said })
}

async function answer(
  env: HubEnv,
  { record }: SessionFact,
  { question, said }: { readonly question: Want; readonly said: Pick<Delivery, 'from' | 'text'> },
): Promise<void> {
  const { context } = env
  const delivery: Delivery = { key: question.key, kind: 'answer', ...said }
  context.sessions.deliver(record.id, delivery)
  // Where its file is being edited or the home is away just now, the next round closes it.
  const path = askPath(record.room, question.id)
  const ask = (await look(env, path)).asks.get(path)
  if (ask === undefined || ask.ask.handledAt !== undefined || context.look.branch() === null) return
  if ((await settled(context, ask, delivery)) !== 'lost') env.wake()
}
