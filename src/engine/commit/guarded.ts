/**
 * Work that only a person merges, whatever `review` says: it changes what rules, keys, skills or instructions a home
 * has, or what runs by itself for people who have the repository (manifests of packages by what is in them), or it adds
 * a link that leads out of its repository, or it holds the value of a secret. Invariant 1: the value of a secret is
 * never in the reason, in a path neither.
 */
import { join, relative } from 'node:path'
import type { Place } from '../../domain/session/session.ts'
import { below } from '../../domain/agent/confinement.ts'
import { changedStarts } from '../../domain/home/held-manifest.ts'
import { heldAs, heldBehind } from '../../domain/home/held-paths.ts'
import { countKnown, countKnownIn, maskKnown } from '../../domain/secrets/known-secrets.ts'
import { isGuarded, leadsOut } from '../../domain/home/home-paths.ts'
import type { Context } from '../context.ts'

/** Paths that are named; a person sees the rest in the diff. */
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

/** Changed paths that are held by their names, or because a link by such a name or the repository's hooks lead to them. */
async function heldOf(
  { git }: Context['world'],
  of: { readonly place: Place; readonly branch: string; readonly isHeld: (path: string) => boolean },
): Promise<readonly string[]> {
  const { place, branch, isHeld } = of
  const changed = await git.changedPaths(place, branch)
  const hooks = relative(place.repository, await git.hooksDir(place, place.repository))
  const behind = [...heldBehind(await git.links(place, branch), isHeld), ...(isInside(hooks) ? [hooks] : [])]
  return changed.filter((path) => isHeld(path) || behind.some((at) => below(at, path) !== null))
}

function isInside(path: string): boolean {
  return path !== '..' && !path.startsWith('../')
}

/** Paths of files that have more secret values than before, in any commit of the branch, and keys that run by themselves. */
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
