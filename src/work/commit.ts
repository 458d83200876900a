/**
 * The one commit of a session's work, on its branch. Takes the run; gives the tip, or why git refused.
 * Leaves to git: that worktree and branch are the session's own, hooks, what is ignored.
 * Invariant 1: copies of env files are out of the worktree while git looks, and back afterwards.
 * Invariant 2: once made it is noted in `commit.json`, so that a replay during a check does not commit what the check
 * has written. (On disk before the next command starts, or the outcome is.)
 */
import { join } from 'node:path'
import { NeoError } from '../core/model/error.ts'
import { copyEnvFiles, removeEnvFiles } from './env-files.ts'
import type { Run } from './run.ts'

export type Committed =
  | { readonly kind: 'ok'; readonly commit: string; readonly changed: 'yes' | 'no' }
  | { readonly kind: 'refused'; readonly why: string }

/**
 * Commits what is changed and not ignored, or gives what was noted.
 * @param verb for the subject: `do`, or `keep` for work that was cut short
 * @param round how often an agent has called its work finished before
 */
export async function commitWork(run: Run, verb: 'do' | 'keep', round = 0): Promise<Committed> {
  const { deps, place } = run
  const { files } = deps.world
  const note = join(deps.dirs.session, round === 0 ? 'commit.json' : `commit-${round}.json`)
  const noted = files.readJson(note) as Committed | null
  if (noted !== null) return noted
  removeEnvFiles(deps.world, place.roots, place.copies)
  try {
    const made = await commit(run, verb)
    if (made.kind === 'ok') files.writeJson(note, made, 'later')
    return made
  } catch (error) {
    if (error instanceof NeoError && error.code === 'refused') return { kind: 'refused', why: error.message }
    throw error
  } finally {
    copyEnvFiles(deps.world, place.roots, place.copies)
  }
}

function commit({ record, deps, place }: Run, verb: 'do' | 'keep'): Promise<Committed> {
  const { room, taskId, taskName, id, branch, hooks } = record
  return deps.world.git.commitWorktree({
    dir: deps.dirs.worktree,
    place: record.place,
    branch,
    from: place.from,
    subject: `neo(${room}): ${verb} ${taskName}`,
    trailers: [
      ['Neo-Room', room],
      ['Neo-Task', taskId],
      ['Neo-Session', id],
    ],
    hooks,
  })
}
