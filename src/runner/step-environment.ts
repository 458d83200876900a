/**
 * The environment of a session's commands: a small base, the names that room and task list, a template's parameters, and
 * Neo's own. Invariant 1: nothing of the daemon's environment passes that is not listed here or named by a person: no
 * keys. Invariant 2: what is handed out is masked by value in every text from then on. Invariant 3: no program is looked
 * for in a relative folder: it would be one of the worktree, also for what confines. Invariant 4: a template's
 * parameters are values of the environment, never text of a command (2-files, Task).
 */

import { absoluteFolders } from '../domain/agent/confinement.ts'
import { learnHandedOut } from '../domain/secrets/known-secrets.ts'
import type { SessionRecord } from '../domain/session/session.ts'

const BASE = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'TZ', 'SHELL', 'TMPDIR']
/** Values of a template can't change where programs are found and what the sandbox shows. */
const FIXED = ['PATH', 'HOME', 'TMPDIR', 'SHELL']
/** If the daemon itself was started without one. */
const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin'

/** @param env the daemon's environment */
export function stepEnvironment(
  record: SessionRecord,
  home: string,
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  learnHandedOut(record.env, env)
  const locale = Object.keys(env).filter((name) => name.startsWith('LC_'))
  const passed: Record<string, string> = { PATH: DEFAULT_PATH }
  for (const name of [...BASE, ...locale, ...record.env]) {
    const value = env[name]
    if (value !== undefined) passed[name] = value
  }
  for (const [name, value] of Object.entries(record.params ?? {}))
    if (!FIXED.includes(name)) passed[name] = value.replaceAll('\0', '')
  return {
    ...passed,
    PATH: absoluteFolders(passed['PATH'] ?? '') || DEFAULT_PATH,
    TERM: 'dumb',
    NEO_SESSION: record.id,
    NEO_TASK: record.taskId,
    NEO_ROOM: record.room,
    NEO_HOME: home,
  }
}
