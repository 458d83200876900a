/**
 * Secrets in exports and imports. An export includes no known secret. An import only warns about possible secrets,
 * because changing a file would break its hash.
 */
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { composeGitCommand } from '../../compose.ts'
import { countKnownIn, learnNamedSecrets, maskKnown } from '../../domain/secrets/known-secrets.ts'
import { redact } from '../../domain/secrets/redact.ts'
import type { Files } from '../../ports/files-port.ts'
import { readHomeConfig } from '../config/read-config-file.ts'
import type { Env } from '../spec.ts'

/** Larger files are media and data. */
const MOST_BYTES = 64 * 1024 * 1024
const MOST_SHAPED = 1024 * 1024
/** The number of paths that a message names. */
const MOST_NAMED = 5

/** Learns the secrets of the home's `.env`, neo.yaml and environment. */
export function learnHome(home: string, files: Files, env: Env): void {
  readHomeConfig(home, files, env)
}

/** Why the history can't be exported; null if it can. */
export async function secretTrouble(
  home: string,
): Promise<{ readonly why: string; readonly next: string } | null> {
  const found = await (await composeGitCommand()).secretsInHistory(home)
  if (found.length === 0) return null
  return {
    why: `its git history contains a secret in ${listed(found)}`,
    next: 'remove it from the git history and replace the secret; if it is not a secret, add its name to redact.plain in neo.yaml',
  }
}

export function holdsSecret(path: string): boolean {
  const text = textAt(path, MOST_BYTES)
  return text !== null && countKnownIn(text) > 0
}

/** The text with known secrets masked; null if it contains none. */
export function maskedAt(path: string): string | null {
  const text = textAt(path, MOST_BYTES)
  if (text === null) return null
  const masked = maskKnown(text)
  return masked === text ? null : masked
}

/** Files in a folder that may contain secrets, as a list for people; null for none. */
export function suspicion(root: string, env: Env): string | null {
  learnNamedSecrets(env)
  const found = filesBelow(root).filter((path) => {
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

/** Paths of all regular files in a folder, without those of git; links are not followed. Empty without the folder. */
export function filesBelow(root: string, folder = ''): readonly string[] {
  const at = join(root, folder)
  if (lstatSync(at, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  return readdirSync(at, { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.name === '.git') return []
      return entry.isDirectory() ? filesBelow(root, path) : entry.isFile() ? [path] : []
    })
}
