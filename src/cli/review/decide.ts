/**
 * `neo review accept` and `neo review reject`: a person's decision about a branch, recorded.
 * Takes a task; merges, or sends the work back. Leaves to the engine: completing the task and clearing up.
 * Invariant 1: a merge that would touch what somebody works on is refused, and changes nothing.
 * Invariant 2: words of a rejection never become steps of a runbook: they stand as a quote.
 */
import { join } from 'node:path'
import { NeoError } from '../../core/model/error.ts'
import { settleHome } from '../../flow/settle.ts'
import { subjectOf, taskTrailers } from '../../flow/effects/words.ts'
import { readDocument } from '../../formats/document.ts'
import { editDocument } from '../../formats/edit.ts'
import { withReview } from '../../formats/review.ts'
import { bytesAt, editFile } from '../edit-file.ts'
import { openAct } from '../rpc/act.ts'
import { type Call, firstOf } from '../spec.ts'
import { type Desk, openDesk, parseTask } from '../task/open.ts'
import { labelOf } from '../task/paths.ts'
import { type Shown, shownTask, shownView, statusCell } from '../task/view.ts'
import { type Opened, withTrusted } from '../with-world.ts'
import { findReview, noReview, type Review } from './open.ts'

/** A daemon looks again after `daemon.settle`; longer than that nobody wants to watch. */
const PATIENCE_MS = 5_000
const LOOK_MS = 100

export function accept(call: Call): Promise<number> {
  return withTrusted(call, async (opened) => {
    const desk = await openDesk(call)
    const { path } = await inReview(desk, firstOf(call))
    const said = await openAct(
      call,
      desk,
    )<'review.accept', Said>({
      method: 'review.accept',
      params: { taskId: path },
      shown: ({ task, ...merge }) => ({ ...merge, task: shownView(task) }),
      byFiles: () => merged(call, opened),
    })
    return say(call, 'accept', said)
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

async function merged(call: Call, opened: Opened): Promise<Said> {
  const review = await findReview(call, opened, firstOf(call))
  const { file, branch, place } = review
  const { git } = opened.world
  const { name } = await git.person()
  const result = await git.merge(place, branch, {
    subject: subjectOf(file.room, `merge ${file.name}`),
    trailers: taskTrailers(file, 'merge', [['Neo-Approved-By', name]]),
  })
  if (result.kind === 'conflict')
    throw new NeoError(
      'failed',
      `Cannot merge "${branch}": it conflicts with ${place.base} in ${result.paths.join(', ')}`,
      {
        why: 'both sides changed the same lines',
        next: `git merge ${branch} in ${place.repository}, or neo review reject ${labelOf(file.path)} -m 'Merge ${place.base} first'`,
      },
    )
  if (result.kind === 'waits')
    throw new NeoError('failed', `Cannot merge "${branch}" now: ${result.why}`, {
      next: 'commit or put away what you work on, then the same command again',
    })
  const settled = await settleHome(opened.world, opened.home)
  if (settled === 'held') await untilDone(opened, review)
  const commit = result.kind === 'merged' ? result.commit : null
  return { task: shownAt(opened, file.path), branch, base: place.base, commit }
}

/** The daemon completes the task; it is only waited for so that the next command sees it. */
async function untilDone({ world, home }: Opened, { file }: Review): Promise<void> {
  const until = world.clock.now() + PATIENCE_MS
  while (world.clock.now() < until) {
    const task = parseTask(file.path, bytesAt(world.files, join(home, file.path)), 'UTC')
    if (task.status !== 'review') return
    await new Promise<void>((resolve) => void world.clock.after(LOOK_MS, resolve))
  }
}

export function reject(call: Call): Promise<number> {
  return withTrusted(call, async (opened) => {
    const desk = await openDesk(call)
    const { path, branch } = await inReview(desk, firstOf(call))
    const text = call.text('message')
    const message = text === null || text.trim() === '' ? null : text
    const task = await openAct(
      call,
      desk,
    )<'review.reject', Shown>({
      method: 'review.reject',
      params: { taskId: path, ...(message === null ? {} : { message }) },
      shown: shownView,
      byFiles: () => rejected(call, opened, message),
    })
    return say(call, 'reject', { task, branch, base: null, commit: null })
  })
}

async function rejected(call: Call, opened: Opened, message: string | null): Promise<Shown> {
  const review = await findReview(call, opened, firstOf(call))
  const { name } = await opened.world.git.person()
  editFile(opened.world.files, join(opened.home, review.file.path), (text) =>
    message === null
      ? editDocument(text, { set: { status: 'failed' }, neo: { error: `rejected by ${name}` } })
      : sentBack(review, text, { name, message }),
  )
  await settleHome(opened.world, opened.home)
  return shownAt(opened, review.file.path)
}

/** The branch stays in the block, so that the next attempt goes on from it. */
function sentBack({ file }: Review, text: string, of: { name: string; message: string }): string {
  const read = readDocument(file.path, text)
  if (read.kind !== 'ok')
    throw new NeoError('failed', `Cannot change "${labelOf(file.path)}": it is broken by now`, {
      next: 'neo config check',
    })
  const body = withReview(read.value.body, { ...of, attempt: file.task.neo.attempt })
  return editDocument(text, { set: { status: 'pending' }, body })
}

function shownAt({ home, world }: Opened, path: string): Shown {
  return shownTask(path, parseTask(path, bytesAt(world.files, join(home, path)), 'UTC'))
}

function say(call: Call, verb: 'accept' | 'reject', { task, branch, base, commit }: Said): number {
  call.out.data(`review.${verb}`, { ...task.data, branch, commit })
  if (commit !== null && base !== null)
    call.out.line(branch, 'is merged into', base, { text: commit.slice(0, 10), style: 'dim' })
  call.out.line(labelOf(task.path), 'is', statusCell(task.status))
  return 0
}
