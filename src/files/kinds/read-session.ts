/**
 * The session file, `rooms/<room>/sessions/<id>.md`: reading it. The body is hand-over summary and long result.
 */
import { SESSION_STATUSES, type SessionFile } from '../../domain/session/session.ts'
import { filled, id, used, worker } from '../values/header-values.ts'
import { baseName, given, readKind } from '../values/kind.ts'
import type { Read } from '../header/read-header.ts'
import { needs } from '../values/required.ts'
import { choice, keys, said, text, whole } from '../values/shape.ts'
import { instantOf, time } from '../values/times.ts'

export const sessionShape = keys({
  id: said('The id of the session.', id),
  task: said('The task that it worked on.', filled),
  worker: said('Who worked.', worker),
  model: said('The model.', text()),
  workspace: said('Where it worked.', text()),
  branch: said('The branch with its commits.', text()),
  base: said('The branch that it started from.', text()),
  status: said('How it ended, or where it stands.', choice(...SESSION_STATUSES)),
  turns: said('Calls of the model.', whole()),
  usage: said(
    'Tokens and US dollars.',
    keys({
      ...used,
      cache_read_tokens: said('Tokens read from the cache.', whole()),
      cache_write_tokens: said('Tokens written to the cache.', whole()),
    }),
  ),
  started_at: said('When it started.', time),
  ended_at: said('When it ended.', time),
  sandbox: said('What confined its commands.', text()),
  runner: said('The machine that ran it.', text()),
  transcript_sha256: said('The hash of a transcript that stays on this machine.', text()),
})

/** Reads a session file; its name stands in for an id. */
export function readSession(file: string, bytes: Buffer | string): Read<SessionFile> {
  return readKind(file, bytes, {
    shape: sessionShape,
    build: (known, doc, on) => {
      needs(on, known, mayHaveNoTask(known.status) ? ['status'] : ['task', 'status'])
      return {
        id: known.id ?? baseName(file),
        task: known.task ?? '',
        worker: known.worker ?? 'agent',
        workspace: known.workspace ?? '',
        branch: known.branch ?? '',
        base: known.base ?? '',
        status: known.status ?? 'failed',
        turns: known.turns ?? 0,
        startedAt: instantOf(known.started_at ?? '', 'UTC') ?? '',
        sandbox: known.sandbox ?? 'none',
        runner: known.runner ?? '',
        body: doc.body,
        ...given<{ model?: string; endedAt?: string }>({
          model: known.model,
          endedAt: instantOf(known.ended_at ?? '', 'UTC') ?? undefined,
        }),
      }
    },
  })
}

/** One that waits for its first task, or that waited in vain. */
function mayHaveNoTask(status: string | undefined): boolean {
  return status === 'waiting_for_input' || status === 'stopped'
}
