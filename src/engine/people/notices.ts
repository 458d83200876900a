/**
 * Notices: what a person should hear without asking, and in which words, and their delivery to the terminal and to the
 * channels in `notify:`. The outbox keeps them until every channel has sent them. A key says what it is about and in
 * which state, so that the same thing is said once. All warnings of a file are one notice, cleared when the file is
 * fixed.
 */
import { costText } from '../../domain/budget/usage-sum.ts'
import { kindOf } from '../../domain/home/home-paths.ts'
import { onceAFile, type Problem, problemText, whereOf } from '../../domain/home/problem.ts'
import type { Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import type { NoticeKind } from '../../domain/room/notice-kinds.ts'
import { redact } from '../../domain/secrets/redact.ts'
import type { Verdict } from '../../domain/session/outcome.ts'
import type { SessionRecord, Want } from '../../domain/session/session.ts'
import { isoSecond } from '../../files/values/times.ts'
import type { Context } from '../context.ts'
import type { Notice } from './notice-outbox.ts'

/** The channel that every notice goes to first; `notify:` of its room adds others. */
const TERMINAL = 'terminal'

type Sender = Pick<Context, 'outbox' | 'world'>

export function notify(
  { outbox, world }: Sender,
  notice: Omit<Notice, 'at' | 'to'> & { readonly to?: readonly string[] },
): void {
  outbox.put({ to: [TERMINAL], ...notice, at: isoSecond(world.clock.now()) })
}

/** A request that a person has to decide. */
export function notifyRequest(
  context: Sender,
  { id, room, reason }: { readonly id: string; readonly room: string; readonly reason: string },
): void {
  notify(context, { key: `ask:${id}`, kind: 'asks', ask: id, text: `${reason}: neo ask show ${id}`, room })
}

/** A question of a session, or an approval that it needs. */
export function notifyWant(
  context: Sender,
  { room, taskName }: SessionRecord,
  { id, kind, text: content }: Pick<Want, 'id' | 'kind' | 'text'>,
): void {
  const text =
    kind === 'question'
      ? `${taskName} asks: ${content}: neo ask answer ${id} "…"`
      : `${taskName} needs approval: ${content}: neo ask approve ${id}`
  notify(context, { key: `ask:${id}`, kind: 'asks', ask: id, text, room })
}

const KIND_OF_END: Readonly<Partial<Record<Verdict['status'], NoticeKind>>> = {
  completed: 'results',
  review: 'reviews',
}

/**
 * The end of a session: its result, branch and cost. What needs a person goes to the terminal and from there on; what
 * ended well goes only to those that the room names.
 */
export function notifyEnd(
  context: Context,
  snapshot: Snapshot,
  { file, record, verdict }: { file: TaskFile; record: SessionRecord; verdict: Verdict },
): void {
  const { status, verb, says, needsPerson } = verdict
  const wanted = snapshot.rooms.get(file.room)?.room.notify ?? []
  const to = needsPerson ? [TERMINAL] : status === 'completed' ? wanted : []
  if (to.length === 0) return
  const { neo } = file.task
  const details = detailsOf(context, record, verdict)
  const shown = details === '' || says.includes(details) ? says : `${says} (${details})`
  const next = status === 'review' ? `: neo review diff ${neo.id}` : ''
  notify(context, {
    key: `${verb}:${neo.id}:${neo.attempt ?? 0}`,
    kind: KIND_OF_END[status] ?? 'failures',
    text: `${file.room}/${file.name} ${status === 'review' ? '' : `${status}: `}${shown}${next}`,
    room: file.room,
    to,
  })
}

/** Branch and cost, if there are any. */
function detailsOf({ usage }: Context, record: SessionRecord, { neo, says }: Verdict): string {
  const { branch } = neo
  return [
    ...(typeof branch !== 'string' || says.includes(branch) ? [] : [`branch ${branch}`]),
    ...(record.agent === undefined ? [] : [costText(usage.ofSession(record.id))]),
  ].join(', ')
}

/** @param cost of all sessions of the task, in parentheses; '' if no model worked on it */
export function notifyPull(
  context: Sender,
  { room, name, task }: TaskFile,
  { url, says, cost }: { readonly url: string | null; readonly says: string; readonly cost: string },
): void {
  const text = url === null ? `has no pull request yet: ${says}` : `waits for review: ${says}${cost}`
  const key = `publish:${task.neo.id}:${says}`
  notify(context, { key, kind: 'reviews', text: `${room}/${name} ${text}`, room })
}

/** @param of.trigger what Neo replies to */
export function notifyReply(
  context: Sender,
  room: string,
  of: { readonly reply: string; readonly trigger: string },
): void {
  const text = `Neo: ${redact(of.reply.trim())}`
  // The channel of the message has the answer already.
  const answers = of.trigger.startsWith('inbox:') ? { isAnswer: true as const } : {}
  notify(context, { key: `reply:${of.trigger}`, kind: 'words', ...answers, text, room })
}

/** @param at the slots, as text */
export function notifySchedule(
  context: Sender,
  { path, room, at, text }: Readonly<Record<'path' | 'room' | 'at' | 'text', string>>,
): void {
  notify(context, { key: `schedule:${path}:${at}`, kind: 'problems', text, room })
}

/** The user's text won over Neo's. */
export function notifyConflict(context: Sender, { path, hash, room }: TaskFile): void {
  const text = `${path}: you and Neo changed the same lines; yours were kept, Neo's are in git (git log -p -- ${path})`
  notify(context, { key: `conflict:${path}:${hash}`, kind: 'problems', text, room })
}

/** Once in the life of a home. */
export function notifyIdentity(context: Sender & Pick<Context, 'person'>): void {
  const { name, email } = context.person
  const text = `git has no name for you, so your edits are committed as ${name} <${email}>; to change that, run git config --global user.name and user.email`
  notify(context, { key: 'identity', kind: 'problems', text, room: '' })
}

function notifyProblem(context: Sender, problem: Problem): void {
  const text = `${whereOf(problem)}: ${problemText({ ...problem, line: null })}`
  notify(context, {
    key: problemKey(problem),
    kind: 'problems',
    text,
    room: kindOf(problem.file)?.room ?? '',
  })
}

function problemKey(problem: Problem): string {
  return `problem:${whereOf(problem)}:${problem.code}:${problem.message}`
}

/** Ends the key of a notice's copy for channels that may take long. */
const ELSEWHERE = ' elsewhere'

/** Puts news about problems into the outbox and hands everything undelivered to the terminal. */
export function deliverNotices(context: Context, snapshot: Snapshot): void {
  const { problems } = snapshot
  const errors = problems.filter(({ severity }) => severity === 'error')
  noticeProblems(context, [...errors, ...onceAFile(problems.filter(({ severity }) => severity !== 'error'))])
  for (const notice of context.outbox.pending(TERMINAL)) {
    route(context, snapshot, notice)
    context.emit({ kind: 'notice', text: notice.text, ...(notice.room === '' ? {} : { room: notice.room }) })
    context.outbox.receipt(notice.key, TERMINAL, isoSecond(context.world.clock.now()))
  }
}

/** A copy with its own key for the room's `notify:`. */
function route({ outbox }: Context, snapshot: Snapshot, notice: Notice): void {
  if (notice.isAnswer === true) return
  const to = snapshot.rooms.get(notice.room)?.room.notify ?? []
  if (to.length > 0) outbox.put({ ...notice, key: `${notice.key}${ELSEWHERE}`, to })
}

/** Keys of the problems that this process has noticed, by context: a mended file may break again and be noticed again. */
const noticed = new WeakMap<Context, Set<string>>()

function noticeProblems(context: Context, problems: readonly Problem[]): void {
  const before = noticed.get(context) ?? new Set<string>()
  const now = new Set(problems.map(problemKey))
  noticed.set(context, now)
  for (const key of before) {
    if (now.has(key)) continue
    context.outbox.clear(key)
    context.outbox.clear(`${key}${ELSEWHERE}`)
  }
  for (const problem of problems) {
    if (before.has(problemKey(problem))) continue
    notifyProblem(context, problem)
  }
}
