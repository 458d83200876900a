/**
 * The one commit of a session's work, on its branch. Invariant 1: copies of env files are out of the worktree while git
 * looks, and back afterwards. Invariant 2: once made it is noted in `commit.json`, so that a replay during a check does
 * not commit what the check has written. (On disk before the next command starts, or the outcome is.)
 */
import { join } from 'node:path'
import { NeoError } from '../domain/home/error.ts'
import type { SessionRecord } from '../domain/session/session.ts'
import type { WorkCommitted } from '../ports/worktree-port.ts'
import type { Run } from './run-step.ts'
import { copyEnvFiles, removeEnvFiles } from './session-environment.ts'

export type Committed = WorkCommitted

/** In `commit.json`. */
type Noted = Omit<Extract<Committed, { kind: 'ok' }>, 'changed'> & { readonly changed: 'yes' | 'no' }

/**
 * Commits what is changed and not ignored, or gives what was noted.
 * @param verb for the subject: `do`, or `keep` for work that was cut short
 * @param round how often an agent has called its work finished before; a word names a commit beside those
 */
export async function commitWork(
  run: Run,
  verb: 'do' | 'keep',
  round: number | string = 0,
): Promise<Committed> {
  const { deps } = run
  const { files } = deps.world
  const note = join(deps.dirs.session, round === 0 ? 'commit.json' : `commit-${round}.json`)
  const noted = files.readJson(note) as Noted | null
  if (noted !== null) return warnLeftOut(run, { ...noted, changed: noted.changed === 'yes' })
  const made = await commitNow(run, verb)
  if (made.kind === 'ok')
    files.writeJson(note, { ...made, changed: made.changed ? 'yes' : 'no' } satisfies Noted, 'later')
  return warnLeftOut(run, made)
}

/**
 * The worktree as it is, whatever was noted.
 * @param leftOut `listed`: gives the branch as it is if all that has changed is left out
 */
export async function commitNow(
  run: Run,
  verb: 'do' | 'keep',
  leftOut: 'refused' | 'listed' = 'refused',
): Promise<Committed> {
  const { deps, place } = run
  removeEnvFiles(deps.world, place.roots, place.copies)
  try {
    return await commit(run, verb, leftOut)
  } catch (error) {
    if (error instanceof NeoError && error.code === 'refused') return { kind: 'refused', why: error.message }
    throw error
  } finally {
    copyEnvFiles(deps.world, place.roots, place.copies)
  }
}

/** As many as a person reads in a result. */
const MOST_NAMED = 5

/** Says what was not committed: it is in the worktree alone. */
function warnLeftOut(run: Run, made: Committed): Committed {
  const leftOut = made.kind === 'ok' ? (made.leftOut ?? []) : []
  const lines = leftOut.slice(0, MOST_NAMED).map(({ path, why }) => `not committed: ${path} (${why})`)
  if (leftOut.length > MOST_NAMED) lines.push(`not committed: ${leftOut.length - MOST_NAMED} more paths`)
  // A session commits more than once: each line is said once.
  run.warnings.push(...lines.filter((line) => !run.warnings.includes(line)))
  return made
}

/** A model chose what is in the worktree: it works there, it wrote the commands, or it worked on the branch before. */
export function isOfModel({ agent, confined, over }: SessionRecord): boolean {
  return agent !== undefined || confined !== undefined || over !== undefined
}

function commit(
  { record, deps, place }: Run,
  verb: 'do' | 'keep',
  leftOut: 'refused' | 'listed',
): Promise<Committed> {
  return deps.world.git.commitWorktree({
    dir: deps.dirs.worktree,
    place: record.place,
    branch: record.branch,
    from: place.from,
    leftOut,
    ...wordsOf(record, verb),
  })
}

/** Subject and trailers of the session's commits. */
export function wordsOf(
  record: SessionRecord,
  verb: 'do' | 'keep',
): { readonly subject: string; readonly trailers: readonly (readonly [string, string])[] } {
  const { room, taskId, taskName, id } = record
  return {
    subject: `neo(${room}): ${verb} ${taskName}`,
    trailers: [
      ['Neo-Room', room],
      ['Neo-Task', taskId],
      ['Neo-Session', id],
      // So that a later attempt on this branch knows whose files it runs.
      ['Neo-Work', isOfModel(record) ? 'model' : 'person'],
    ],
  }
}
