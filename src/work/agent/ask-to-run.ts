/**
 * Asks a person whether commands may run unconfined over what a model has changed. The request shows the commands and the
 * changes, and names the commit: its hash covers all of it. Which files a command runs is not read off its words: `make`,
 * `npm test` and `sh -c ./x` run whatever lies in the folder, so every command asks.
 * Takes the run, the commands and the commit; gives the answer. Leaves waiting and expiry to services.ts.
 * Invariant 1: what cannot be committed cannot be named, and is not allowed.
 */
import { type Committed, commitWork } from '../commit.ts'
import type { Ending } from '../ending.ts'
import type { Run } from '../run.ts'
import { interruptedEnd, openServices } from './services.ts'
import { statOf } from '../../core/rules/diff-stat.ts'

export type Allowed =
  | { readonly kind: 'yes' }
  | { readonly kind: 'no'; readonly why: string }
  /** The session was stopped or left while it waited. */
  | { readonly kind: 'over'; readonly ending: Ending | { readonly kind: 'left' } }

/** Files that a request lists; the rest are counted. */
const MOST_FILES = 60

export interface Request {
  /** Completes "run …". */
  readonly what: string
  readonly commands: readonly string[]
  readonly why: string
  /** Names the request within the session, where `what` and the commit do not: it is put once. */
  readonly once?: string
}

/** Requests about one thing, where the worktree changes meanwhile. */
const MOST_ASKED = 3

/**
 * As `askToRun`, for the worktree as it is: it is committed, and again after the answer; what differs from what was shown
 * is shown first.
 * @param of `label` names the commits; `tip` is one that was made already
 */
export async function askOverWork(
  run: Run,
  request: Request,
  of: { readonly label: string; readonly verb: 'do' | 'keep'; readonly tip?: string },
): Promise<Allowed> {
  const commit = async (again: number | 'first') =>
    tipOf(await commitWork(run, of.verb, `${of.label}-asked-${again}`))
  let tip = of.tip ?? (await commit('first'))
  for (let again = 0; again < MOST_ASKED; again++) {
    const leave = await askToRun(run, { ...request, tip })
    if (leave.kind !== 'yes') return leave
    const now = await commit(again)
    if (now === tip) return leave
    tip = now
  }
  return { kind: 'no', why: 'the worktree kept changing while a person was asked' }
}

export function tipOf(committed: Committed): string {
  return committed.kind === 'ok' ? committed.commit : ''
}

export async function askToRun(run: Run, of: Request & { readonly tip: string }): Promise<Allowed> {
  const { record, deps, place } = run
  const { what, commands, tip, why } = of
  if (deps.agent === undefined) return { kind: 'no', why }
  if (tip === '') return { kind: 'no', why: `its files cannot be committed, so nobody can be asked; ${why}` }
  const stat = statOf(await deps.world.git.diff(record.place, record.branch))
  const rest = stat.length > MOST_FILES ? [`… and ${stat.length - MOST_FILES} more`] : []
  const args = {
    commands: [...commands],
    commit: tip,
    branch: record.branch,
    since: place.from,
    changed: [...stat.slice(0, MOST_FILES), ...rest],
  }
  const reason = `run ${what} without a sandbox, over files that models may have changed, because ${why}. Files that git ignores may have changed too`
  try {
    const services = openServices(run, deps.agent, new Set())
    const key = `leave-unconfined-${of.once ?? what.replaceAll(' ', '-')}-${tip.slice(0, 16)}`
    const leave = await services.leave(key, { tool: 'run_unconfined', arguments: args, reason })
    return leave.verdict === 'yes' ? { kind: 'yes' } : { kind: 'no', why: `${leave.why}; ${why}` }
  } catch (error) {
    return { kind: 'over', ending: interruptedEnd(error, deps.signal) }
  }
}
