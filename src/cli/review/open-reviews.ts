/**
 * Work in review: the task, its branch and its repository.
 */
import { NeoError } from '../../domain/home/error.ts'
import type { Place } from '../../domain/session/session.ts'
import type { Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import { settingsOf } from '../../domain/task/task-settings.ts'
import { lookOnce } from '../../engine/once.ts'
import type { Git } from '../../ports/world.ts'
import type { Call } from '../spec.ts'
import { openTaskLookup } from '../task/task-lookup.ts'
import { labelOf } from '../task/task-paths.ts'
import type { Opened } from '../with-world.ts'

export interface Review {
  readonly file: TaskFile
  readonly branch: string
  readonly place: Place
}

/** Throws NeoError `missing` if the task is not in review, `failed` if its workspace can't be used. */
export async function findReview(call: Call, { home, world }: Opened, typed: string): Promise<Review> {
  const lookup = await openTaskLookup(call)
  const path = await lookup.find(typed)
  const { snapshot } = await lookOnce(world, home)
  const file = snapshot.tasks.get(path)
  const branch = file?.task.neo.branch
  if (file === undefined || file.task.status !== 'review' || branch === undefined)
    throw noReview(path, file?.task.status ?? 'not readable')
  return { file, branch, place: await placeOf(world.git, snapshot, file) }
}

/** @param is the task's status, or why it has no status */
export function noReview(path: string, is: string): NeoError {
  return new NeoError('missing', `Cannot find a review of "${labelOf(path)}": it is ${is}`, {
    next: 'neo review list',
  })
}

/** Throws NeoError `failed`. */
export async function placeOf(git: Git, snapshot: Snapshot, file: TaskFile): Promise<Place> {
  const { workspace, base } = settingsOf(
    file.task,
    snapshot.rooms.get(file.room)?.room ?? null,
    snapshot.config,
  )
  const place = await git.place(workspace, base)
  if ('wrong' in place)
    throw new NeoError('failed', `Cannot use the workspace of "${labelOf(file.path)}": ${place.wrong}`, {
      next: place.hint,
    })
  return place
}
