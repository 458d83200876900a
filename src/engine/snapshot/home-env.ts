/**
 * The environment of a home: of the process, and below it the git-ignored `.env` as it is now. Invariants: 1. the
 * process's own variables win; 2. a `.env` that git tracks is not read: anyone who can write to the repository would
 * choose keys and addresses.
 */
import { join } from 'node:path'
import { learnNamedSecrets } from '../../domain/secrets/known-secrets.ts'
import { parseEnvFile } from '../../files/config/config-env.ts'
import { learnEnvText } from '../../files/config/env-secrets.ts'
import type { Files } from '../../ports/files-port.ts'

export type Env = Readonly<Record<string, string | undefined>>

export interface HomeEnv {
  readonly all: Env
  /** Reads `.env` again. True if it has changed. `tracked`: git has it in HEAD; default: as before. */
  read(tracked?: boolean): boolean
  isTracked(): boolean
  /** Masks secret values from now on, whatever their names. */
  learn(): void
}

/** The file, relative to the home. */
export const DOT_ENV = '.env'
const MAX_BYTES = 64 * 1024

export function openHomeEnv(
  home: string,
  files: Pick<Files, 'read'>,
  of: { readonly own: Env; readonly tracked: boolean },
): HomeEnv {
  const { own } = of
  let isTracked = of.tracked
  const all: Record<string, string | undefined> = {}
  let seen: string | null = null

  function read(tracked = isTracked): boolean {
    isTracked = tracked
    const found = tracked ? ({ kind: 'missing' } as const) : files.read(join(home, DOT_ENV), MAX_BYTES)
    // If it can't be read now, its last content counts.
    if (found.kind === 'refused' && seen !== null) return false
    const text = found.kind === 'file' ? found.bytes.toString('utf8') : ''
    if (text === seen) return false
    seen = text
    const now = { ...parseEnvFile(text), ...own }
    for (const name of Object.keys(all)) if (!Object.hasOwn(now, name)) delete all[name]
    Object.assign(all, now)
    return true
  }

  function learn(): void {
    learnEnvText(seen ?? '')
    learnNamedSecrets(own)
  }

  read()
  return { all, read, isTracked: () => isTracked, learn }
}
