/**
 * What running sessions want: a question or an approval becomes a request, a memory a file, a subagent a task whose
 * result comes back. Ids follow from session and key, so a crash in between repeats nothing. An approval holds for
 * exactly what was written into its file: tool, arguments, reason, session and task.
 */
import type { DecisionOf } from '../../domain/plan/decision.ts'
import { askPath } from '../../domain/plan/plan-wants.ts'
import type { AskFile, Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import type { SessionRecord, Want } from '../../domain/session/session.ts'
import { fileSlugOf } from '../../domain/task/slug.ts'
import { fenced } from '../../files/body/markdown.ts'
import { type Json, renderDocument } from '../../files/edit/edit-header.ts'
import { answerOf } from '../../files/kinds/read-ask.ts'
import { sameData } from '../../files/values/equal.ts'
import { isoSecond } from '../../files/values/times.ts'
import type { FileChange } from '../commit/journal.ts'
import { type Transacted, transact } from '../commit/transact.ts'
import { type Context, NEO } from '../context.ts'
import { notifyWant } from '../people/notices.ts'
import { digest, EXPIRES_MS } from './approved-text.ts'
import { messageOf, oneLine, sessionTrailers } from './commit-words.ts'

export async function want(context: Context, decision: DecisionOf<'want'>): Promise<Transacted> {
  const found = find(context, decision)
  if (found === null) return 'lost'
  const { record, want: one } = found
  switch (one.kind) {
    case 'question':
    case 'approval':
      return putAsk(context, record, one)
    case 'memory':
      return remember(context, record, one)
    case 'spawn':
      return spawn(context, record, one)
  }
}

/** Null if the session or its want is gone. */
export function find(
  context: Context,
  { session, key }: { readonly session: string; readonly key: string },
): { readonly record: SessionRecord; readonly want: Want } | null {
  const fact = context.sessions.facts().get(session)
  const one = fact?.wants?.find((each) => each.key === key)
  return fact === undefined || one === undefined ? null : { record: fact.record, want: one }
}

async function putAsk(context: Context, record: SessionRecord, one: Want): Promise<Transacted> {
  const now = context.world.clock.now()
  const verb = one.kind === 'question' ? 'ask a question about' : 'request approval for'
  const after = askText(record, one, now)
  if (after === null) return tooLong(context, record, one)
  const done = await put(context, record, {
    change: { path: askPath(record.room, one.id), before: null, after },
    verb,
    says: oneLine(one.text),
    event: 'ask',
  })
  if (done !== 'lost') notifyWant(context, record, { ...one, text: oneLine(one.text) })
  return done
}

/** What can't be shown can't be approved. */
function tooLong(context: Context, record: SessionRecord, one: Want): Transacted {
  const { key } = one
  const text = 'it is too long to show in a request; put it in a file'
  context.sessions.deliver(record.id, { key, kind: 'answer', from: 'system', text, verdict: 'no' })
  return 'done'
}

async function remember(context: Context, record: SessionRecord, one: Want): Promise<Transacted> {
  const now = isoSecond(context.world.clock.now())
  const { type, tags } = (one.arguments ?? {}) as { readonly type?: Json; readonly tags?: Json }
  const neo = {
    id: one.id,
    created_at: now,
    created_by: `session:${record.id}`,
    session: record.id,
    task: record.taskId,
  }
  const after = renderDocument({ type: type ?? 'note', tags: tags ?? [], neo }, `${one.text.trim()}\n`)
  const path = `rooms/${record.room}/memories/${fileSlugOf(one.text.slice(0, 60)) || 'memory'}--${one.id}.md`
  const known = context.look.tree().has(path)
  const done = known
    ? 'done'
    : await put(context, record, {
        change: { path, before: null, after },
        verb: 'save a memory of',
        says: oneLine(one.text),
        event: 'remember',
      })
  if (done !== 'lost')
    context.sessions.deliver(record.id, { key: one.key, kind: 'answer', from: 'system', text: path })
  return done
}

async function spawn(context: Context, record: SessionRecord, one: Want): Promise<Transacted> {
  const now = isoSecond(context.world.clock.now())
  const [first = 'Subagent'] = one.text.trim().split('\n')
  const title = oneLine(first)
  const depth = (record.agent?.depth ?? 0) + 1
  const { persona } = one.arguments ?? {}
  const after = renderDocument(
    {
      title,
      status: 'pending',
      worker: 'agent',
      ...(typeof persona === 'string' ? { persona } : {}),
      labels: ['subagent', `depth-${depth}`],
      neo: { id: one.id, created_at: now, created_by: `session:${record.id}` },
    },
    `${one.text.trim()}\n`,
  )
  const path = `rooms/${record.room}/tasks/${fileSlugOf(title) || 'subagent'}--${one.id}.md`
  return put(context, record, {
    change: { path, before: null, after },
    verb: 'start a subagent of',
    says: title,
    event: 'spawn',
  })
}

/** The result of a subagent, as a message to the session that started it. */
export function report(context: Context, snapshot: Snapshot, decision: DecisionOf<'report'>): Transacted {
  const file = snapshot.tasks.get(decision.path)
  if (file === undefined) return 'lost'
  const { status, neo, title } = file.task
  const where = status === 'review' ? `, its work waits for review on ${neo.branch ?? 'a branch'}` : ''
  const text = `Subagent "${title}" is ${status}${where}: ${neo.result ?? neo.error ?? 'no result'}`
  const { session, key } = decision
  const from = `task:${neo.id ?? file.path}`
  // The message first: the answer closes the want, so after a crash nothing would send it.
  context.sessions.deliver(session, { key: `subagent-${neo.id}`, kind: 'message', from, text })
  context.sessions.deliver(session, { key, kind: 'answer', from, text })
  return 'done'
}

/** The new text of its task, to the agent that works on it. */
export function tell(context: Context, file: TaskFile, { session, key }: DecisionOf<'tell'>): Transacted {
  const text = `The task was edited while you were working on it. It now says:\n\n${file.task.body.trim()}`
  const heard = context.sessions.deliver(session, { key, kind: 'message', from: 'human', text })
  if (!heard) return 'lost'
  context.emit({
    kind: 'step',
    text: `${file.name}: sent the edit to its agent`,
    room: file.room,
    session,
  })
  return 'done'
}

async function put(
  context: Context,
  record: SessionRecord,
  of: { readonly change: FileChange; readonly verb: string; readonly says: string; readonly event: string },
): Promise<Transacted> {
  const done = await transact(context, {
    kind: of.event,
    changes: [of.change],
    ...messageOf(record.room, `${of.verb} ${record.taskName}`, of.says),
    trailers: sessionTrailers(record, of.event),
    author: NEO,
  })
  if (done !== 'lost')
    context.emit({
      kind: of.event,
      text: `${of.verb} ${record.taskName}: ${of.says}`,
      room: record.room,
      task: record.taskId,
      session: record.id,
    })
  return done
}

/** Bytes of the arguments, so that the header stays under its limit with what a decision adds. */
const MOST_SHOWN = 14_000

/** Null if it is too long for a request file. */
function askText(record: SessionRecord, one: Want, now: number): string | null {
  if (Buffer.byteLength(JSON.stringify(one.arguments ?? {})) > MOST_SHOWN) return null
  const action = actionOf(one)
  const approval = one.kind === 'approval'
  const how = approval
    ? `Set \`decision: approved\` or \`decision: denied\`, or run \`neo ask approve ${one.id}\`.\n\n${shownArguments(one)}`
    : `${questionText(one.text)}\n\n## Answer\n\n<!-- write the answer here, or run: neo ask answer ${one.id} "…" -->\n`
  return renderDocument(
    {
      kind: one.kind,
      session: record.id,
      task: record.taskId,
      action: action as unknown as Json,
      reason: oneLine(one.text),
      expires_at: isoSecond(now + EXPIRES_MS),
      decision: 'pending',
      neo: { id: one.id, created_at: isoSecond(now) },
    },
    how,
  )
}

/** Quoted if the text would answer itself, or hide the heading that an answer goes under. */
function questionText(text: string): string {
  const isPlain = answerOf(`${text}\n\n## Answer\n\nx\n`) === 'x'
  return isPlain ? text : text.replaceAll(/^/gm, '> ')
}

function shownArguments(one: Want): string {
  return fenced(JSON.stringify(one.arguments ?? {}, null, 2))
}

function actionOf(one: Want) {
  const tool = one.tool ?? 'question'
  const args = { ...(one.arguments ?? {}) }
  return { tool, arguments: args, files: [], sha256: digest([tool, args, one.text]) }
}

/** Whether a request still shows what was written into it. */
export function showsStill(ask: AskFile['ask'], one: Want, record: SessionRecord): boolean {
  const { tool, arguments: args, files, sha256 } = actionOf(one)
  const shown = ask.action
  const isSame = shown.sha256 === sha256 && shown.tool === tool && shown.files.length === files.length
  const isOfThis = ask.kind === one.kind && ask.session === record.id && ask.task === record.taskId
  const says =
    ask.reason === oneLine(one.text) && ask.body.replaceAll('\r\n', '\n').includes(shownArguments(one).trim())
  // In any order of keys: an editor may change it.
  return isSame && isOfThis && says && sameData(shown.arguments, args)
}

/** The hash in the request while it shows what the session wants, else another. */
export function shownHash(ask: AskFile['ask'], one: Want, record: SessionRecord): string {
  if (one.kind === 'question' || showsStill(ask, one, record)) return actionOf(one).sha256
  return digest([ask.reason, ask.action, ask.body])
}
