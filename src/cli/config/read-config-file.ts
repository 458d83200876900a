/**
 * The configuration for commands: neo.yaml with the environment and the home's `.env`. Invariant 1: a `.env` that git
 * tracks is not read, as in engine/snapshot/config-keeper.ts; a warning names it.
 */
import { join } from 'node:path'
import { composeIsTracked } from '../../compose.ts'
import { NeoError } from '../../domain/home/error.ts'
import type { HomeConfig } from '../../domain/home/home-config.ts'
import { type Problem, whereOf } from '../../domain/home/problem.ts'
import { learnNamedSecrets } from '../../domain/secrets/known-secrets.ts'
import { DOT_ENV, ENV_TRACKED } from '../../engine/snapshot/config-keeper.ts'
import { parseEnvFile } from '../../files/config/config-env.ts'
import { learnConfig, learnEnvText } from '../../files/config/config-secrets.ts'
import { readConfig } from '../../files/config/read-config.ts'
import type { Read } from '../../files/header/read-header.ts'
import type { Files } from '../../ports/files-port.ts'
import { wholeFile } from '../cli-failure.ts'
import type { Env } from '../spec.ts'

const MAX_BYTES = 256 * 1024

/** `.env`, overridden by the environment of the process. */
export function environmentOf(home: string, files: Files, env: Env): Env {
  return readEnvironment(home, files, env).all
}

function readEnvironment(home: string, files: Files, env: Env): { all: Env; problems: readonly Problem[] } {
  const read = files.read(join(home, DOT_ENV), MAX_BYTES)
  learnNamedSecrets(env)
  if (read.kind !== 'file') return { all: env, problems: [] }
  const text = read.bytes.toString('utf8')
  learnEnvText(text)
  if (composeIsTracked(home, DOT_ENV)) return { all: env, problems: [ENV_TRACKED] }
  return { all: { ...parseEnvFile(text), ...env }, problems: [] }
}

export function readHomeConfig(home: string, files: Files, env: Env): Read<HomeConfig> {
  const read = files.read(join(home, 'neo.yaml'), MAX_BYTES)
  if (read.kind === 'refused') {
    const problem = wholeFile('neo.yaml', `It ${read.why}`, 'Replace it with a text file')
    return { kind: 'bad', problems: [problem] }
  }
  const { all, problems } = readEnvironment(home, files, env)
  const config = readConfig('neo.yaml', read.kind === 'file' ? read.bytes : null, all)
  if (config.kind === 'bad') return { ...config, problems: [...config.problems, ...problems] }
  if (config.kind !== 'ok') return config
  learnConfig(config.value)
  return { ...config, warnings: [...config.warnings, ...problems] }
}

/** Throws NeoError `config`. */
export function configOf(home: string, files: Files, env: Env): HomeConfig {
  const read = readHomeConfig(home, files, env)
  if (read.kind === 'ok') return read.value
  const [first] = read.kind === 'bad' ? read.problems : []
  const where = first === undefined ? 'neo.yaml' : whereOf(first)
  const what = first?.message ?? (read.kind === 'unfinished' ? read.why : 'it has an error')
  throw new NeoError('config', `Cannot read the configuration: ${where}: ${what}`, {
    next: first?.hint ?? 'neo config check',
  })
}
