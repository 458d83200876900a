/**
 * Messages to sessions: kept in the session's folder, and handed to its runner.
 * Takes a session and a text; leaves it in the session's mailbox, on the disk.
 * Leaves to work/: when the session reads it. Invariant 1: a message is kept before anybody is told of it.
 */
import { redact } from '../core/rules/redact.ts'
import type { HubEnv } from './env.ts'
import { missing } from './find.ts'

export interface SessionMessage {
  readonly session: string
  /** As `neo.created_by`. */
  readonly from: string
  readonly text: string
}

/** Throws HubError `missing` where no such session is at work. */
export function deliver(env: HubEnv, { session, from, text }: SessionMessage): void {
  const { sessions, world } = env.context
  const fact = sessions.facts().get(session)
  if (fact === undefined || fact.state === 'ended') throw missing('session at work', session)
  const key = `message-${world.clock.now()}-${world.random.id('a')}`
  sessions.deliver(session, { key, kind: 'message', from, text: redact(text) })
}
