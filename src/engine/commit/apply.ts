/**
 * Carries decisions out, one after the other, each by its own effect; bookkeeping goes its own way
 * (effects/bookkeeping.ts). Invariant 1: an effect that finds its file changed does nothing: the next look plans afresh.
 * To add an effect: a member of Decision, a function in effects/, a case here.
 */
import type { Decision } from '../../domain/plan/decision.ts'
import type { Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import type { Context } from '../context.ts'
import { reconcile, record } from '../effects/adopt.ts'
import { answer, settle, withdraw } from '../effects/answers.ts'
import { closeAsk, openAsk } from '../effects/ask-effects.ts'
import { discard, finish, lost, mergeAgain, mergedByNow } from '../effects/finish.ts'
import { turned, wake } from '../effects/wake-orchestrator.ts'
import { publish, published } from '../effects/publish.ts'
import { fire } from '../effects/schedule-effects.ts'
import type { Bookkeeping } from '../effects/bookkeeping.ts'
import { halt, requeue, startSession } from '../effects/start-session.ts'
import { report, tell, want } from '../effects/wants.ts'
import type { Transacted } from './transact.ts'

/** What has a commit of its own. */
export type Single = Exclude<Decision, Bookkeeping>

/** Gives true where the decision changed something. */
export async function apply(context: Context, snapshot: Snapshot, decision: Single): Promise<boolean> {
  return (await carryOut(context, snapshot, decision)) !== 'lost'
}

async function carryOut(context: Context, snapshot: Snapshot, decision: Single): Promise<Transacted> {
  switch (decision.kind) {
    case 'fire':
      return fire(context, snapshot, decision)
    case 'resume':
      context.sessions.run(decision.session)
      return 'done'
    case 'stop':
      await context.sessions.stop(decision.session, decision.why)
      return 'done'
    case 'wake':
      return wake(context, decision.room, decision.triggers)
    case 'turned':
      return turned(context, snapshot, decision.room)
    case 'want':
      return want(context, decision)
    case 'answer':
      return answer(context, snapshot, decision)
    case 'settle':
      return settle(context, snapshot, decision)
    case 'withdraw':
      return withdraw(context, snapshot, decision)
    case 'report':
      return report(context, snapshot, decision)
    case 'discard': {
      const fact = context.sessions.facts().get(decision.session)
      const file =
        [...snapshot.tasks.values()].find(({ task }) => task.neo.session === decision.session) ?? null
      return fact === undefined ? 'lost' : discard(context, fact, { file, why: decision.why })
    }
    default: {
      const file = snapshot.tasks.get(decision.path)
      return file === undefined ? 'lost' : onTask(context, snapshot, { decision, file })
    }
  }
}

type OnTask = Exclude<
  Single,
  {
    kind:
      | 'fire'
      | 'resume'
      | 'stop'
      | 'discard'
      | 'want'
      | 'answer'
      | 'settle'
      | 'withdraw'
      | 'report'
      | 'wake'
      | 'turned'
  }
>

async function onTask(
  context: Context,
  snapshot: Snapshot,
  of: { decision: OnTask; file: TaskFile },
): Promise<Transacted> {
  const { decision, file } = of
  switch (decision.kind) {
    case 'reconcile':
      return reconcile(context, file)
    case 'record':
      return record(context, file, decision.status)
    case 'start':
      return startSession(context, snapshot, { file, attempt: decision.attempt })
    case 'requeue':
      return requeue(context, file, decision.why)
    case 'halt':
      return halt(context, file)
    case 'open-ask':
      return openAsk(context, snapshot, { file, about: decision.about })
    case 'close-ask': {
      const ask = snapshot.asks.get(decision.ask)
      return ask === undefined ? 'lost' : closeAsk(context, { file, ask, verdict: decision.verdict })
    }
    case 'finish':
      return finishing(context, snapshot, { decision, file })
    case 'tell':
      return tell(context, file, decision)
    case 'publish':
      return publish(context, snapshot, file)
    case 'published':
      return published(context, snapshot, { file, decision })
    case 'merge':
      return mergeAgain(context, snapshot, file)
    case 'merged':
      return mergedByNow(context, snapshot, file)
    case 'lost':
      return lost(context, file, decision.error)
  }
}

async function finishing(
  context: Context,
  snapshot: Snapshot,
  { decision, file }: { decision: Extract<Decision, { kind: 'finish' }>; file: TaskFile },
): Promise<Transacted> {
  const fact = context.sessions.facts().get(decision.session)
  return fact === undefined ? 'lost' : finish(context, snapshot, { file, fact, outcome: decision.outcome })
}
