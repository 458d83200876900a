/**
 * How each decision is carried out: one row a kind, and the compiler names a row that is missing. Invariant 1: an effect
 * that finds its file changed does nothing and says `lost`; the next look decides again.
 */
import type { Decision, DecisionOf } from '../../domain/plan/decision.ts'
import type { Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import type { Transacted } from '../commit/transact.ts'
import type { Context } from '../context.ts'
import { draftAdoption, draftDeletion, reconcile, record } from './adopt.ts'
import { draftRoom } from './adopt-room.ts'
import { answer, settle, withdraw } from './answers.ts'
import { closeAsk, openAsk } from './ask-effects.ts'
import { discard, finish, lost, mergeAgain, mergedByNow } from './finish.ts'
import { publish, published } from './publish.ts'
import { draftAdoptedSchedule, draftChangedSchedule, fire } from './schedule-effects.ts'
import { draftBlock, draftHandOver, draftUnblock, halt, requeue, startSession } from './start-session.ts'
import type { Draft } from './task-write.ts'
import { turned, wake } from './wake-orchestrator.ts'
import { report, tell, want } from './wants.ts'

/** With a commit of its own, or a draft that shares a commit with others of the same verb (bookkeeping.ts). */
export type Effect<D> =
  | { apply(context: Context, snapshot: Snapshot, decision: D): Promise<Transacted> | Transacted }
  | {
      readonly verb: string
      draft(context: Context, snapshot: Snapshot, decision: D): Promise<Draft | null> | Draft | null
    }

interface OnTask<D> {
  readonly snapshot: Snapshot
  readonly file: TaskFile
  readonly decision: D
}

type WithPath = Decision & { readonly path: string }

/** For a decision about a task file. */
function task<D extends WithPath>(
  run: (context: Context, of: OnTask<D>) => Promise<Transacted> | Transacted,
): Effect<D> {
  return {
    apply(context, snapshot, decision) {
      const file = snapshot.tasks.get(decision.path)
      return file === undefined ? 'lost' : run(context, { snapshot, file, decision })
    },
  }
}

function taskDraft<D extends WithPath>(
  verb: string,
  draft: (context: Context, of: OnTask<D>) => Draft | null,
): Effect<D> {
  return {
    verb,
    draft(context, snapshot, decision) {
      const file = snapshot.tasks.get(decision.path)
      return file === undefined ? null : draft(context, { snapshot, file, decision })
    },
  }
}

const EFFECTS: { readonly [K in Decision['kind']]: Effect<DecisionOf<K>> } = {
  adopt: taskDraft('adopt', (context, { snapshot, file, decision: { id } }) =>
    draftAdoption(context, snapshot, { file, id }),
  ),
  'adopt-room': { verb: 'adopt', draft: draftRoom },
  'adopt-schedule': { verb: 'adopt', draft: draftAdoptedSchedule },
  'record-schedule': { verb: 'change', draft: draftChangedSchedule },
  forget: { verb: 'delete', draft: (context, _, decision) => draftDeletion(context, decision) },
  'hand-over': taskDraft('assign * to human', (context, { file, decision: { attempt } }) =>
    draftHandOver(context, file, attempt),
  ),
  block: taskDraft('block', (context, { file, decision }) => draftBlock(context, file, decision)),
  unblock: taskDraft('unblock', (context, { file }) => draftUnblock(context, file)),
  reconcile: task((context, { file }) => reconcile(context, file)),
  record: task((context, { file, decision: { status } }) => record(context, file, status)),
  fire: { apply: fire },
  start: task((context, { snapshot, file, decision: { attempt } }) =>
    startSession(context, snapshot, { file, attempt }),
  ),
  requeue: task((context, { file, decision: { why } }) => requeue(context, file, why)),
  halt: task((context, { file }) => halt(context, file)),
  resume: {
    apply(context, _, { session }) {
      context.sessions.run(session)
      return 'done'
    },
  },
  stop: {
    async apply(context, _, { session, why }): Promise<Transacted> {
      await context.sessions.stop(session, why)
      return 'done'
    },
  },
  finish: task((context, { snapshot, file, decision: { session, outcome } }) => {
    const fact = context.sessions.facts().get(session)
    return fact === undefined ? 'lost' : finish(context, snapshot, { file, fact, outcome })
  }),
  discard: { apply: discard },
  'open-ask': task((context, { snapshot, file, decision: { about } }) =>
    openAsk(context, snapshot, { file, about }),
  ),
  'close-ask': task((context, { snapshot, file, decision }) => {
    const ask = snapshot.asks.get(decision.ask)
    return ask === undefined ? 'lost' : closeAsk(context, { file, ask, verdict: decision.verdict })
  }),
  want: { apply: (context, _, decision) => want(context, decision) },
  answer: { apply: answer },
  settle: { apply: settle },
  withdraw: { apply: withdraw },
  report: { apply: report },
  tell: task((context, { file, decision }) => tell(context, file, decision)),
  wake: { apply: (context, _, { room, triggers }) => wake(context, room, triggers) },
  turned: { apply: (context, snapshot, { room }) => turned(context, snapshot, room) },
  publish: task((context, { snapshot, file }) => publish(context, snapshot, file)),
  published: task((context, { snapshot, file, decision }) =>
    published(context, snapshot, { file, decision }),
  ),
  merge: task((context, { snapshot, file }) => mergeAgain(context, snapshot, file)),
  merged: task((context, { snapshot, file }) => mergedByNow(context, snapshot, file)),
  lost: task((context, { file, decision: { error } }) => lost(context, file, error)),
}

export function effectOf(decision: Decision): Effect<Decision> {
  return EFFECTS[decision.kind]
}
