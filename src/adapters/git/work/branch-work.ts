/**
 * What the commits of a session's branch hold: symbolic links with their targets, files with the version before, and
 * whether a model wrote them (sessions say so in a trailer). Reads git's objects; follows nothing. Invariants: 1. each
 * commit counts, not only the difference: what one adds and the next removes is merged with the history; 2. a session's
 * commit without that trailer counts as a model's.
 */
import type { Place } from '../../../domain/session/session.ts'
import type { WrittenFile } from '../../../ports/worktree-port.ts'
import { type Repository, tipOf } from '../git-repository.ts'
import { gitText, PLAIN, runGit } from '../process/run-git.ts'
import type { Author } from '../process/shadow.ts'
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
  const args = ['diff', ...PLAIN, '--no-renames', '--no-abbrev', '--raw', '-z', range, '--']
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

const RAW = /^\n*:\d+ (?:100\d+|120000) ([0-9a-f]+) ([0-9a-f]+) /
export const FLAGS = ['--format=', '-m', '--raw', '-z', '--no-renames', '--no-abbrev', ...PLAIN]

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
