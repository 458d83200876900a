/**
 * Work that only a person merges, whatever `review` says. It changes rules, keys, skills or instructions of a home, or
 * files that run by themselves for everyone who has the repository (package manifests by their content), or adds a link
 * that leads out, or contains a secret value. The reason never contains a secret value, not even in a path.
 */
import { join, relative } from 'node:path'
import { below } from '../../domain/agent/confinement.ts'
import { changedStarts, heldAs, heldBehind } from '../../domain/home/held-paths.ts'
import { isGuarded, leadsOut } from '../../domain/home/home-paths.ts'
import { countKnown, countKnownIn, maskKnown } from '../../domain/secrets/known-secrets.ts'
import type { Place } from '../../domain/session/session.ts'
import type { Context } from '../context.ts'

/** Named paths; the diff shows the rest. */
const MOST_NAMED = 3

export async function guardedBy(
  { world, home }: Pick<Context, 'world' | 'home'>,
  place: Place,
  branch: string,
): Promise<string | null> {
  const { git } = world
  const own = place.repository === home || join(place.repository, '.git') === git.gitDir
  const rules = await heldOf(world, {
    place,
    branch,
    isHeld: own ? isGuarded : (path) => heldAs(path) !== null,
  })
  if (rules.length > 0) {
    const why = [...new Set(rules.flatMap((path) => heldAs(path)?.why ?? []))].join('; ')
    return `changes ${listed(rules)}${why === '' ? '' : ` (${why})`}`
  }
  const links = (await git.changedLinks(place, branch)).filter(leadsOut).map(({ path }) => path)
  if (links.length > 0) return `adds a symbolic link that leads out of the repository: ${listed(links)}`
  const { secrets, starts } = await inFiles(world, place, branch)
  if (secrets.length > 0) return `holds a secret value from the environment: ${listed(secrets)}`
  return starts.length > 0
    ? `changes ${listed(starts)} (runs when somebody installs packages or commits)`
    : null
}

/** Changed paths that are held by their name, or because a link with such a name or the hooks folder leads to them. */
async function heldOf(
  { git }: Context['world'],
  of: { readonly place: Place; readonly branch: string; readonly isHeld: (path: string) => boolean },
): Promise<readonly string[]> {
  const { place, branch, isHeld } = of
  const changed = await git.changedPaths(place, branch)
  const hooks = relative(place.repository, await git.hooksDir(place, place.repository))
  const inside = hooks === '..' || hooks.startsWith('../') ? [] : [hooks]
  const behind = [...heldBehind(await git.links(place, branch), isHeld), ...inside]
  return changed.filter((path) => isHeld(path) || behind.some((at) => below(at, path) !== null))
}

/** Files with more secret values than before, in any commit of the branch, and new keys that run by themselves. */
async function inFiles(
  { git }: Context['world'],
  place: Place,
  branch: string,
): Promise<{ readonly secrets: readonly string[]; readonly starts: readonly string[] }> {
  const secrets = new Set<string>()
  const starts = new Set<string>()
  for await (const { path, before, bytes } of await git.writtenFiles(place, branch)) {
    if (countKnown(path) > 0 || countKnownIn(bytes.toString('utf8')) > countKnownIn(before.toString('utf8')))
      secrets.add(maskKnown(path))
    const keys = changedStarts(path, before.toString('utf8'), bytes.toString('utf8'))
    if (keys.length > 0) starts.add(`${maskKnown(path)}: ${keys.join(', ')}`)
  }
  return { secrets: [...secrets], starts: [...starts] }
}

function listed(paths: readonly string[]): string {
  const rest = paths.length - MOST_NAMED
  return `${paths.slice(0, MOST_NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}
