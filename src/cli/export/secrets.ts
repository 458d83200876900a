/**
 * Secrets in an export and in what is imported. An export sends what the home holds to wherever its file goes, so it
 * takes no value along that is known to be secret. An import changes nothing, since every hash is that of the file: it
 * names what looks like a secret.
 */
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { composeGitCommand } from '../../compose.ts'
import { countKnownIn, learnNamedSecrets, maskKnown } from '../../domain/secrets/known-secrets.ts'
import { redact } from '../../domain/secrets/redact.ts'
import type { Files } from '../../ports/world.ts'
import { readHomeConfig } from '../config/read-config-file.ts'
import type { Env } from '../spec.ts'

/** Larger files are media and data. */
const MOST_BYTES = 64 * 1024 * 1024
const MOST_SHAPED = 1024 * 1024
/** Paths that are named. */
const MOST_NAMED = 5

/** From here on this process knows the values of the home's `.env`, neo.yaml and environment. */
export function learnHome(home: string, files: Files, env: Env): void {
  readHomeConfig(home, files, env)
}

/** Why the history cannot be exported; null where it can. */
export async function secretTrouble(
  home: string,
): Promise<{ readonly why: string; readonly next: string } | null> {
  const found = await (await composeGitCommand()).secretsInHistory(home)
  if (found.length === 0) return null
  return {
    why: `its history, which is exported whole, holds a secret value in ${listed(found)}`,
    next: 'take it out of git\'s history and give it a new value, or list its name under "redact: plain" in neo.yaml if it is no secret',
  }
}

export function holdsSecret(path: string): boolean {
  const text = textAt(path, MOST_BYTES)
  return text !== null && countKnownIn(text) > 0
}

/** The text with each known value masked; null where it holds none. */
export function maskedAt(path: string): string | null {
  const text = textAt(path, MOST_BYTES)
  if (text === null) return null
  const masked = maskKnown(text)
  return masked === text ? null : masked
}

/** Files below a folder that look as if they held secrets, as a line for people; null for none. */
export function suspicion(root: string, env: Env): string | null {
  learnNamedSecrets(env)
  const found = below(root, '').filter((path) => {
    const text = textAt(join(root, path), MOST_SHAPED)
    return text !== null && redact(text) !== text
  })
  return found.length === 0 ? null : listed(found)
}

function listed(paths: readonly string[]): string {
  const rest = paths.length - MOST_NAMED
  return `${paths.slice(0, MOST_NAMED).map(maskKnown).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

function textAt(path: string, most: number): string | null {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  return stat?.isFile() !== true || stat.size > most ? null : readFileSync(path, 'utf8')
}

function below(root: string, folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.name === '.git') return []
      return entry.isDirectory() ? below(root, path) : entry.isFile() ? [path] : []
    })
}
