/**
 * `neo session show`: the session's file, and the paths of its worktree and transcript while they exist.
 */
import { join, relative } from 'node:path'
import { type Call, firstOf } from '../spec.ts'
import { dateText } from '../time.ts'
import { withWorld } from '../with-world.ts'
import { SESSION_STYLES, sessionData } from './list-sessions.ts'
import { findSession, taskNameOf } from './open-sessions.ts'
import { transcriptPath } from './transcript-path.ts'

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
    const rows: (readonly [string, string])[] = [
      ['path', session.path],
      ['task', file.task],
      ['worker', file.worker],
      ['model', file.model ?? ''],
      ['workspace', file.workspace],
      ['branch', file.branch],
      ['base', file.base],
      ['started', dateText(file.startedAt)],
      ['ended', file.endedAt === undefined ? '' : dateText(file.endedAt)],
      ['sandbox', file.sandbox],
      ['runner', file.runner],
      ['worktree', isThere ? relative(opened.home, worktree) : ''],
      ['transcript', transcript ?? ''],
    ]
    call.out.table([
      [
        { text: 'status', style: 'dim' },
        { text: file.status, style: SESSION_STYLES[file.status] },
      ],
      ...rows
        .filter(([, value]) => value !== '')
        .map(([key, value]) => [{ text: key, style: 'dim' } as const, value]),
    ])
    if (file.body.trim() !== '') {
      call.out.line('')
      call.out.block(file.body)
    }
    return 0
  })
}
