/**
 * Asks a person whether commands may run unconfined over what a model has changed. The request shows the commands and the
 * changes, and names the commit: its hash covers all of it.
 * Takes the run, the commands and the commit; gives the answer. Leaves waiting and expiry to services.ts.
 */
import type { Ending } from '../ending.ts'
import { leaving } from '../deps.ts'
import type { Run } from '../run.ts'
import { Interrupted, openServices } from './services.ts'
import { statOf } from '../../core/rules/diff-stat.ts'

export type Allowed =
  | { readonly kind: 'yes' }
  | { readonly kind: 'no'; readonly why: string }
  /** The session was stopped or left while it waited. */
  | { readonly kind: 'over'; readonly ending: Ending | { readonly kind: 'left' } }

/** Files that a request lists; the rest are counted. */
const MOST_FILES = 60

export async function askToRun(
  run: Run,
  of: {
    readonly what: string
    readonly commands: readonly string[]
    readonly tip: string
    readonly why: string
  },
): Promise<Allowed> {
  const { record, deps, place } = run
  if (deps.agent === undefined) return { kind: 'no', why: of.why }
  const { what, commands, tip, why } = of
  const stat = statOf(await deps.world.git.diff(record.place, record.branch))
  const rest = stat.length > MOST_FILES ? [`… and ${stat.length - MOST_FILES} more`] : []
  const args = {
    commands: [...commands],
    commit: tip,
    branch: record.branch,
    since: place.from,
    changed: [...stat.slice(0, MOST_FILES), ...rest],
  }
  const reason = `run ${what} without a sandbox over files that a model changed, because ${why}. Files that git ignores may have changed too`
  try {
    const services = openServices(run, deps.agent, new Set())
    const key = `leave-unconfined-${what.replaceAll(' ', '-')}-${tip.slice(0, 16)}`
    const leave = await services.leave(key, { tool: 'run_unconfined', arguments: args, reason })
    return leave.verdict === 'yes' ? { kind: 'yes' } : { kind: 'no', why: `${leave.why}; ${why}` }
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
    const ending = leaving(deps.signal)
      ? ({ kind: 'left' } as const)
      : ({ kind: 'stopped', why: String(deps.signal.reason) } as const)
    return { kind: 'over', ending }
  }
}
