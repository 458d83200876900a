/**
 * Which of the commits that a push would send hold a secret value that this process knows: in a file, in a path, in a
 * message, in a name of its author or committer, or in the name of the branch. Reads git's objects; follows nothing.
 * Each commit counts: what a later one takes away is sent as well. Invariant 1: no such value is in what is given.
 */
import { countKnown, countKnownIn, knowsSecrets, maskKnown } from '../../../domain/secrets/known-secrets.ts'
import { runGit } from '../process/run-git.ts'
import { zeroSplit } from '../process/spawn.ts'
import { changesOf, FLAGS } from '../work/written.ts'

/** Objects that are read at a time. */
const CHUNK = 200

/** Paths, or as said here; empty if nothing is found. Commits that the remote has are not looked at. */
export async function secretsToSend(
  repository: string,
  of: { readonly commit: string; readonly remote: string; readonly to: string },
): Promise<readonly string[]> {
  if (!knowsSecrets()) return []
  const found = await secretsIn(repository, [of.commit, '--not', `--remotes=${of.remote}`, '--'])
  return countKnown(of.to) > 0 ? ['the name of the branch', ...found] : found
}

/** The same of any range of commits, such as `--all`. */
export async function secretsIn(repository: string, range: readonly string[]): Promise<readonly string[]> {
  if (!knowsSecrets()) return []
  const found = new Set<string>()
  const asked: readonly (readonly [format: string, what: string])[] = [
    ['%B', 'the message of a commit'],
    ['%an%n%ae%n%cn%n%ce', 'the author of a commit'],
  ]
  for (const [format, what] of asked) {
    const { out } = await runGit(repository, ['log', `--format=${format}`, ...range])
    if (countKnownIn(out.toString('utf8')) > 0) found.add(what)
  }
  const changes = changesOf(zeroSplit((await runGit(repository, ['log', ...FLAGS, ...range])).out))
  for (let at = 0; at < changes.length; at += CHUNK) {
    const some = changes.slice(at, at + CHUNK)
    const counts = await countsOf(repository, new Set(some.flatMap(({ old, now }) => [old, now])))
    const count = (id: string) => counts.get(id) ?? 0
    for (const { path, old, now } of some)
      if (countKnown(path) > 0 || count(now) > count(old)) found.add(maskKnown(path))
  }
  return [...found]
}

/** How often a secret value is in each blob. */
async function countsOf(repository: string, ids: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> {
  const input = [...ids].filter((id) => !/^0+$/.test(id)).join('\n')
  const counts = new Map<string, number>()
  if (input === '') return counts
  const { out } = await runGit(repository, ['cat-file', '--batch'], { input: `${input}\n` })
  for (let at = 0; at < out.length; ) {
    const end = out.indexOf(0x0a, at)
    const [id = '', , size] = out.toString('latin1', at, end).split(' ')
    at = end + 1
    if (size === undefined) continue
    counts.set(id, countKnownIn(out.toString('utf8', at, at + Number(size))))
    at += Number(size) + 1
  }
  return counts
}
