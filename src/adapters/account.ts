/**
 * Who runs this process, also if its user id has no account, as in containers that are started with `--user 12345`.
 * Never throws.
 */
import { homedir, tmpdir, userInfo } from 'node:os'

/** The account's name; `user-<id>` if there is none. */
export function accountName(env: NodeJS.ProcessEnv = process.env): string {
  const named = env['USER'] || env['LOGNAME']
  if (named) return named
  try {
    return userInfo().username
  } catch {
    return `user-${process.getuid?.() ?? 0}`
  }
}

/** `$HOME`, else the account's; the folder of temporary files if there is neither. */
export function homeFolder(): string {
  return ownHome() ?? tmpdir()
}

/** `$HOME`, else the account's; null if there is neither. */
export function ownHome(): string | null {
  try {
    return homedir()
  } catch {
    return null
  }
}
