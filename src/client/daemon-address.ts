/**
 * Where the daemon of a home serves its hub, as `.neo/daemon.json` says. Invariant 1: a file of a process that has ended,
 * or that was copied here with another home, names no daemon. It loads nothing large, since quick commands read it first.
 */
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { learnSecret } from '../domain/secrets/known-secrets.ts'
import type { Files } from '../ports/files-port.ts'
import type { ProcessId } from '../ports/process-port.ts'

export interface DaemonAddress extends ProcessId {
  /** Without a slash at its end. */
  readonly url: string
  readonly token: string
}

/** `null` if no running daemon of this home has stored its address. */
export function daemonAddress(
  home: string,
  files: Pick<Files, 'readJson'>,
  alive: (id: ProcessId) => boolean,
): DaemonAddress | null {
  const file = readDaemonFile(home, files)
  return file !== null && file.home === realHome(home) && alive(file) ? file : null
}

/** What the file says, even if another program wrote it; `null` if it names no hub. */
export function readDaemonFile(
  home: string,
  files: Pick<Files, 'readJson'>,
): (DaemonAddress & { readonly home: unknown }) | null {
  const file = (files.readJson(join(home, '.neo', 'daemon.json')) ?? {}) as Readonly<Record<string, unknown>>
  const { pid, startTime, bootId, url, token } = file
  if (typeof url !== 'string' || typeof token !== 'string') return null
  if (typeof pid !== 'number' || typeof startTime !== 'string' || typeof bootId !== 'string') return null
  learnSecret(token)
  return { url, token, pid, startTime, bootId, home: file['home'] }
}

function realHome(home: string): string {
  try {
    return realpathSync(home)
  } catch {
    return home
  }
}
