/** A daemon of one session, for the crash tests: runs the record over the folder given and ends. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionRecord } from '../../src/domain/session/session.ts'
import { runSession } from '../../src/runner/run-session.ts'
import { world } from './world.ts'

const [, , root = '', file = ''] = process.argv
const record = JSON.parse(readFileSync(file, 'utf8')) as SessionRecord
const { repository } = record.place
await runSession(record, {
  world: world(),
  dirs: {
    session: join(repository, '.git', 'neo', 'sessions', record.id),
    worktree: join(root, 'worktrees', record.id),
    home: repository,
  },
  env: { PATH: process.env['PATH'], HOME: root, EFFECTS: join(root, 'effects') },
  on: { progress: () => {} },
  signal: new AbortController().signal,
})
