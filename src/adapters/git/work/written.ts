/**
 * What each commit of a branch writes, file by file, with the version before. Reads git's objects; follows nothing.
 * Each commit counts, not the difference alone: what one adds and the next takes away is merged with the history.
 */
import type { Place } from '../../../domain/session/session.ts'
import type { WrittenFile } from '../../../ports/worktree-port.ts'
import type { Repository } from '../git-repository.ts'
import { runGit } from '../process/run-git.ts'
import { zeroSplit } from '../process/spawn.ts'

const RAW = /^\n*:\d+ (?:100\d+|120000) ([0-9a-f]+) ([0-9a-f]+) /
export const FLAGS = [
  '--format=',
  '-m',
  '--raw',
  '-z',
  '--no-renames',
  '--no-abbrev',
  '--no-ext-diff',
  '--no-textconv',
]

export async function* writtenFiles(
  repository: Repository,
  { base }: Place,
  branch: string,
): AsyncGenerator<WrittenFile> {
  const range = `refs/heads/${base}..refs/heads/${branch}`
  const fields = zeroSplit((await runGit(repository.top, ['log', ...FLAGS, range, '--'])).out)
  const bytesOf = async (id: string) =>
    /^0+$/.test(id) ? Buffer.alloc(0) : ((await repository.living.contents(id))?.bytes ?? Buffer.alloc(0))
  for (const { path, old, now } of changesOf(fields))
    yield { path, before: await bytesOf(old), bytes: await bytesOf(now) }
}

/** Each change of a file or link once, from the output of `git log` with these flags. */
export function changesOf(
  fields: readonly string[],
): readonly { readonly path: string; readonly old: string; readonly now: string }[] {
  const changes = new Map<string, { readonly path: string; readonly old: string; readonly now: string }>()
  for (const [at, field] of fields.entries()) {
    const [, old, now] = RAW.exec(field) ?? []
    const path = fields[at + 1] ?? ''
    if (old !== undefined && now !== undefined) changes.set(`${old} ${now} ${path}`, { path, old, now })
  }
  return [...changes.values()]
}
