/**
 * The problems that a running daemon reports: from its hub, because its disk may be full; else from its file.
 */
import { join } from 'node:path'
import { daemonAddress } from '../../client/daemon-address.ts'
import { openConnection } from '../../client/json-rpc-request.ts'
import type { Files } from '../../ports/files-port.ts'
import type { Opened } from '../with-world.ts'

export interface DaemonProblem {
  readonly part: string
  readonly why: string
}

/** If the daemon takes longer, its file is read, which says nearly the same. */
const ANSWER_MS = 5_000

/** Null if no daemon answers. */
export async function problemsOfDaemon({ home, world }: Opened): Promise<readonly DaemonProblem[] | null> {
  const address = daemonAddress(home, world.files, (id) => world.processes.alive(id))
  if (address === null) return null
  const said = await openConnection(address).ask('status.global', {}, { limitMs: ANSWER_MS })
  if (said.kind !== 'result') return null
  const { health } = (said.result ?? {}) as { readonly health?: unknown }
  if (!Array.isArray(health)) return null
  const known = health as readonly { readonly part: string; readonly state: string; readonly says: string }[]
  return known
    .filter(({ part, state }) => state === 'trouble' && !OWN.has(part))
    .map(({ part, says }) => ({ part, why: says }))
}

/** Rows that the command makes itself. */
const OWN: ReadonlySet<string> = new Set(['git', 'starts'])

export function problemsInFile(files: Pick<Files, 'readJson'>, home: string): readonly DaemonProblem[] {
  const { troubles } = (files.readJson(join(home, '.neo', 'daemon.json')) ?? {}) as {
    readonly troubles?: unknown
  }
  if (!Array.isArray(troubles)) return []
  return troubles.flatMap((one: unknown): DaemonProblem[] => {
    if (typeof one !== 'object' || one === null || !('part' in one) || !('why' in one)) return []
    return [{ part: String(one.part), why: String(one.why) }]
  })
}
