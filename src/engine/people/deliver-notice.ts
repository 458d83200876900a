/**
 * Delivery of notices: to the terminal here, and by the channels that rooms name in `notify:`. A problem of a file is
 * said once, all warnings of a file in one notice, and cleared when the file is fixed.
 */
import { onceAFile, type Problem } from '../../domain/home/problem.ts'
import type { Snapshot } from '../../domain/plan/snapshot.ts'
import { isoSecond } from '../../files/values/times.ts'
import type { Context } from '../context.ts'
import type { Notice } from './notice-outbox.ts'
import { notifyProblem, problemKey, TERMINAL } from './notices.ts'

/** Ends the key of a notice's copy for channels that may take long. */
const ELSEWHERE = ' elsewhere'

/** Puts news about problems into the outbox and hands everything undelivered to the terminal. */
export function deliverNotices(context: Context, snapshot: Snapshot): void {
  const { problems } = snapshot
  const errors = problems.filter(({ severity }) => severity === 'error')
  noticeProblems(context, [...errors, ...onceAFile(problems.filter(({ severity }) => severity !== 'error'))])
  for (const notice of context.outbox.pending(TERMINAL)) {
    route(context, snapshot, notice)
    context.emit({ kind: 'notice', text: notice.text, ...(notice.room === '' ? {} : { room: notice.room }) })
    context.outbox.receipt(notice.key, TERMINAL, isoSecond(context.world.clock.now()))
  }
}

/** A copy with its own key for the room's `notify:`. */
function route({ outbox }: Context, snapshot: Snapshot, notice: Notice): void {
  if (notice.isAnswer === true) return
  const to = snapshot.rooms.get(notice.room)?.room.notify ?? []
  if (to.length > 0) outbox.put({ ...notice, key: `${notice.key}${ELSEWHERE}`, to })
}

/** Keys of the problems that this process has noticed, by context: a mended file may break again and be noticed again. */
const noticed = new WeakMap<Context, Set<string>>()

function noticeProblems(context: Context, problems: readonly Problem[]): void {
  const before = noticed.get(context) ?? new Set<string>()
  const now = new Set(problems.map(problemKey))
  noticed.set(context, now)
  for (const key of before) {
    if (now.has(key)) continue
    context.outbox.clear(key)
    context.outbox.clear(`${key}${ELSEWHERE}`)
  }
  for (const problem of problems) {
    if (before.has(problemKey(problem))) continue
    notifyProblem(context, problem)
  }
}
