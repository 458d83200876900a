/**
 * Where the daemon of a home serves its hub, as `.neo/daemon.json` says it. Invariant 1: a file of a process that is
 * gone, and one that was copied here with another home, name no daemon. It is small and loads nothing, since quick
 * commands read it first.
 */
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { learnSecret } from '../../domain/secrets/known-secrets.ts'
import type { Files, ProcessId } from '../../ports/world.ts'

export interface ServedAt {
  readonly url: string
  readonly token: string
}

/** Null where no living daemon of this home says where it serves. */
export function servedAt(
  home: string,
  files: Pick<Files, 'readJson'>,
  alive: (id: ProcessId) => boolean,
): ServedAt | null {
  const said = sayingOf(home, files)
  return said !== null && said.home === realHome(home) && alive(said) ? said : null
}

/** What the file says, whoever wrote it; null where it does not say where a hub is. */
export function sayingOf(
  home: string,
  files: Pick<Files, 'readJson'>,
): (ServedAt & ProcessId & { readonly home: unknown }) | null {
  const said = files.readJson(join(home, '.neo', 'daemon.json'))
  const { pid, startTime, bootId, url, token, home: its } = (said ?? {}) as Readonly<Record<string, unknown>>
  if (typeof url !== 'string' || typeof token !== 'string') return null
  if (typeof pid !== 'number' || typeof startTime !== 'string' || typeof bootId !== 'string') return null
  learnSecret(token)
  return { url, token, pid, startTime, bootId, home: its }
}

function realHome(home: string): string {
  try {
    return realpathSync(home)
  } catch {
    return home
  }
}
