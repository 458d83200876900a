/**
 * The configuration and environment in force, and the problems of neo.yaml as it is now. Invariants: 1. a bad or
 * untrusted change leaves the last good configuration in force, and is a problem; a bad one is reported as such, trusted
 * or not; 2. the process's own variables win over the git-ignored `.env`; 3. a `.env` that git tracks is not read: anyone who can write to the repository would
 * choose keys and addresses; 4. a file that is being saved is not read until it is quiet, so no half of it gets in force.
 */
import { join } from 'node:path'
import { NeoError } from '../../domain/home/error.ts'
import type { HomeConfig } from '../../domain/home/home-config.ts'
import { fileProblem, type Problem, whereOf } from '../../domain/home/problem.ts'
import { learnNamedSecrets } from '../../domain/secrets/known-secrets.ts'
import { parseEnvFile } from '../../files/config/config-env.ts'
import { learnConfig, learnEnvText } from '../../files/config/config-secrets.ts'
import { readConfig } from '../../files/config/read-config.ts'
import type { Files } from '../../ports/files-port.ts'

export interface ConfigKeeper {
  current(): HomeConfig
  problems(): readonly Problem[]
  /** Reads the file again. */
  read(): void
  /** Reads it again if `.env`, which it may use, has changed. */
  readEnv(tracked?: boolean): void
  /** `daemon.settle`, else 2 s, or 20 s in an Obsidian vault. */
  settleMs(): number
}

const FILE = 'neo.yaml'
/** Relative to the home. */
export const DOT_ENV = '.env'
const MAX_BYTES = 256 * 1024
const SETTLE_MS = 2_000
const SETTLE_OBSIDIAN_MS = 20_000

const AWAY = 'file deleted; its last settings still apply'

function unread(code: string, message: string, hint: string): Problem {
  return fileProblem(FILE, 'error', { code, message, hint })
}

/** Throws NeoError `config` with file, line and column if the file is bad at the start. */
export function openConfig(
  home: string,
  files: Files,
  { env, trusted = () => null }: { env: HomeEnv; trusted?: (() => string | null) | undefined },
): ConfigKeeper {
  /** For trust. */
  let waits = false
  /** A variable of `.env` has changed, and the file was not read since. */
  let isDue = false
  const file = seenFile(() => files.read(join(home, FILE), MAX_BYTES))
  let problems: readonly Problem[] = []
  let good: HomeConfig | null = null

  function read(): void {
    env.learn()
    const found = file.read()
    isDue = false
    if (found.kind === 'refused') {
      problems = [unread('kind', found.why, 'Replace it with a plain text file')]
      return
    }
    if (found.kind === 'missing' && good !== null) {
      problems = [unread('away', AWAY, `Restore it: git checkout -- ${FILE}`)]
      return
    }
    const result = readConfig(FILE, found.kind === 'file' ? found.bytes : null, env.all)
    const why = good === null || result.kind === 'bad' ? null : (trusted() ?? file.whyMoving())
    waits = why !== null
    if (why !== null) {
      // So that a pull sends keys nowhere new, and starts no new program.
      problems = [unread('untrusted', `Changes ignored: ${why}`, 'neo trust')]
    } else if (result.kind === 'ok') {
      good = result.value
      problems = result.warnings
      learnConfig(good)
    } else {
      problems = result.kind === 'bad' ? result.problems : []
    }
  }

  read()
  const obsidian = files.names(home).includes('.obsidian')
  const current = () => good ?? unusable(problems[0])
  return {
    current,
    problems: () => (env.isTracked() ? [...problems, ENV_TRACKED] : problems),
    read,
    readEnv: (tracked) => {
      isDue = env.read(tracked) || isDue
      if ((isDue || waits) && file.whyMoving() === null) read()
    },
    settleMs: () => current().daemon.settleMs ?? (obsidian ? SETTLE_OBSIDIAN_MS : SETTLE_MS),
  }
}

function unusable(first: Problem | undefined): never {
  throw new NeoError(
    'config',
    `Cannot read ${first === undefined ? FILE : whereOf(first)}: ${first?.message ?? 'it is unfinished'}`,
    { next: first?.hint ?? 'neo config check' },
  )
}

/** Invariant 4. */
function seenFile(onDisk: () => ReturnType<Files['read']>) {
  let last: Buffer | null = null
  const bytesOf = (read: ReturnType<Files['read']>) => (read.kind === 'file' ? read.bytes : null)
  return {
    read() {
      const found = onDisk()
      last = bytesOf(found)
      return found
    },
    /** Null if it is what was read last: so what is found trusted is what was read. */
    whyMoving() {
      const now = bytesOf(onDisk())
      const isSame = now === null || last === null ? now === last : now.equals(last)
      return isSame ? null : 'it is being saved'
    },
  }
}

export const ENV_TRACKED = fileProblem(DOT_ENV, 'warning', {
  code: 'tracked',
  message: 'Ignored: git tracks this file, so a pull or a merge could change keys and addresses',
  hint: 'git rm --cached .env, then add it to .gitignore',
})

type Env = Readonly<Record<string, string | undefined>>

interface HomeEnv {
  readonly all: Env
  /** Reads `.env` again. True if it has changed. `tracked`: git has it in HEAD; default: as before. */
  read(tracked?: boolean): boolean
  isTracked(): boolean
  /** Masks secret values from now on, whatever their names. */
  learn(): void
}

const MOST_ENV_BYTES = 64 * 1024

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
    const found = tracked ? ({ kind: 'missing' } as const) : files.read(join(home, DOT_ENV), MOST_ENV_BYTES)
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
