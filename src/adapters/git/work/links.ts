/**
 * Symbolic links of a branch, and those that it adds or changes, with what they point to. Reads git's objects; follows nothing.
 */
import type { Place } from '../../../domain/session/session.ts'
import type { Repository } from '../git-repository.ts'
import { runGit } from '../process/run-git.ts'
import { zeroSplit } from '../process/spawn.ts'

interface Link {
  readonly path: string
  readonly target: string
}

const CHANGED = /^:\d+ 120000 [0-9a-f]+ ([0-9a-f]+) /

export async function changedLinks(
  repository: Repository,
  { base }: Place,
  branch: string,
): Promise<readonly Link[]> {
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
  const links: Link[] = []
  for (const [at, field] of fields.entries()) {
    const id = CHANGED.exec(field)?.[1]
    if (id === undefined) continue
    links.push({ path: fields[at + 1] ?? '', target: await targetOf(repository, id) })
  }
  return links
}

const LINK = /^120000 blob ([0-9a-f]+)\t/

export async function linksOf(repository: Repository, branch: string): Promise<readonly Link[]> {
  const args = ['ls-tree', '-r', '-z', '--full-tree', `refs/heads/${branch}`]
  const links: Link[] = []
  for (const line of zeroSplit((await runGit(repository.top, args)).out)) {
    const [whole, id] = LINK.exec(line) ?? []
    if (whole === undefined || id === undefined) continue
    links.push({ path: line.slice(whole.length), target: await targetOf(repository, id) })
  }
  return links
}

async function targetOf({ living }: Repository, id: string): Promise<string> {
  return (await living.contents(id))?.bytes.toString('utf8') ?? ''
}
