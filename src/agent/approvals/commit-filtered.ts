/**
 * The commit of a session's work, if a git filter that nobody has allowed prevents it: a person is asked, and the work
 * waits in its worktree. An approval and `neo filter allow` are the same. Invariant 1: an approval is for the filter
 * with the commands that were shown; with others, Neo asks again.
 */
import { type Committed, commitWork } from '../../runner/commit-work.ts'
import type { Ending } from '../../runner/ending.ts'
import type { Run } from '../../runner/run-step.ts'
import { interruptedEnd, openServices } from '../services.ts'

export type Tried =
  | Committed
  /** The session was stopped or left while it waited. */
  | { readonly kind: 'over'; readonly ending: Ending | { readonly kind: 'left' } }

/** Filters that one commit may go through, and changes of their commands. */
const MOST_ASKED = 8

export async function commitOrAsk(run: Run, round: number | string = 0): Promise<Tried> {
  for (let again = 0; ; again++) {
    const committed = await commitWork(run, 'do', round)
    if (committed.kind === 'ok' || committed.filter === undefined || again >= MOST_ASKED) return committed
    const { filter, path = '' } = committed
    const allowed = await ask(run, { filter, path })
    if (allowed === 'no') return committed
    if (typeof allowed === 'object' && 'inside' in allowed)
      return {
        ...committed,
        why: `the git filter "${filter}" can't be allowed: its command names ${allowed.inside}, which sessions can change; move it out of the repository (for ${path})`,
      }
    if (allowed === 'unknown')
      return { kind: 'refused', why: `${path} names a git filter "${filter}" that is not configured` }
    if (allowed !== 'yes') return allowed
  }
}

/** How a session ends whose work cannot be committed. */
export function refusedEnding(refused: Extract<Committed, { kind: 'refused' }>): Ending {
  const { why, filter } = refused
  if (filter !== undefined) return { kind: 'parked', by: 'filter', error: why }
  return { kind: 'failed', why: 'place', error: `Cannot commit the session's work: ${why}`, tail: '' }
}

async function ask(
  run: Run,
  { filter, path }: { readonly filter: string; readonly path: string },
): Promise<'yes' | 'no' | 'unknown' | { readonly inside: string } | Extract<Tried, { kind: 'over' }>> {
  const { deps, record } = run
  const { git } = deps.world
  const shown = await git.filter(record.place, filter)
  if (shown === null) return 'unknown'
  if (shown.inside !== null) return { inside: shown.inside }
  if (deps.agent === undefined) return 'no'
  if (shown.isAllowed) return 'yes'
  const { hash, settings } = shown
  const { repository } = record.place
  const reason = 'the work cannot be committed without this git filter, which runs outside the sandbox'
  const same = `neo filter allow ${filter} ${repository}`
  const args = { filter, repository, commands: [...settings], hash, path, same_as: same }
  const isAllowed = async () => (await git.filter(record.place, filter))?.isAllowed === true
  try {
    const services = openServices(run, deps.agent, new Set())
    const approval = await services.approve(
      `leave-filter-${hash}`,
      { tool: 'allow_filter', arguments: args, reason },
      isAllowed,
    )
    if (approval.verdict === 'no') return 'no'
    if (!(await isAllowed())) await git.allowFilter(record.place, filter, hash)
    return 'yes'
  } catch (error) {
    return { kind: 'over', ending: interruptedEnd(error, deps.signal) }
  }
}
