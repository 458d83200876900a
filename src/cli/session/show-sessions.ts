/** `neo session list` and `neo session show`. */
import { join, relative } from 'node:path'
import type { SessionStatus } from '../../domain/session/session.ts'
import { countOption } from '../option-values.ts'
import { type Cell, fieldRows, printBody, type Style } from '../output.ts'
import { roomOption } from '../room/open-rooms.ts'
import { dateText, spanText } from '../shown-text.ts'
import { type Call, firstOf } from '../spec.ts'
import { taskSummaries } from '../task/task-list-cache.ts'
import { openTaskLookup } from '../task/task-lookup.ts'
import { labelOf } from '../task/task-paths.ts'
import { type Opened, withWorld } from '../with-world.ts'
import { allSessions, findSession, type Session, taskNameOf } from './open-sessions.ts'
import { transcriptPath } from './tail-session.ts'

const DEFAULT_LIMIT = 50

export const SESSION_STYLES: Readonly<Record<SessionStatus, Style>> = {
  starting: 'cyan',
  running: 'blue',
  waiting_for_input: 'yellow',
  verifying: 'blue',
  completed: 'green',
  failed: 'red',
  stopped: 'yellow',
}

export function listSessions(call: Call): Promise<number> {
  return withWorld(call, async (opened) => {
    const limit = countOption(call, 'limit') ?? DEFAULT_LIMIT
    const status = call.text('status')
    const all = allSessions(opened, roomOption(call, { home: opened.home, files: opened.world.files }))
    const fit = all.filter(({ file }) => status === null || file.status === status)
    const shown = fit.slice(0, limit)
    const names = await taskNames(call)
    call.out.data(
      'session.list',
      shown.map((session) => sessionData(session, names)),
    )
    call.out.table(
      shown.map((session) => row(session, names, opened)),
      2,
    )
    if (fit.length > shown.length) call.out.note(`${fit.length - shown.length} more: --limit ${fit.length}`)
    if (shown.length === 0) call.out.note('No matching sessions.')
    return 0
  })
}

/** Paths of tasks by their ids. */
async function taskNames(call: Call): Promise<ReadonlyMap<string, string>> {
  const lookup = await openTaskLookup(call)
  const known = taskSummaries(lookup.cache).flatMap((summary) =>
    summary.kind === 'ok' && summary.head.id !== undefined ? [[summary.head.id, summary.path] as const] : [],
  )
  return new Map(known)
}

function row(session: Session, names: ReadonlyMap<string, string>, { world }: Opened): Cell[] {
  const { file } = session
  const path = names.get(file.task)
  const end = file.endedAt === undefined ? world.clock.now() : Date.parse(file.endedAt)
  return [
    session.id,
    { text: file.status, style: SESSION_STYLES[file.status] },
    path === undefined ? `${session.room}/${file.task}` : labelOf(path),
    file.worker,
    dateText(file.startedAt),
    spanText(end - Date.parse(file.startedAt)),
  ]
}

export function sessionData(
  { id, room, path, file }: Session,
  names: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const { body: _body, ...rest } = file
  return { ...rest, id, room, path, taskPath: names.get(file.task) ?? null }
}

export function showSession(call: Call): Promise<number> {
  return withWorld(call, async (opened) => {
    const session = await findSession(call, opened, firstOf(call))
    const { file, id } = session
    const worktree = join(opened.home, '.neo', 'worktrees', id)
    const isThere = opened.world.files.names(worktree).length > 0
    const transcript = transcriptPath(opened, session)
    call.out.data('session.show', {
      ...sessionData(session, new Map()),
      body: file.body,
      worktree: isThere ? worktree : null,
      transcript,
    })
    call.out.heading(`${id} of ${taskNameOf(session)}`)
    call.out.table(
      fieldRows([
        ['status', { text: file.status, style: SESSION_STYLES[file.status] }],
        ['path', session.path],
        ['task', file.task],
        ['worker', file.worker],
        ['model', file.model],
        ['workspace', file.workspace],
        ['branch', file.branch],
        ['base', file.base],
        ['started', dateText(file.startedAt)],
        ['ended', file.endedAt === undefined ? '' : dateText(file.endedAt)],
        ['sandbox', file.sandbox],
        ['runner', file.runner],
        ['worktree', isThere ? relative(opened.home, worktree) : ''],
        ['transcript', transcript ?? ''],
      ]),
    )
    printBody(call.out, file.body)
    return 0
  })
}
