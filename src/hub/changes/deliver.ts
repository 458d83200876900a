/**
 * Messages to sessions. Invariants: 1. what a person or Neo says to a session that waits with a question is the answer
 * to it, and closes its ask; what another session says never is; 2. secrets are masked before it is kept.
 */
import type { Delivery, Want } from '../../domain/session/session.ts'
import type { SessionFact } from '../../domain/plan/snapshot.ts'
import { askPath } from '../../domain/plan/plan-wants.ts'
import { redact } from '../../domain/secrets/redact.ts'
import { settled } from '../../engine/effects/answers.ts'
import { type HubEnv, isoNow, look } from '../env.ts'
import { missing } from '../views/find-in-home.ts'
import { HUB_CODES, HubError } from '../hub.ts'

export interface SessionMessage {
  readonly session: string
  /** As `neo.created_by`. */
  readonly from: string
  readonly text: string
}

/** Throws HubError `missing` where no such session is at work, `busy` where it reads no messages. */
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
