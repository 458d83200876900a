/**
 * Finds the home: `--home`, else `$NEO_HOME`, else the nearest folder above with `neo.yaml`, else `./home`.
 */
import { basename, dirname, join, resolve } from 'node:path'
import { NeoError } from '../domain/home/error.ts'
import { learnNamedSecrets } from '../domain/secrets/known-secrets.ts'
import { shellWord } from '../domain/text/shell-word.ts'
import { learnEnvText } from '../files/config/config-secrets.ts'
import type { Files } from '../ports/files-port.ts'
import type { Call } from './spec.ts'

/** Throws NeoError `missing` without a home. From here on, the home's secrets are masked in everything printed. */
export function findHome(call: Pick<Call, 'homeOption' | 'around'>, files: Files): string {
  const home = homeOf(call, files)
  const read = files.read(join(home, DOT_ENV), MAX_ENV_BYTES)
  if (read.kind === 'file') learnEnvText(read.bytes.toString('utf8'))
  learnNamedSecrets(call.around.env)
  return home
}

const DOT_ENV = '.env'
const MAX_ENV_BYTES = 256 * 1024

function homeOf(call: Pick<Call, 'homeOption' | 'around'>, files: Files): string {
  const { cwd, env } = call.around
  const named = call.homeOption ?? (env['NEO_HOME'] || null)
  if (named !== null)
    return namedHome(resolve(cwd, named), files, call.homeOption === null ? 'NEO_HOME' : '--home')
  for (let dir = cwd; ; dir = dirname(dir)) {
    if (isHome(dir, files) && !isWorktree(dir, files)) return dir
    if (dirname(dir) === dir) break
  }
  const below = join(cwd, 'home')
  if (isHome(below, files)) return below
  throw new NeoError('missing', `No Neo home found: there is no neo.yaml in "${cwd}" or a folder above it`, {
    why: 'a home is a folder with neo.yaml, rooms/ and workspace/',
    next: 'create one with neo init, or name one with --home DIR',
  })
}

function namedHome(dir: string, files: Files, by: string): string {
  if (isHome(dir, files)) return dir
  throw new NeoError('missing', `No Neo home found in "${dir}": there is no neo.yaml`, {
    why: `this folder comes from ${by}`,
    next: `neo init ${shellWord(dir)}`,
  })
}

/** A session's worktree of the home: a command that runs in it means the home itself. */
function isWorktree(dir: string, files: Files): boolean {
  const worktrees = dirname(dir)
  const own = dirname(worktrees)
  return basename(worktrees) === 'worktrees' && basename(own) === '.neo' && isHome(dirname(own), files)
}

function isHome(dir: string, files: Files): boolean {
  return files.read(join(dir, 'neo.yaml'), 0).kind !== 'missing'
}
