/**
 * The one commit of a session's work, on its branch. Takes the run; gives the tip, or why git refused.
 * Leaves to git: that worktree and branch are the session's own, hooks, what is ignored.
 * Invariant 1: copies of env files are out of the worktree while git looks, and back afterwards.
 */
import { NeoError } from '../core/model/error.ts'
import { copyEnvFiles, removeEnvFiles } from './env-files.ts'
import type { Run } from './run.ts'

export type Committed =
  | { readonly kind: 'ok'; readonly commit: string; readonly changed: 'yes' | 'no' }
  | { readonly kind: 'refused'; readonly why: string }

/**
 * Commits what is changed and not ignored; a second call finds nothing more and gives the same tip.
 * @param verb for the subject: `work on`, or what became of it
 */
export async function commitWork(run: Run, verb: string): Promise<Committed> {
  const { record, deps, place } = run
  const { room, taskId, id } = record
  removeEnvFiles(deps.world, place.roots.worktree, place.copies)
  try {
    return await deps.world.git.commitWorktree({
      dir: deps.dirs.worktree,
      place: record.place,
      branch: record.branch,
      from: place.from,
      subject: `neo(${room}): ${verb} ${record.taskName}`,
      trailers: [
        ['Neo-Room', room],
        ['Neo-Task', taskId],
        ['Neo-Session', id],
      ],
      hooks: record.hooks,
    })
  } catch (error) {
    if (error instanceof NeoError && error.code !== 'disk') return { kind: 'refused', why: error.message }
    throw error
  } finally {
    copyEnvFiles(deps.world, place.roots, place.copies)
  }
}
