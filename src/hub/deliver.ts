/**
 * Messages to sessions. Takes a session and a text; leaves it in the session's mailbox, on the disk, and its runner told.
 * Leaves to work/: when the session reads it. Invariant 1: what is said to a session that waits with a question is the
 * answer to it. Invariant 2: secrets are masked before anything is kept.
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
  const question = fact.wants?.find(({ kind }) => kind === 'question')
  const said = { from, text: redact(text) }
  if (question !== undefined) sessions.deliver(session, { key: question.key, kind: 'answer', ...said })
  else
    sessions.deliver(session, { key: `m-${isoNow(env)}-${world.random.id('a')}`, kind: 'message', ...said })
}
