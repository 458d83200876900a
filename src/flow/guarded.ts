/**
 * Work that only a person merges, whatever `review` says: it changes what rules, keys, skills or instructions a home has,
 * or it adds a link that leads out of its repository, or it holds the value of a secret.
 * Invariant 1: the value of a secret is never in the reason, in a path neither.
 * Takes a branch; gives why, as "changes a, b", or null. Leaves to core/rules/paths.ts: which paths, and which links.
 */
import { join } from 'node:path'
import type { Place } from '../core/model/session.ts'
import { countKnown, maskKnown } from '../core/rules/known-secrets.ts'
import { isGuarded, isInstruction, leadsOut } from '../core/rules/paths.ts'
import type { Context } from './context.ts'

/** Paths that are named; a person sees the rest in the diff. */
const MOST_NAMED = 3

export async function guardedBy(
  { world, home }: Pick<Context, 'world' | 'home'>,
  place: Place,
  branch: string,
): Promise<string | null> {
  const { git } = world
  const own = place.repository === home || join(place.repository, '.git') === git.gitDir
  const rules = (await git.changedPaths(place, branch)).filter(own ? isGuarded : isInstruction)
  if (rules.length > 0) return `changes ${listed(rules)}`
  const links = (await git.changedLinks(place, branch)).filter(leadsOut).map(({ path }) => path)
  if (links.length > 0) return `adds a link that leads out of the repository: ${listed(links)}`
  const secrets = await withSecrets(world, place, branch)
  return secrets.length > 0 ? `holds a secret value from the environment: ${listed(secrets)}` : null
}

/** Paths of files that have more secret values than before, in any commit of the branch. */
async function withSecrets(
  { git }: Context['world'],
  place: Place,
  branch: string,
): Promise<readonly string[]> {
  const paths = new Set<string>()
  for await (const { path, before, bytes } of await git.writtenFiles(place, branch))
    if (countKnown(path) > 0 || countKnown(textOf(bytes)) > countKnown(textOf(before)))
      paths.add(maskKnown(path))
  return [...paths]
}

/** UTF-16 too: its zero bytes are left out. */
function textOf(bytes: Buffer): string {
  return bytes.toString('utf8').replaceAll('\0', '')
}

function listed(paths: readonly string[]): string {
  const rest = paths.length - MOST_NAMED
  return `${paths.slice(0, MOST_NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}
