/**
 * How far an agent says that it is: kept in the session's folder, so that other processes can show it, and so that it
 * reaches the task's file with the next transition (2-files, "Little noise").
 */
import { join } from 'node:path'
import { redact } from '../domain/secrets/redact.ts'
import { tickBoxes } from '../files/body/checklist.ts'
import { checklistOf } from '../files/body/runbook.ts'
import type { Files } from '../ports/files-port.ts'

export interface Progress {
  readonly text: string
  /** 0 to 100; null if it was never reported. */
  readonly percent: number | null
  readonly done: readonly string[]
}

export function noteProgress(files: Pick<Files, 'readJson' | 'writeJson'>, dir: string, now: Progress): void {
  const before = readProgress(files, dir)
  const done = [...new Set([...(before?.done ?? []), ...now.done.map(redact)])]
  files.writeJson(path(dir), {
    text: redact(now.text),
    percent: now.percent ?? before?.percent ?? null,
    done,
  })
}

/** Null if nothing was reported. */
export function readProgress(files: Pick<Files, 'readJson'>, dir: string): Progress | null {
  const said = files.readJson(path(dir)) as Partial<Progress> | null
  if (typeof said?.text !== 'string' || !Array.isArray(said.done)) return null
  return { text: said.text, percent: typeof said.percent === 'number' ? said.percent : null, done: said.done }
}

/** Progress of a task by its checklist, with items reported since; without a checklist, the reported percentage. */
export function percentOf(body: string, said: Progress | null): number | null {
  const { done, total } = checklistOf(said === null ? body : tickBoxes(body, said.done))
  return total > 0 ? Math.round((100 * done) / total) : (said?.percent ?? null)
}

function path(dir: string): string {
  return join(dir, 'progress.json')
}
