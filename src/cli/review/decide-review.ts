/**
 * `neo review accept` and `neo review reject`: the user's decision about the work of a task.
 */
import { withHub } from '../rpc/with-hub.ts'
import { type Call, firstOf } from '../spec.ts'
import { type TaskLookup, openTaskLookup } from '../task/task-lookup.ts'
import { labelOf } from '../task/task-paths.ts'
import { type Shown, shownView, statusCell } from '../task/task-cells.ts'
import { noReview } from './show-reviews.ts'

export async function accept(call: Call): Promise<number> {
  const { path } = await inReview(await openTaskLookup(call), firstOf(call))
  const { task, ...merge } = await withHub(call, (hub) => hub.call('review.accept', { taskId: path }))
  return say(call, 'accept', { ...merge, task: shownView(task) })
}

/** What a decision has made of a task; `base`: the branch that it was merged into. */
interface Said {
  readonly task: Shown
  readonly branch: string
  readonly base: string | null
  readonly commit: string | null
}

/** Throws NeoError `missing` if the task is not in review. */
async function inReview(lookup: TaskLookup, typed: string): Promise<{ path: string; branch: string }> {
  const path = await lookup.find(typed)
  const { status, neo } = lookup.read(path)
  if (status !== 'review' || neo.branch === undefined) throw noReview(path, status)
  return { path, branch: neo.branch }
}

export async function reject(call: Call): Promise<number> {
  const { path, branch } = await inReview(await openTaskLookup(call), firstOf(call))
  const text = call.text('message')
  const message = text === null || text.trim() === '' ? {} : { message: text }
  const view = await withHub(call, (hub) => hub.call('review.reject', { taskId: path, ...message }))
  return say(call, 'reject', { task: shownView(view), branch, base: null, commit: null })
}

function say(call: Call, verb: 'accept' | 'reject', { task, branch, base, commit }: Said): number {
  call.out.data(`review.${verb}`, { ...task.data, branch, commit })
  if (commit !== null && base !== null)
    call.out.line(branch, 'is merged into', base, { text: commit.slice(0, 10), style: 'dim' })
  call.out.line(labelOf(task.path), 'is', statusCell(task.status))
  return 0
}
