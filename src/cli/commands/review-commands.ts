/** `neo review list, show, diff, accept, reject`: work that waits for your review. */
import { relative } from 'node:path'
import { NeoError } from '../../domain/home/error.ts'
import type { TaskFile } from '../../domain/plan/snapshot.ts'
import type { Place } from '../../domain/session/session.ts'
import { type Settings, settingsOf } from '../../domain/task/task-settings.ts'
import { counted } from '../../domain/text/counted.ts'
import { lookOnce } from '../../engine/look-once.ts'
import { type Cell, dim, fieldRows } from '../output.ts'
import { roomOption } from '../room/open-rooms.ts'
import { type Call, firstOf } from '../spec.ts'
import { type Shown, shownView, statusCell, taskData } from '../task/task-cells.ts'
import { openTaskLookup, type TaskLookup } from '../task/task-lookup.ts'
import { labelOf } from '../task/task-paths.ts'
import { withHub } from '../with-hub.ts'
import { type Opened, withWorld } from '../with-world.ts'

export function listReviews(call: Call): Promise<number> {
  return withWorld(call, async ({ home, world }) => {
    const only = roomOption(call, { home, files: world.files })
    const { snapshot } = await lookOnce(world, home)
    const files = [...snapshot.tasks.values()].filter(
      (file) => file.task.status === 'review' && (only === null || file.room === only),
    )
    call.out.data('review.list', files.map(reviewData))
    call.out.table(files.map(row), 3)
    if (files.length === 0) call.out.note('No work to review.')
    return 0
  })
}

function row({ path, task }: TaskFile): Cell[] {
  return [
    labelOf(path),
    task.neo.id ?? '',
    task.neo.branch ?? '',
    task.neo.error ?? task.neo.result ?? task.title,
  ]
}

function reviewData({ path, task }: TaskFile): Record<string, unknown> {
  return {
    ...taskData(path, task),
    branch: task.neo.branch ?? null,
    result: task.neo.result ?? null,
    error: task.neo.error ?? null,
  }
}

export function showReview(call: Call): Promise<number> {
  return withWorld(call, async (opened) => {
    const { file, branch, place, settings } = await findReview(call, opened, firstOf(call))
    const { git } = opened.world
    const state = await git.branchState(place, branch)
    const paths = await git.changedPaths(place, branch)
    const { task } = file
    call.out.data('review.show', {
      ...reviewData(file),
      base: place.base,
      repository: place.repository,
      state,
      paths,
      verified: task.neo.verified ?? null,
    })
    call.out.heading(task.title)
    const rows = fieldRows([
      ['task', file.path],
      ['branch', branch],
      ['base', place.base],
      ['repository', relative(opened.home, place.repository) || '.'],
      ['commits', state.kind === 'open' ? String(state.ahead) : state.kind],
      ['result', task.neo.result],
      ['waits', task.neo.error],
      [
        'verified',
        task.neo.verified === undefined
          ? noChecks(settings)
          : `${task.neo.verified.passed} of ${counted(task.neo.verified.commands, 'check')} passed`,
      ],
    ])
    call.out.table(rows)
    call.out.line('')
    for (const path of paths) call.out.line(path)
    call.out.line('')
    call.out.line(
      dim(
        `neo review diff ${task.neo.id ?? file.name}, then neo review accept or neo review reject -m 'what to change'`,
      ),
    )
    return 0
  })
}

function noChecks({ verify }: Settings): string {
  return verify.length === 0 ? 'no checks configured' : `none of ${counted(verify.length, 'check')} ran`
}

export function diffReview(call: Call): Promise<number> {
  return withWorld(call, async (opened) => {
    const { file, branch, place } = await findReview(call, opened, firstOf(call))
    const diff = await opened.world.git.diff(place, branch)
    call.out.data('review.diff', { task: file.path, branch, base: place.base, diff })
    if (diff !== '') call.out.block(diff)
    else call.out.note('The branch changes nothing.')
    return 0
  })
}

interface Review {
  readonly file: TaskFile
  readonly branch: string
  readonly place: Place
  readonly settings: Settings
}

/** Throws NeoError `missing` if the task is not in review, `failed` if its workspace can't be used. */
async function findReview(call: Call, { home, world }: Opened, typed: string): Promise<Review> {
  const lookup = await openTaskLookup(call)
  const path = await lookup.find(typed)
  const { snapshot } = await lookOnce(world, home)
  const file = snapshot.tasks.get(path)
  const branch = file?.task.neo.branch
  if (file === undefined || file.task.status !== 'review' || branch === undefined)
    throw noReview(path, file?.task.status ?? 'not readable')
  const settings = settingsOf(file.task, snapshot.rooms.get(file.room)?.room ?? null, snapshot.config)
  const { workspace, base } = settings
  const place = await world.git.place(workspace, base)
  if ('wrong' in place)
    throw new NeoError('failed', `Cannot use the workspace of "${labelOf(path)}": ${place.wrong}`, {
      next: place.hint,
    })
  return { file, branch, place, settings }
}

/** @param is the task's status, or why it has no status */
export function noReview(path: string, is: string): NeoError {
  return new NeoError('missing', `Cannot find a review of "${labelOf(path)}": it is ${is}`, {
    next: 'neo review list',
  })
}

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
    call.out.line(branch, 'is merged into', base, dim(commit.slice(0, 10)))
  call.out.line(labelOf(task.path), 'is', statusCell(task.status))
  return 0
}
