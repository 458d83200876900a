/**
 * The few calls of node:fs that the disk adapter makes, as one type, so that a test can hand in a wrapper whose n-th
 * call fails. Also: which failures mean what, and the one place where a failure of the disk becomes a NeoError.
 */
import type nodeFs from 'node:fs'
import { closeSync, fsync, openSync } from 'node:fs'
import { promisify } from 'node:util'
import { NeoError } from '../../domain/home/error.ts'

export type DiskFs = Pick<
  typeof nodeFs,
  | 'closeSync'
  | 'constants'
  | 'fchmodSync'
  | 'fchownSync'
  | 'fdatasyncSync'
  | 'fstatSync'
  | 'fsync'
  | 'fsyncSync'
  | 'ftruncateSync'
  | 'linkSync'
  | 'lstatSync'
  | 'mkdirSync'
  | 'openSync'
  | 'readSync'
  | 'readdirSync'
  | 'renameSync'
  | 'rmSync'
  | 'unlinkSync'
  | 'writeSync'
>

/** Code of a system error such as `ENOENT`; `''` for an error without one. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : ''
  return typeof code === 'string' ? code : ''
}

/** Nothing is at the path. */
export function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(codeOf(error))
}

/** A process of this number exists, of any user. */
export function runs(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

const synced = promisify(fsync)

/** Without blocking the event loop; what is synced side by side shares one write of the file system's journal. */
export async function syncFile(path: string): Promise<void> {
  const file = openSync(path, 'r')
  try {
    await synced(file)
  } finally {
    closeSync(file)
  }
}

const AGAIN = 'then repeat the command; a running daemon continues by itself'

const NEXT: Readonly<Record<string, string>> = {
  ENOSPC: `Free some space on this disk; ${AGAIN}`,
  EDQUOT: `Free some of your quota on this disk; ${AGAIN}`,
  EROFS: `Mount this disk writable; ${AGAIN}`,
  EACCES: `Give yourself the right to write there; ${AGAIN}`,
  EPERM: `Give yourself the right to write there; ${AGAIN}`,
  EMFILE: 'Raise the limit of open files (ulimit -n)',
  ENFILE: 'Close programs that hold many files open',
}

/** NeoError with code `disk` that names action, path and the system's reason. */
export function diskError(action: string, path: string, cause: unknown): NeoError {
  if (cause instanceof NeoError) return cause
  const next = NEXT[codeOf(cause)]
  const why = cause instanceof Error ? cause.message : String(cause)
  return new NeoError('disk', `Cannot ${action} "${path}": ${why}`, {
    why,
    cause,
    ...(next === undefined ? {} : { next }),
  })
}

/** Does what may fail without harm, e.g. removing a temp file that the next start sweeps anyway. */
export function quietly(call: () => void): void {
  try {
    call()
  } catch {
    // By definition nothing depends on it.
  }
}
