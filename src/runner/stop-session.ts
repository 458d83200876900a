/**
 * Stops a session without its runner: `neo stop` while no daemon runs. Invariant 1: the outcome is on disk before the
 * processes end, so a daemon that starts in the meantime does not continue the session. Invariant 2: an existing outcome is
 * not replaced.
 */
import { basename, join } from 'node:path'
import type { Outcome } from '../domain/session/session.ts'
import type { World } from '../ports/world.ts'
import { secondsNow } from './deps.ts'

/**
 * Ends every process of a session within 5 s; resolves with the number of those that could not be ended.
 * @param dir `<git dir>/neo/sessions/<id>`
 */
export async function stopSession(
  world: Pick<World, 'files' | 'processes' | 'clock'>,
  dir: string,
  why: string,
): Promise<number> {
  const { files, processes } = world
  const outcome = join(dir, 'outcome.json')
  const stopped: Outcome = { kind: 'stopped', why, endedAt: secondsNow(world) }
  if (files.readJson(outcome) === null) files.writeJson(outcome, stopped)
  const steps = join(dir, 'steps')
  const dirs = files.names(steps).map((key) => join(steps, key))
  return await processes.killSession(basename(dir), dirs)
}
