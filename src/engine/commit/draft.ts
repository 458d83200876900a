/**
 * A draft: what one decision would write, commit and print. Making it changes nothing, so that drafts can share a commit
 * (effects/bookkeeping.ts).
 */
import type { Context, Event } from '../context.ts'
import { noteGone } from './new-id.ts'
import { type Intent, type Transacted, transact } from './transact.ts'

export interface Draft {
  /** For a commit of its own. */
  readonly intent: Intent
  readonly room: string
  /** For the subject of a shared commit. */
  readonly noun: 'room' | 'schedule' | 'task'
  readonly name: string
  readonly event: Omit<Event, 'at'>
  /** The id of a deleted task, which is not used again. */
  readonly gone?: string
}

/** Null: the file has changed since the decision. */
export async function commitDraft(context: Context, draft: Draft | null): Promise<Transacted> {
  if (draft === null) return 'lost'
  const done = await transact(context, draft.intent)
  if (done === 'lost') return done
  noteGone(context, goneIn([draft]))
  context.emit(draft.event)
  return done
}

export function goneIn(drafts: readonly Draft[]): readonly string[] {
  return drafts.flatMap(({ gone }) => gone ?? [])
}
