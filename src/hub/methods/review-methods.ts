/**
 * review.list, diff, accept, reject: finished work that waits for a person, and their decision about it. Invariant 1: a
 * merge that would touch what somebody works on is refused, and changes nothing. Invariant 2: words of a rejection never
 * become steps of a runbook: they stand as a quote.
 */
import { z } from 'zod'
import type { Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import type { Place } from '../../domain/session/session.ts'
import { withReview } from '../../files/kinds/read-task.ts'
import { mergedByNow } from '../../engine/effects/finish.ts'
import { placeOf } from '../../engine/effects/approved-text.ts'
import { subjectOf, taskTrailers } from '../../engine/effects/commit-words.ts'
import { editTask, taskAt } from '../changes/compare-and-write.ts'
import { type HubEnv, isoNow, look, method, personOf } from '../env.ts'
import { aboutOnlyRoom, listedRooms } from '../views/about.ts'
import { HUB_CODES, HubError } from '../hub.ts'
import { missing, taskOf } from '../views/find-in-home.ts'
import { onlyRoom, taskId, taskParams, taskView } from '../views/shapes.ts'
import { viewTask } from '../views/views.ts'
import { aboutTask, byHand } from './task-methods.ts'

export const reviewList = method({
  name: 'review.list',
  summary: 'List reviews',
  details:
    'Tasks whose work is finished and waits for a person, with the branch that holds it. Only a person accepts or rejects it.',
  tool: { effect: 'reads', list: 'tasks' },
  params: z.strictObject({ roomId: onlyRoom }),
  result: z.array(taskView),
  act: 'see',
  resource: aboutOnlyRoom,
  run: async (env, { roomId }, { principal }) => {
    const snapshot = await look(env)
    const isListed = listedRooms(env, snapshot, { roomId, principal })
    return [...snapshot.tasks.values()]
      .filter(({ task, room }) => task.status === 'review' && isListed(room))
      .toSorted((a, b) => (a.path < b.path ? -1 : 1))
      .map((file) => viewTask(file))
  },
})

interface Review {
  readonly snapshot: Snapshot
  readonly file: TaskFile
  readonly branch: string
  readonly place: Place
}

/** Throws HubError `missing` if the task is not in review. */
async function reviewOf(env: HubEnv, taskId: string): Promise<Review> {
  const snapshot = await look(env)
  const file = taskOf(snapshot, taskId)
  const { branch } = file.task.neo
  if (file.task.status !== 'review' || branch === undefined) throw missing('review of', taskId)
  const place = await placeOf(env.context, snapshot, file)
  if (place === null)
    throw new HubError(
      HUB_CODES.busy,
      `Cannot open the workspace of "${file.path}"; neo status shows the problem`,
    )
  return { snapshot, file, branch, place }
}

async function inRoomOf(env: HubEnv, { taskId }: { readonly taskId: string }) {
  return aboutTask(taskOf(await look(env), taskId))
}

/** Longer diffs are cut: they are for eyes. */
const MOST_DIFF = 1_000_000

export const reviewDiff = method({
  name: 'review.diff',
  summary: 'Get the diff of a review',
  details:
    'What the branch of a task in review changes. With `since`, only what changed after that commit; if it is no commit of this work, `since` of the result is null and the diff is whole.',
  tool: { effect: 'reads', hidden: ['since'] },
  params: z.strictObject({
    taskId,
    since: z
      .string()
      .regex(/^[0-9a-f]{40,64}$/)
      .optional()
      .describe('`head` of an earlier call'),
  }),
  result: z.strictObject({
    taskId: z.string(),
    branch: z.string(),
    base: z.string(),
    head: z.string(),
    since: z.string().nullable(),
    pullRequest: z.string().nullable(),
    paths: z.array(z.string()),
    diff: z.string(),
    cut: z.boolean(),
  }),
  act: 'see',
  resource: inRoomOf,
  run: async (env, { taskId, since }) => {
    const { file, branch, place } = await reviewOf(env, taskId)
    const { git } = env.context.world
    const newer = since === undefined ? null : await git.diffSince(place, branch, since)
    const diff = newer ?? (await git.diff(place, branch))
    return {
      taskId: file.task.neo.id ?? file.path,
      branch,
      base: place.base,
      head: (await git.tip(place, branch)) ?? '',
      since: newer === null ? null : (since ?? null),
      pullRequest: file.task.neo.pr ?? null,
      paths: [...(await git.changedPaths(place, branch))],
      diff: diff.slice(0, MOST_DIFF),
      cut: diff.length > MOST_DIFF,
    }
  },
})

export const reviewAccept = method({
  name: 'review.accept',
  summary: 'Accept a review',
  details: 'Merges the branch and completes the task. Only people can do this.',
  params: taskParams,
  result: z.strictObject({
    task: taskView,
    branch: z.string(),
    base: z.string(),
    commit: z.string().nullable(),
  }),
  act: 'settle-review',
  resource: inRoomOf,
  run: async (env, { taskId }, actor) => {
    const review = await reviewOf(env, taskId)
    const { file, branch, place, snapshot } = review
    const merged = await env.context.world.git.merge(place, branch, {
      subject: subjectOf(file.room, `merge ${file.name}`),
      trailers: taskTrailers(file, 'merge', [['Neo-Approved-By', personOf(env, actor)]]),
    })
    if (merged.kind === 'conflict')
      throw refused(branch, `it conflicts with ${place.base} in ${merged.paths.join(', ')}`, {
        paths: merged.paths,
        next: 'neo review diff, then resolve the conflict on the branch: "If the merge fails" in docs/review.md',
      })
    if (merged.kind === 'waits')
      throw refused(branch, merged.why, { paths: [], next: 'neo review accept, when nothing is in the way' })
    await mergedByNow(env.context, snapshot, file)
    env.wake()
    const task = viewTask(taskAt(await look(env, file.path), file.path), isoNow(env))
    const commit = merged.kind === 'merged' ? merged.commit : null
    return { task, branch, base: place.base, commit }
  },
})

function refused(
  branch: string,
  why: string,
  data: { readonly paths: readonly string[]; readonly next: string },
) {
  return new HubError(HUB_CODES.busy, `Cannot merge "${branch}": ${why}`, data)
}

export const reviewReject = method({
  name: 'review.reject',
  summary: 'Reject a review',
  details:
    'With `message`, the next attempt continues on the branch. Without it, the task fails. Only people can do this.',
  params: z.strictObject({
    taskId,
    message: z.string().trim().min(1).max(20_000).optional().describe('What to change'),
  }),
  result: taskView,
  act: 'settle-review',
  resource: inRoomOf,
  run: async (env, { taskId, message }, actor) => {
    const { file } = await reviewOf(env, taskId)
    const name = personOf(env, actor)
    const changed = await editTask(env, actor, {
      path: file.path,
      edit: ({ task }) => {
        if (task.status !== 'review') throw missing('review of', taskId)
        const verb = { verb: 'reject', event: 'reject', says: message ?? '' }
        if (message === undefined) {
          const neo = { ...byHand(env, task, 'failed'), error: `rejected by ${name}` }
          return { ...verb, patch: { set: { status: 'failed' }, neo } }
        }
        const body = withReview(task.body, { name, attempt: task.neo.attempt, message })
        return { ...verb, patch: { set: { status: 'pending' }, body } }
      },
    })
    return viewTask(changed, isoNow(env))
  },
})
