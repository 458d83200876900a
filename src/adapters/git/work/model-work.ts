/**
 * Whether a branch holds work of a model that its base does not have. Sessions say in a trailer whose work they commit.
 * Invariant 1: a session's commit that does not say so counts as a model's.
 */
import type { Place } from '../../../domain/session/session.ts'
import { type Repository, tipOf } from '../git-repository.ts'
import { gitText } from '../process/run-git.ts'
import type { Author } from '../process/shadow.ts'

const FORMAT =
  '%(trailers:key=Neo-Session,valueonly,separator=%x2c)%x09%(trailers:key=Neo-Work,valueonly,separator=%x2c)'

/** Whose work a session commits, by its trailers. */
export function authorOf(trailers: readonly (readonly [string, string])[]): Author {
  return trailers.some(([key, value]) => key === 'Neo-Work' && value === 'person') ? 'person' : 'model'
}

/** A base under `neo/` is a session's branch itself. */
export async function holdsModelWork(
  repository: Repository,
  { base }: Place,
  branch: string,
): Promise<boolean> {
  if (base.startsWith('neo/')) return true
  if ((await tipOf(repository, branch)) === null) return false
  const range = `refs/heads/${base}..refs/heads/${branch}`
  const lines = (await gitText(repository.top, ['log', `--format=${FORMAT}`, range, '--'])).split('\n')
  return lines.some((line) => {
    const [session = '', work = ''] = line.split('\t')
    return session.trim() !== '' && work.trim() !== 'person'
  })
}
