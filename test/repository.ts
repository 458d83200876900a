/**
 * The first commit of a home for tests, with as few processes as it takes: a test of a home starts git some ten times in
 * all, and there are a thousand of them.
 * Takes a folder with files, and who commits; leaves a repository on the branch `main` with one commit of all of them.
 */
import { execFileSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Beginning {
  readonly name: string
  readonly email: string
  /** The message of the commit. */
  readonly message: string
}

/** Nothing of a test's home needs to outlive a power cut, and nobody clears up behind its first commit. */
const QUICK = ['-c', 'core.fsync=none', '-c', 'gc.auto=0', '-c', 'maintenance.auto=false'] as const

export function beginRepository(dir: string, { name, email, message }: Beginning): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: dir, stdio: 'pipe' })
  git('init', '-q', '-b', 'main', '--template=')
  appendFileSync(
    join(dir, '.git/config'),
    `[user]\n\tname = ${name}\n\temail = ${email}\n[commit]\n\tgpgSign = false\n`,
  )
  git(...QUICK, 'add', '-A')
  git(...QUICK, 'commit', '-q', '-m', message)
}
