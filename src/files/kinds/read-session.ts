/** The session file, `rooms/<room>/sessions/<id>.md`. The body is the hand-over summary and the long result. */
import { SESSION_STATUSES, type SessionFile } from '../../domain/session/session.ts'
import { WORKER_FORMS } from '../../domain/task/task.ts'
import type { Read } from '../header/read-header.ts'
import { camelKeys, id, nonEmptyText, used, withoutUndefined, worker } from '../values/header-values.ts'
import { baseName, type Covers, needs, readKind } from '../values/kind.ts'
import { choice, describe, type Infer, integer, keys, text } from '../values/shape.ts'
import { time, utcOf } from '../values/times.ts'

export const sessionShape = keys({
  id: describe('Id of the session.', id),
  task: describe('Task that it worked on.', nonEmptyText),
  worker: describe(`Worker: ${WORKER_FORMS}.`, worker),
  model: describe('Model as `provider/model`.', text()),
  workspace: describe('Repository or folder that it worked in.', text()),
  branch: describe('Branch with its commits.', text()),
  base: describe('Branch that it started from.', text()),
  status: describe('State of the session.', choice(...SESSION_STATUSES)),
  turns: describe('Number of model calls.', integer()),
  usage: describe(
    'Tokens and cost.',
    keys({
      ...used,
      cache_read_tokens: describe('Tokens read from the cache.', integer()),
      cache_write_tokens: describe('Tokens written to the cache.', integer()),
    }),
  ),
  started_at: describe('Start time.', time),
  ended_at: describe('End time.', time),
  sandbox: describe('Sandbox in which its commands ran.', text()),
  runner: describe('Machine that ran it.', text()),
  transcript_sha256: describe('Hash of the transcript if `transcripts: local` is set.', text()),
})

type SessionGiven = Infer<typeof sessionShape>

/** The id is that of the header, else the file name. */
export function readSession(file: string, bytes: Buffer | string): Read<SessionFile> {
  return readKind(file, bytes, {
    shape: sessionShape,
    build: (known, doc, on) => {
      needs(on, known, mayHaveNoTask(known.status) ? ['status'] : ['task', 'status'])
      return sessionOf(known, baseName(file), doc.body)
    },
  })
}

/** `usage` and the hash of the transcript are for people. */
function sessionOf(
  known: SessionGiven,
  id: string,
  body: string,
): Covers<SessionFile, SessionGiven, { usage: null; transcript_sha256: null }, 'body'> {
  const { started_at, ended_at, usage: _usage, transcript_sha256: _hash, ...same } = known
  return {
    id,
    task: '',
    worker: 'agent',
    workspace: '',
    branch: '',
    base: '',
    status: 'failed',
    turns: 0,
    sandbox: 'none',
    runner: '',
    ...camelKeys(same),
    startedAt: utcOf(started_at) ?? '',
    ...withoutUndefined<Partial<SessionFile>>({
      endedAt: utcOf(ended_at),
    }),
    body,
  }
}

/** True for a session that waits for its first task, or that ended without one. */
function mayHaveNoTask(status: string | undefined): boolean {
  return status === 'waiting_for_input' || status === 'stopped'
}
