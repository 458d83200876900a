/**
 * What was done here once and git can't take back: attempts of tasks, deletions, turns of Neo, approved calls. After a reset, a
 * revert or a checkout the files say again that it is due; it is in `<git dir>/neo/started.jsonl`, and is not repeated.
 */
import { join } from 'node:path'
import { lazily } from '../../domain/text/lazily.ts'
import type { LogFiles } from '../../store/keyed-log.ts'
import { openRecords, type RecordLog } from '../../store/record-log.ts'

export interface Acted {
  /** Of a task, of a cause that woke Neo (`inbox:…`), of a request that was carried out (`call:…`). */
  readonly id: string
  /** Of a task: its last attempt, and that attempt's session. */
  readonly attempt?: number
  readonly session?: string
  /** A deleted task: a new one with its name and text gets another id, since notices and budgets go by it. */
  readonly isGone?: true
}

/** Read at its first use. */
export type ActedLog = () => RecordLog<Acted>

export function openActed(files: LogFiles, dir: string): ActedLog {
  const limits = { most: 20_000, hasEnded: () => true }
  return lazily(() => openRecords<Acted>(files, join(dir, 'started.jsonl'), limits))
}
