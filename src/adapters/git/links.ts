/**
 * Symbolic links that a branch adds or changes, with what they point to. Reads git's objects; follows nothing.
 */
import type { Place } from '../../core/model/session.ts'
import type { Repository } from './repository.ts'
import { runGit } from './run.ts'
import { zeroSplit } from './spawn.ts'

export interface ChangedLink {
  readonly path: string
  readonly target: string
}

const LINK = /^:\d+ 120000 [0-9a-f]+ ([0-9a-f]+) /

export async function changedLinks(
  repository: Repository,
  { base }: Place,
  branch: string,
): Promise<readonly ChangedLink[]> {
  const range = `refs/heads/${base}...refs/heads/${branch}`
  const args = [
    'diff',
    '--no-ext-diff',
    '--no-textconv',
    '--no-renames',
    '--no-abbrev',
    '--raw',
    '-z',
    range,
    '--',
  ]
  const fields = zeroSplit((await runGit(repository.top, args)).out)
  const links: ChangedLink[] = []
  for (const [at, field] of fields.entries()) {
    const id = LINK.exec(field)?.[1]
    if (id === undefined) continue
    const target = (await repository.living.contents(id))?.bytes.toString('utf8') ?? ''
    links.push({ path: fields[at + 1] ?? '', target })
  }
  return links
}
