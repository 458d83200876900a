/**
 * Messages to sessions. Takes a session and a text; leaves it in the session's mailbox, on the disk, and its runner told.
 * Leaves to work/: when the session reads it. Invariant 1: what a person or Neo says to a session that waits with a
 * question is the answer to it; what another session says never is. Invariant 2: secrets are masked before it is kept.
 */
import { redact } from '../core/rules/redact.ts'
import { type HubEnv, isoNow } from './env.ts'
import { missing } from './find.ts'
import { HUB_CODES, HubError } from './hub.ts'

export interface SessionMessage {
  readonly session: string
  /** As `neo.created_by`. */
  readonly from: string
  readonly text: string
}

/** Throws HubError `missing` where no such session is at work, `busy` where it reads no messages. */
export function deliver(env: HubEnv, { session, from, text }: SessionMessage): void {
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
  if (question !== undefined) sessions.deliver(session, { key: question.key, kind: 'answer', ...said })
  else
    sessions.deliver(session, { key: `m-${isoNow(env)}-${world.random.id('a')}`, kind: 'message', ...said })
}
