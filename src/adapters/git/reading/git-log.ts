/**
 * Reads history: log with trailers, versions of a path, the tree of a commit, who the person is.
 * Read-only; what git cannot answer in an empty repository is an empty answer.
 */

import { NeoError } from '../../../domain/home/error.ts'
import type { Git, Person } from '../../../ports/git-port.ts'
import type { LogEntry } from '../../../ports/worktree-port.ts'
import { accountName } from '../../machine.ts'
import { type Repository, rootOf } from '../git-repository.ts'
import { readGit, runGit, type Where } from '../process/run-git.ts'
import { shadowOf } from '../process/shadow.ts'
import { firstLine, ownId, zeroSplit } from '../process/spawn.ts'
import { TREE_MODE, type Trees } from './tree.ts'

/** Begins a record; no line of git's own begins so. */
const BEGIN = '\x1e'

/** Newest first. */
export async function log(
  top: Where,
  options: Parameters<Git['log']>[0] & { readonly from?: string },
): Promise<readonly LogEntry[]> {
  const { limit, since, until, grep, from = 'HEAD', paths = [] } = options
  const args = ['log', `--max-count=${limit}`, '--no-show-signature', '-z', `--format=${FIELDS.join('%x00')}`]
  if (grep !== undefined) args.push('--extended-regexp', `--grep=${grep}`)
  if (since !== undefined) args.push(`--since=${since}`)
  if (until !== undefined) args.push(`--until=${until}`)
  args.push('--end-of-options', from, '--', ...paths)
  const text = await readGit(top, args).catch((cause) => noCommits(cause))
  const parts = text.split('\0')
  const count = Math.floor(parts.length / FIELDS.length)
  return Array.from({ length: count }, (_, at) =>
    entryOf(parts.slice(at * FIELDS.length, (at + 1) * FIELDS.length)),
  )
}

/** Of one commit. No message can hold the zero byte between them. */
const FIELDS = ['%H', '%aI', '%cI', '%an', '%s', '%(trailers:only,unfold)']

/** An empty repository has an empty history. */
function noCommits(cause: unknown): string {
  if (/bad revision|unknown revision|does not have any commits/.test(String(cause))) return ''
  const words = cause instanceof Error ? cause.message : String(cause)
  throw new NeoError('git', `Cannot read the log: ${firstLine(words)}`, { cause })
}

function entryOf(fields: readonly string[]): LogEntry {
  const [commit = '', at = '', committed = '', author = '', subject = '', trailers = ''] = fields
  const byKey = new Map<string, string[]>()
  for (const line of trailers.split('\n')) {
    const [, key, value = ''] = /^([A-Za-z0-9-]+): (.*)$/.exec(line) ?? []
    if (key !== undefined) byKey.set(key, [...(byKey.get(key) ?? []), value])
  }
  return { commit, at, committed, author, subject, trailers: Object.fromEntries(byKey) }
}

/** The branch's own line: else git may follow a session's side of a merge, which holds older versions of the files. */
const OWN_LINE = ['log', '--first-parent', '--no-renames'] as const

export async function versions(
  top: Where,
  path: string,
  limit: number,
): Promise<readonly { readonly commit: string; readonly blob: string }[]> {
  const shape = [`--max-count=${limit}`, '--format=%x1e%H', '--raw', '--no-abbrev', '-z']
  const found = await runGit(top, [...OWN_LINE, ...shape, 'HEAD', '--', path], { ok: [0, 128] })
  return found.out
    .toString('utf8')
    .split(BEGIN)
    .flatMap((record) => {
      const commit = /^[0-9a-f]{40,}/.exec(record)?.[0]
      const blob = /:\d+ \d+ [0-9a-f]+ ([0-9a-f]+) [AM]/.exec(record)?.[1]
      return commit === undefined || blob === undefined ? [] : [{ commit: ownId(commit), blob: ownId(blob) }]
    })
}

/** Paths of one command line. */
const MOST_PATHS = 200

export async function everHad(top: Where, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (let at = 0; at < paths.length; at += MOST_PATHS) {
    const some = paths.slice(at, at + MOST_PATHS)
    const args = [...OWN_LINE, '--format=', '--name-only', '-z', 'HEAD', '--', ...some]
    const { out } = await runGit(top, args, { ok: [0, 128] })
    for (const path of zeroSplit(out)) found.add(path.trim())
  }
  return found
}

/** Blob ids of all files below the paths, by path. */
export async function tree(
  { repository, trees }: { readonly repository: Repository; readonly trees: Trees },
  commit: string,
  paths: readonly string[],
): Promise<Map<string, string>> {
  const areFew = paths.length <= MOST_LOOKED_UP && paths.every((path) => path.includes('.'))
  const files = areFew ? await blobsAt(trees, await rootOf(repository, commit), paths) : null
  if (files !== null) return files
  const listed = await runGit(repository, ['ls-tree', '-r', '-z', '--full-tree', commit, '--', ...paths])
  return new Map(blobsIn(listed.out))
}

/** For more, a process costs less than reading the trees one by one. A name without a dot is taken for a folder. */
const MOST_LOOKED_UP = 8

/** Without a process of its own. Null if one is a folder. */
async function blobsAt(
  trees: Trees,
  root: string | null,
  paths: readonly string[],
): Promise<Map<string, string> | null> {
  if (root === null) return null
  const found = new Map<string, string>()
  for (const path of paths) {
    const leaf = await trees.at(root, path)
    if (leaf?.mode === TREE_MODE) return null
    if (leaf !== null && leaf.mode !== LINK_MODE) found.set(path, leaf.oid)
  }
  return found
}

/** Of another repository: it has no blob here. */
const LINK_MODE = '160000'

/** `100644 blob ID<tab>PATH<zero>`: what is before the id is always as long. */
const ID_AT = '100644 blob '.length

/** Path and id are strings of their own: both are kept for long, and slices would keep the whole list. */
function* blobsIn(out: Buffer): Iterable<readonly [path: string, id: string]> {
  for (let from = 0; from < out.length; ) {
    const tab = out.indexOf('\t', from)
    const end = out.indexOf(0, tab)
    if (out.toString('latin1', from + ID_AT - 5, from + ID_AT) === 'blob ')
      yield [out.toString('utf8', tab + 1, end), out.toString('latin1', from + ID_AT, tab)]
    from = end + 1
  }
}

/** Git's identity for this repository, else the account's name at localhost. */
export async function person(repository: Repository): Promise<Person & { readonly from: 'git' | 'system' }> {
  const { identity } = await shadowOf(repository)
  const name = process.env['GIT_AUTHOR_NAME'] ?? identity.name
  const email = process.env['GIT_AUTHOR_EMAIL'] ?? identity.email
  if (name !== '' && email !== '') return { name, email, from: 'git' }
  const user = accountName()
  return { name: name || user, email: email || `${user}@localhost`, from: 'system' }
}
