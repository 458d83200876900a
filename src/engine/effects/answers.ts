/**
 * Decisions on the requests of sessions: the session gets the answer, and the request file says how it was settled.
 * Invariants: 1. the session has the answer before the request is marked as handled, and the mark says what the session
 * got, also after a kill in between; 2. a request that was changed is denied; 3. only people who decided are named.
 */
import type { DecisionOf } from '../../domain/plan/decision.ts'
import type { AskFile, Snapshot } from '../../domain/plan/snapshot.ts'
import type { Delivery, SessionRecord, Want } from '../../domain/session/session.ts'
import { editDocument, type Json, type Patch } from '../../files/edit/edit-header.ts'
import { withAnswer } from '../../files/kinds/read-ask.ts'
import { isoSecond } from '../../files/values/times.ts'
import { type Transacted, textAt, transact } from '../commit/transact.ts'
import { type Context, NEO } from '../context.ts'
import { messageOf, type Trailers } from './commit-words.ts'
import { find, showsStill } from './wants.ts'

/** Sender of an answer that nobody gave: the request expired. */
const NOBODY = 'system'

export async function answer(
  context: Context,
  snapshot: Snapshot,
  decision: DecisionOf<'answer'>,
): Promise<Transacted> {
  const found = find(context, decision)
  const ask = snapshot.asks.get(decision.path)
  if (found === null || ask === undefined || ask.hash !== decision.hash) return 'lost'
  const { record, want: one } = found
  const verdict = verdictOf(context, ask, { want: one, record })
  const delivery: Delivery = {
    key: one.key,
    kind: 'answer',
    from: verdict.by === 'person' ? (ask.ask.decidedBy ?? context.person.name) : NOBODY,
    text: verdict.text,
    ...(one.kind === 'approval' ? { verdict: verdict.yes } : {}),
  }
  context.sessions.deliver(record.id, delivery)
  return settled(context, ask, delivery)
}

interface Verdict {
  readonly yes: 'yes' | 'no'
  readonly by: 'person' | 'time'
  readonly text: string
}

function verdictOf(
  context: Context,
  { ask }: AskFile,
  { want: one, record }: { readonly want: Want; readonly record: SessionRecord },
): Verdict {
  const now = context.world.clock.now()
  const decided = ask.decidedAt === undefined ? now : Date.parse(ask.decidedAt)
  const late = ask.expiresAt !== undefined && Date.parse(ask.expiresAt) < decided
  if (one.kind === 'question') {
    if (ask.answer !== undefined) return { yes: 'yes', by: 'person', text: ask.answer }
    return late
      ? { yes: 'no', by: 'time', text: 'not answered in time' }
      : { yes: 'no', by: 'person', text: 'the question was denied' }
  }
  if (!showsStill(ask, one, record))
    return { yes: 'no', by: 'person', text: 'the request was changed, so the decision does not count' }
  if (late || ask.decision === 'pending') return { yes: 'no', by: 'time', text: 'not approved in time' }
  return { yes: ask.decision === 'approved' ? 'yes' : 'no', by: 'person', text: '' }
}

export async function settle(
  context: Context,
  snapshot: Snapshot,
  decision: DecisionOf<'settle'>,
): Promise<Transacted> {
  const ask = snapshot.asks.get(decision.path)
  if (ask === undefined || ask.hash !== decision.hash) return 'lost'
  return settled(context, ask, decision.answer)
}

/** Marks a request as handled, with the answer that its session got. */
export function settled(context: Context, ask: AskFile, delivery: Delivery): Promise<Transacted> {
  const by = delivery.from === 'human' ? context.person.name : delivery.from
  const isAnswer = delivery.verdict === undefined
  const yes = delivery.verdict === 'yes'
  return handle(context, ask, {
    verb: isAnswer ? 'answer' : yes ? 'approve' : 'deny',
    by: by === NOBODY ? null : by,
    trailers: yes ? [['Neo-Approved-By', by]] : [],
    body: isAnswer ? bodyWith(ask, delivery) : undefined,
  })
}

/** A question that a message answered shows the message as its answer. */
function bodyWith({ ask }: AskFile, { from, text }: Delivery): string | undefined {
  const isSaid = ask.answer === undefined && ask.decision === 'pending' && from !== NOBODY
  return isSaid && ask.kind === 'question' ? withAnswer(ask.body, text) : undefined
}

export async function withdraw(
  context: Context,
  snapshot: Snapshot,
  decision: DecisionOf<'withdraw'>,
): Promise<Transacted> {
  const ask = snapshot.asks.get(decision.path)
  if (ask === undefined || ask.hash !== decision.hash) return 'lost'
  // The task's file may be missing for a moment (a rename, a stash): the request stays until the deletion counts.
  if (context.look.goneWithId(ask.ask.task ?? '') !== null) return 'lost'
  return handle(context, ask, { verb: 'withdraw', by: null, trailers: [], body: undefined })
}

interface Handled {
  readonly verb: string
  /** Null: nobody decided. */
  readonly by: string | null
  readonly trailers: Trailers
  readonly body: string | undefined
}

async function handle(context: Context, ask: AskFile, of: Handled): Promise<Transacted> {
  const text = textAt(context, ask.path, ask.hash)
  if (text === null) return 'lost'
  const { session = '', task = '' } = ask.ask
  return transact(context, {
    kind: 'answer',
    changes: [{ path: ask.path, before: ask.hash, after: editDocument(text, patchOf(context, ask, of)) }],
    ...messageOf(ask.room, `${of.verb} ${ask.ask.id}`, ask.ask.reason),
    trailers: [
      ['Neo-Room', ask.room],
      ...(task === '' ? [] : [['Neo-Task', task] as const]),
      ...(session === '' ? [] : [['Neo-Session', session] as const]),
      ['Neo-Event', of.verb],
      ...of.trailers,
    ],
    author: of.by === null || of.by === 'neo' || of.by.startsWith('session:') ? NEO : context.person,
  })
}

function patchOf(context: Context, { ask }: AskFile, { by, body }: Handled): Patch {
  const at = isoSecond(context.world.clock.now())
  const { decidedAt, decidedBy } = ask
  const set: Record<string, Json> = { handled_at: at }
  if (by !== null && decidedAt === undefined) set['decided_at'] = at
  if (by !== null && decidedBy === undefined) set['decided_by'] = by
  return { set, ...(body === undefined ? {} : { body }) }
}
