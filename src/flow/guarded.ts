/**
 * Work that only a person merges, whatever `review` says: it changes what rules, keys, skills or instructions a home has,
 * or it adds a link that leads out of its repository.
 * Takes a branch; gives why, as "changes a, b", or null. Leaves to core/rules/paths.ts: which paths, and which links.
 */
import { join } from 'node:path'
import type { Place } from '../core/model/session.ts'
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
  return links.length > 0 ? `adds a link that leads out of the repository: ${listed(links)}` : null
}

function listed(paths: readonly string[]): string {
  const rest = paths.length - MOST_NAMED
  return `${paths.slice(0, MOST_NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}
