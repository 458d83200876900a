/**
 * `neo review accept` and `neo review reject`: a person's decision about a branch, recorded.
 */
import { settleHome } from '../../engine/settle-home.ts'
import { withHubClient } from '../rpc/hub-client.ts'
import { type Call, firstOf } from '../spec.ts'
import { type Desk, openDesk } from '../task/task-access.ts'
import { labelOf } from '../task/task-paths.ts'
import { type Shown, shownView, statusCell } from '../task/task-cells.ts'
import { type Opened, withTrusted } from '../with-world.ts'
import { noReview } from './open-reviews.ts'

export function accept(call: Call): Promise<number> {
  return withTrusted(call, async (opened) => {
    const desk = await openDesk(call)
    const { path } = await inReview(desk, firstOf(call))
    const said = await withHubClient(call, desk, async (hub) => {
      const { task, ...merge } = await hub.call('review.accept', { taskId: path })
      return { ...merge, task: shownView(task), by: hub.by() }
    })
    return say(call, 'accept', await atRest(opened, said))
  })
}

/** What a decision has made of a task; `base`: where its branch is merged to. */
interface Said {
  readonly task: Shown
  readonly branch: string
  readonly base: string | null
  readonly commit: string | null
}

/** Throws NeoError `missing` where the task is not in review. */
async function inReview(desk: Desk, typed: string): Promise<{ path: string; branch: string }> {
  const path = await desk.find(typed)
  const { status, neo } = desk.read(path)
  if (status !== 'review' || neo.branch === undefined) throw noReview(path, status)
  return { path, branch: neo.branch }
}

export function reject(call: Call): Promise<number> {
  return withTrusted(call, async (opened) => {
    const desk = await openDesk(call)
    const { path, branch } = await inReview(desk, firstOf(call))
    const text = call.text('message')
    const message = text === null || text.trim() === '' ? null : text
    const said = await withHubClient(call, desk, async (hub) => {
      const params = { taskId: path, ...(message === null ? {} : { message }) }
      const task = shownView(await hub.call('review.reject', params))
      return { task, branch, base: null, commit: null, by: hub.by() }
    })
    return say(call, 'reject', await atRest(opened, said))
  })
}

/** Without a daemon the rest is done now: worktree and branch go. */
async function atRest(
  { world, home }: Opened,
  { by, ...said }: Said & { by: 'daemon' | 'here' },
): Promise<Said> {
  if (by === 'here') await settleHome(world, home)
  return said
}

function say(call: Call, verb: 'accept' | 'reject', { task, branch, base, commit }: Said): number {
  call.out.data(`review.${verb}`, { ...task.data, branch, commit })
  if (commit !== null && base !== null)
    call.out.line(branch, 'is merged into', base, { text: commit.slice(0, 10), style: 'dim' })
  call.out.line(labelOf(task.path), 'is', statusCell(task.status))
  return 0
}
