/**
 * What running sessions want: a question or an approval becomes a request, a memory a file, a subagent a task whose
 * result comes back. Ids follow from session and key, so a crash in between repeats nothing.
 */
import type { Decision } from '../../domain/plan/decision.ts'
import type { SessionRecord, Want } from '../../domain/session/session.ts'
import type { Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import { askPath } from '../../domain/plan/plan-wants.ts'
import { fileSlugOf } from '../../domain/task/slug.ts'
import { type Json, renderDocument } from '../../files/edit/edit-header.ts'
import { isoSecond } from '../../files/values/times.ts'
import { type Context, NEO } from '../context.ts'
import type { FileChange } from '../commit/file-change.ts'
import { type Transacted, transact } from '../commit/transact.ts'
import { notifyWant } from '../people/notices.ts'
import { askText } from './want-ask.ts'
import { messageOf, oneLine } from './commit-words.ts'

type Of<K extends Decision['kind']> = Extract<Decision, { kind: K }>

export async function want(context: Context, decision: Of<'want'>): Promise<Transacted> {
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
  const after = renderDocument(
    {
      title,
      status: 'pending',
      worker: 'agent',
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
export function report(context: Context, snapshot: Snapshot, decision: Of<'report'>): Transacted {
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
export function tell(context: Context, file: TaskFile, { session, key }: Of<'tell'>): Transacted {
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
    trailers: [
      ['Neo-Room', record.room],
      ['Neo-Task', record.taskId],
      ['Neo-Session', record.id],
      ['Neo-Event', of.event],
    ],
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
