/**
 * Notices: what a person should hear without asking. They go through the durable outbox, and each channel gives a
 * receipt. Here: the terminal. Problems of files are noticed once, the warnings of
 * a file in one notice, and a notice clears when the file is mended.
 */
import { type Problem, whereOf } from '../../domain/home/problem.ts'
import type { Snapshot } from '../../domain/plan/snapshot.ts'
import { onceAFile } from '../../domain/home/file-warnings.ts'
import { kindOf } from '../../domain/home/home-paths.ts'
import { isoSecond } from '../../files/values/times.ts'
import type { Context } from '../context.ts'
import type { Notice } from './notice-outbox.ts'

const CHANNEL = 'terminal'
/** Ends the key of a notice's copy for channels that may take long. */
const ELSEWHERE = ' elsewhere'

/** Puts news about problems into the outbox and hands everything undelivered to the terminal. */
export function deliver(context: Context, snapshot: Snapshot): void {
  const { problems } = snapshot
  const errors = problems.filter(({ severity }) => severity === 'error')
  noticeProblems(context, [...errors, ...onceAFile(problems.filter(({ severity }) => severity !== 'error'))])
  for (const notice of context.outbox.pending(CHANNEL)) {
    route(context, snapshot, notice)
    context.emit({ kind: 'notice', text: notice.text, ...(notice.room === '' ? {} : { room: notice.room }) })
    context.outbox.receipt(notice.key, CHANNEL, isoSecond(context.world.clock.now()))
  }
}

/** The room's `notify:` hears it too, under a key of its own; an answer to a message goes where it was asked, by the bus. */
function route({ outbox }: Context, snapshot: Snapshot, notice: Notice): void {
  if (notice.key.startsWith('reply:inbox:')) return
  const to = snapshot.rooms.get(notice.room)?.room.notify ?? []
  if (to.length > 0) outbox.put({ ...notice, key: `${notice.key}${ELSEWHERE}`, to })
}

/** Keys of the problems that this process has noticed, by context: a mended file may break again and be noticed again. */
const noticed = new WeakMap<Context, Set<string>>()

function noticeProblems(context: Context, problems: readonly Problem[]): void {
  const before = noticed.get(context) ?? new Set<string>()
  const now = new Set(problems.map(keyOf))
  noticed.set(context, now)
  for (const key of before) {
    if (now.has(key)) continue
    context.outbox.clear(key)
    context.outbox.clear(`${key}${ELSEWHERE}`)
  }
  for (const problem of problems) {
    const key = keyOf(problem)
    if (before.has(key)) continue
    const text = `${whereOf(problem)}: ${problem.message}. ${problem.hint}`
    const room = kindOf(problem.file)?.room ?? ''
    context.outbox.put({ key, text, room, at: isoSecond(context.world.clock.now()), to: [CHANNEL] })
  }
}

function keyOf(problem: Problem): string {
  return `problem:${whereOf(problem)}:${problem.code}:${problem.message}`
}
