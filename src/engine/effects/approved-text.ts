/**
 * Whether a request about a task can still be decided, and what an approval is bound to: the action with the words that
 * the request's file shows, and for a push one commit, one remote and the pull request's text, without local paths and
 * secrets. The first decision counts; a late one, or one about changed content, is refused.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Ask } from '../../domain/ask/ask.ts'
import { askPath } from '../../domain/plan/plan-wants.ts'
import type { AskFile, Facts, Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import type { Place } from '../../domain/session/session.ts'
import { settingsOf } from '../../domain/task/task-settings.ts'
import { pullRequestBody } from '../../domain/text/forge.ts'
import type { Json } from '../../files/edit/edit-header.ts'
import { readSession } from '../../files/kinds/read-session.ts'
import { sameData } from '../../files/values/equal.ts'
import type { Context } from '../context.ts'

const MOST_BYTES = 1024 * 1024

/** A request that nobody answers is denied after this. */
export const EXPIRES_MS = 7 * 24 * 3_600_000

interface Pull {
  readonly place: Place
  readonly branch: string
  readonly title: string
  readonly body: string
}

/** Null if the task has no branch, or its workspace can't be found. */
export async function pullOf(context: Context, snapshot: Snapshot, file: TaskFile): Promise<Pull | null> {
  const { id = '', branch, session = '' } = file.task.neo
  const place = await placeOf(context, snapshot, file)
  if (place === null || branch === undefined) return null
  const transcript = `rooms/${file.room}/transcripts/${session}.jsonl`
  const body = pullRequestBody({
    title: file.task.title,
    result: resultOf(context, file),
    checks: [],
    usage: null,
    transcript: context.look.tree().has(transcript) ? transcript : null,
    session,
    task: id,
  })
  return { place, branch, title: file.task.title, body }
}

/** The result and checks from the session's file. */
function resultOf(context: Context, { room, task }: TaskFile): string {
  const path = `rooms/${room}/sessions/${task.neo.session ?? ''}.md`
  const read = context.world.files.read(join(context.home, path), MOST_BYTES)
  const session = read.kind === 'file' ? readSession(path, read.bytes) : null
  return session?.kind === 'ok' ? session.value.body : (task.neo.result ?? '')
}

interface Push {
  readonly pull: Pull
  readonly arguments: { readonly branch: string; readonly commit: string; readonly to: string }
  readonly sha256: string
}

/** Null if there is nothing to push, or no remote. */
export async function pushOf(context: Context, snapshot: Snapshot, file: TaskFile): Promise<Push | null> {
  const pull = await pullOf(context, snapshot, file)
  const target = pull === null ? null : await context.pulls.target(pull.place, pull.branch)
  if (pull === null || target === null) return null
  const shown = { branch: pull.branch, commit: target.commit, to: target.remote }
  const what = [shown, pull.place.base, pull.title, pull.body]
  return { pull, arguments: shown, sha256: digest(what) }
}

/** Repository, folder and base of a task; null if its workspace can't be found. */
export async function placeOf(context: Context, snapshot: Snapshot, file: TaskFile): Promise<Place | null> {
  const settings = settingsOf(file.task, snapshot.rooms.get(file.room)?.room ?? null, snapshot.config)
  const place = await context.world.git.place(settings.workspace, settings.base)
  return 'wrong' in place ? null : place
}

export interface Subject {
  readonly tool: string
  readonly arguments: Readonly<Record<string, Json>>
  /** Paths in the workspace that the action names. */
  readonly files: readonly string[]
  /** Of what would be done; '' if there is nothing to do. */
  readonly sha256: string
  readonly shows: string
}

export function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}

export function shownHash({ sha256 }: Subject, reason: string): string {
  return digest([sha256, reason])
}

export function askBody(id: string, { shows }: Subject): string {
  return `Set \`decision: approved\` or \`decision: denied\`, or run \`neo ask approve ${id}\`.\n\n${shows}`
}

/** The hash that a request would have now. A note that a person added changes nothing. */
export function presentHash(ask: Ask, subject: Subject): string {
  const { action, reason, body } = ask
  const isShown =
    plain(body).includes(plain(askBody(ask.id, subject))) &&
    action.tool === subject.tool &&
    sameData(action.files, subject.files) &&
    sameData(action.arguments, subject.arguments)
  return isShown ? shownHash(subject, reason) : digest(['edited', subject.sha256, reason, action, body])
}

/** Without white space and the marks of lists, emphasis and tables, which editors reformat. */
function plain(text: string): string {
  return text.replaceAll(/[\s*_+|\\-]/g, '')
}

export interface Objection {
  readonly kind: 'decided' | 'expired' | 'changed'
  /** Completes `Cannot decide "<id>": `. */
  readonly is: string
  readonly why?: string
  readonly next: string
}

/** Null if the request is open at this time (epoch ms). */
export function lateFor(ask: Ask, now: number): Objection | null {
  if (ask.decision !== 'pending' || ask.handledAt !== undefined || ask.answer !== undefined) {
    const at = ask.decidedAt === undefined ? '' : ` at ${ask.decidedAt}`
    return {
      kind: 'decided',
      is: `it is already ${ask.answer === undefined ? ask.decision : 'answered'}`,
      ...(ask.decidedBy === undefined ? {} : { why: `by ${ask.decidedBy}${at}` }),
      next: `neo ask show ${ask.id}`,
    }
  }
  if (ask.expiresAt === undefined || Date.parse(ask.expiresAt) > now) return null
  return {
    kind: 'expired',
    is: `it expired at ${ask.expiresAt}`,
    why: 'requests that are not answered in time are denied',
    next: 'neo task start makes a new request',
  }
}

/** Null if no session asked, or its session waits for this very file. */
export function strayFrom({ ask, path }: AskFile, sessions: Facts['sessions']): Objection | null {
  if (ask.session === undefined) return null
  const fact = sessions.get(ask.session)
  const waits =
    fact !== undefined &&
    fact.state !== 'ended' &&
    path === askPath(fact.record.room, ask.id) &&
    (fact.wants ?? []).some(({ id }) => id === ask.id)
  if (waits) return null
  return {
    kind: 'changed',
    is: 'no session is waiting for it',
    why: 'its session has ended or was answered, or this is a copy of its request',
    next: 'neo ask list',
  }
}

/** Null if what was shown is what would run; `present`: its hash now. */
export function changedSince(ask: Ask, present: string | undefined): Objection | null {
  if (present === undefined || present === ask.action.sha256) return null
  return {
    kind: 'changed',
    is: 'its content changed after the request',
    why: `it shows ${ask.action.sha256.slice(0, 12)}…, now ${present.slice(0, 12)}… would run`,
    next: 'neo watch or neo run: Neo asks again',
  }
}
