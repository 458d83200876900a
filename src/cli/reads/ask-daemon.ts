/**
 * A reading command asks the daemon of the home. Invariant 1: a dead or foreign daemon.json, a daemon that hangs, and
 * one of another version end in null. Invariant 2: it loads nothing that reads files of a home, since that is most of a
 * command's time.
 */
import { composeAlive, composeFiles } from '../../compose.ts'
import { HUB_CODES } from '../../hub/hub.ts'
import { findHome } from '../find-home.ts'
import { sayingOf, servedAt } from '../rpc/daemon-file.ts'
import type { Call } from '../spec.ts'

export type ReadName = 'status' | 'plan' | 'log' | 'search'

/** Reading the files takes less than this at any size that a home has. */
const ANSWER_MS = 20_000
/** What the files would say too: they are not asked again. */
const FINAL: ReadonlySet<number> = new Set([HUB_CODES.missing, HUB_CODES.params, HUB_CODES.denied])

/** Throws NeoError `missing` without a home, and HubError for what was asked wrongly. */
export async function askDaemon(call: Call, name: ReadName, params: unknown): Promise<unknown> {
  const files = composeFiles()
  const home = findHome(call, files)
  if (sayingOf(home, files) === null) return null
  const served = servedAt(home, files, await composeAlive())
  if (served === null) return null
  const { openLine } = await import('../rpc/post.ts')
  const said = await openLine(served, ANSWER_MS).ask(name, params, '/reads')
  if (said.kind === 'result') return said.result
  if (said.kind !== 'error' || !FINAL.has(said.code)) return null
  const { hubErrorOf } = await import('../rpc/served.ts')
  throw hubErrorOf(said)
}
