/**
 * The session file, `rooms/<room>/sessions/<id>.md`: reading it.
 * Takes bytes; gives a SessionFile, or problems. The body is hand-over summary and long result.
 */
import { SESSION_STATUSES, type SessionFile } from '../core/model/session.ts'
import { filled, id, worker } from './fields.ts'
import { baseName, given, readKind } from './kind.ts'
import type { Read } from './read.ts'
import { needs } from './required.ts'
import { choice, decimal, keys, text, whole } from './shape.ts'
import { instantOf, time } from './times.ts'

export const sessionShape = keys({
  id,
  task: filled,
  worker,
  model: text(),
  workspace: text(),
  branch: text(),
  base: text(),
  status: choice(...SESSION_STATUSES),
  turns: whole(),
  usage: keys({
    input_tokens: whole(),
    output_tokens: whole(),
    cache_read_tokens: whole(),
    cache_write_tokens: whole(),
    usd: decimal(),
  }),
  started_at: time,
  ended_at: time,
  sandbox: text(),
  runner: text(),
  transcript_sha256: text(),
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
