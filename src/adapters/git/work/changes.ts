/**
 * What has changed in a session's worktree: files and links to take in, paths that are gone, and what is left out. Git
 * lists names only (`ls-files --others`, which opens no file but ignore files and runs nothing); everything else is
 * looked at here. Invariants: 1. no repository inside the worktree is entered, whether git knows it or not; 2. a folder
 * that is a link holds nothing; 3. a link is taken only if it stays inside; 4. whatever is left out is named.
 */
import {
  type BigIntStats,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pointerOf, type WorkTree } from '../locate.ts'
import { runGit } from '../process/run-git.ts'
import { zeroSplit } from '../process/spawn.ts'
import { type Entries, type Entry, entriesOf, isKnown } from '../reading/index-entries.ts'
import { objectId } from '../reading/objects.ts'
import type { Leaf } from '../reading/tree.ts'
import { refusedName } from './reserved.ts'

export interface Candidate {
  readonly path: string
  readonly kind: 'file' | 'link'
  readonly old: Entry | null
}

/** A path whose work stays in the worktree. */
export interface LeftOut {
  readonly path: string
  readonly why: string
}

export interface Changes {
  /** New, changed, or not known to be unchanged. */
  readonly candidates: readonly Candidate[]
  readonly gone: readonly Entry[]
  readonly leftOut: readonly LeftOut[]
  readonly entries: Entries
}

const REPOSITORY = 'a git repository of its own cannot be committed'
const GIT_NAME = 'git keeps this name for itself'
const GITLINK = '160000'
const LINK = '120000'

/** @param folder the part of the worktree that is the session's; '' for all of it */
export async function changesIn(tree: WorkTree, folder: string): Promise<Changes> {
  const entries = await entriesOf(tree)
  const inside = (path: string) => folder === '' || path === folder || path.startsWith(`${folder}/`)
  const blocked = throughLinks(tree, folder)
  if (blocked.length > 0) return { candidates: [], gone: [], leftOut: blocked, entries }
  const leftOut: LeftOut[] = [...pointerTrouble(tree)]
  const look = openLook(tree.top)
  const known = entries.entries
    .filter((entry) => !entry.isSkipped && !entry.isOdd && inside(entry.path) && isUtf8(entry.path))
    .map((entry) => compare(entry, look, { tree, written: entries.writtenNs }))
  const others = (await untracked(tree)).map((path) => judge(path, look, { inside }))
  const found = [...known, ...others].filter((one) => one !== null)
  const candidates = found.filter((one) => 'kind' in one)
  leftOut.push(...found.filter((one) => 'why' in one), ...nested(tree.top, look.folders()))
  return {
    candidates: candidates.filter(
      (one) => !isRefused(one, leftOut) && !leadsOut(tree.top, one, { folder, leftOut }),
    ),
    gone: found.filter((one) => 'gone' in one).map(({ gone }) => gone),
    leftOut: leftOut.sort((a, b) => (a.path < b.path ? -1 : 1)),
    entries,
  }
}

type Found = Candidate | LeftOut | { readonly gone: Entry } | null

interface Look {
  /** Undefined for nothing, also if a folder on the way is a link or a file. */
  stat(path: string): BigIntStats | undefined
  /** Real folders that were looked into. */
  folders(): readonly string[]
}

function openLook(top: string): Look {
  const folders = new Map<string, boolean>()
  function isFolder(path: string): boolean {
    if (path === '.') return true
    const known = folders.get(path)
    if (known !== undefined) return known
    const is =
      isFolder(dirname(path)) && lstatSync(join(top, path), { throwIfNoEntry: false })?.isDirectory() === true
    folders.set(path, is)
    return is
  }
  return {
    stat: (path) =>
      isFolder(dirname(path))
        ? lstatSync(join(top, path), { bigint: true, throwIfNoEntry: false })
        : undefined,
    folders: () => [...folders].flatMap(([path, is]) => (is ? [path] : [])),
  }
}

function compare(entry: Entry, look: Look, of: { readonly tree: WorkTree; readonly written: bigint }): Found {
  const stat = look.stat(entry.path)
  if (entry.mode === GITLINK) return submodule(entry, stat, of.tree)
  if (stat === undefined || stat.isDirectory()) return { gone: entry }
  const kind = kindOf(stat)
  if (kind === null) return { path: entry.path, why: 'it is neither a file nor a link' }
  const mode = kind === 'link' ? LINK : stat.mode & 0o100n ? '100755' : '100644'
  if (mode === entry.mode && isKnown(entry, stat, of.written)) return null
  return { path: entry.path, kind, old: entry }
}

function kindOf(stat: BigIntStats): Candidate['kind'] | null {
  return stat.isFile() ? 'file' : stat.isSymbolicLink() ? 'link' : null
}

/** Never entered. One that nobody has touched since its checkout is silent. */
function submodule({ path, oid }: Entry, stat: BigIntStats | undefined, tree: WorkTree): Found {
  if (stat === undefined) return null
  if (!stat.isDirectory()) return { path, why: 'it replaces a submodule' }
  const names = readdirSync(join(tree.top, path))
  if (names.length === 0 || submoduleHead(tree, path) === oid) return null
  return { path, why: 'changes in a submodule are not committed' }
}

/** The commit of a submodule that git checked out in this worktree; null for anything that is not surely that. */
function submoduleHead({ top, gitDir }: WorkTree, path: string): string | null {
  const pointer = plainText(join(top, path, '.git'))
  const modules = join(gitDir, 'modules')
  const named = /^gitdir: (.+)\n?$/.exec(pointer ?? '')?.[1]
  const dir = named === undefined ? '' : join(named.startsWith('/') ? '' : join(top, path), named)
  if (!dir.startsWith(`${modules}/`)) return null
  return /^([0-9a-f]{40,64})\n?$/.exec(plainText(join(dir, 'HEAD')) ?? '')?.[1] ?? null
}

async function untracked(tree: WorkTree): Promise<readonly string[]> {
  const listed = await runGit(tree, ['ls-files', '--others', '--exclude-standard', '-z'])
  return zeroSplit(listed.out)
}

function judge(path: string, look: Look, of: { readonly inside: (path: string) => boolean }): Found {
  // Git lists a repository of its own as a folder.
  if (path.endsWith('/')) return { path: path.slice(0, -1), why: REPOSITORY }
  if (!isUtf8(path)) return { path, why: 'its name is not UTF-8' }
  if (path.split('/').some(isGitName)) return { path, why: GIT_NAME }
  if (!of.inside(path)) return { path, why: 'it is outside the workspace' }
  const stat = look.stat(path)
  if (stat === undefined) return null
  const kind = kindOf(stat)
  return kind === null ? { path, why: 'it is neither a file nor a link' } : { path, kind, old: null }
}

/** Names that some system takes for `.git`: in any case, with dots, spaces or streams at the end, or invisible letters. */
export function isGitName(name: string): boolean {
  const plain = name.replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, '').toLowerCase()
  return plain.split('\\').some((part) => /^(?:\.git|git~\d+)[. ]*(?::.*)?$/.test(part))
}

/** What decoding has replaced cannot be written back under the same name. */
function isUtf8(path: string): boolean {
  return !path.includes('\ufffd')
}

/** `.git` if a repository was made around files of Neo: they count, it doesn't. */
function nested(top: string, folders: readonly string[]): readonly LeftOut[] {
  return folders.flatMap((folder) => {
    const path = join(folder, '.git')
    const stat = lstatSync(join(top, path), { throwIfNoEntry: false })
    return stat === undefined ? [] : [{ path, why: REPOSITORY }]
  })
}

/** The worktree's own `.git`, where something else has taken its place. */
function pointerTrouble(tree: WorkTree): readonly LeftOut[] {
  if (lstatSync(join(tree.top, '.git'), { throwIfNoEntry: false }) === undefined) return []
  return isPointer(tree) ? [] : [{ path: '.git', why: 'it was replaced and does not count' }]
}

/** True where `.git` of the worktree is the file that leads to its git dir. */
export function isPointer(tree: WorkTree): boolean {
  const text = plainText(join(tree.top, '.git')) ?? ''
  if (text === pointerOf(tree)) return true
  const named = resolve(tree.top, text.replace(/^gitdir: /, '').trim())
  return existsSync(named) && realpathSync(named) === realpathSync(tree.gitDir)
}

/** The way to the session's folder: a link there would lead git, and us, elsewhere. */
function throughLinks({ top }: WorkTree, folder: string): readonly LeftOut[] {
  let at = ''
  for (const name of folder.split('/')) {
    at = join(at, name)
    const stat = folder === '' ? undefined : lstatSync(join(top, at), { throwIfNoEntry: false })
    if (stat !== undefined && !stat.isDirectory())
      return [{ path: folder, why: `${at} is not a folder any more` }]
  }
  return []
}

/** Says so, and true, for a new path that git refuses by its name. */
function isRefused({ path, kind, old }: Candidate, leftOut: LeftOut[]): boolean {
  const isLink = old === null ? kind === 'link' : old.mode === LINK
  const why = old !== null && isLink === (kind === 'link') ? null : refusedName(path, kind)
  if (why !== null) leftOut.push({ path, why })
  return why !== null
}

/** Says so, and true, for a new or changed link that leads out of the session's folder. */
function leadsOut(
  top: string,
  { path, kind, old }: Candidate,
  of: { readonly folder: string; readonly leftOut: LeftOut[] },
): boolean {
  if (kind === 'file') return false
  const target = readlinkSync(join(top, path))
  if (old !== null && old.mode === LINK && objectId('blob', Buffer.from(target)) === old.oid) return false
  if (staysInside(path, target, of.folder)) return false
  of.leftOut.push({ path, why: `the link leads out of the workspace (${target.slice(0, 200)})` })
  return true
}

/**
 * `..` counts only at the beginning: after a name that is a link itself it would lead elsewhere than it seems to. Paths of
 * links are real ones, so what is at the beginning is what it says.
 */
export function staysInside(path: string, target: string, folder: string): boolean {
  const parts = target.split('/').filter((part) => part !== '.' && part !== '')
  const ups = parts.findIndex((part) => part !== '..')
  const rest = ups < 0 ? [] : parts.slice(ups)
  if (target.startsWith('/') || target === '' || rest.includes('..') || rest.some(isGitName)) return false
  const own = dirname(path) === '.' ? 0 : dirname(path).split('/').length
  const least = folder === '' ? 0 : folder.split('/').length
  return own - (ups < 0 ? parts.length : ups) >= least
}

/** Of a plain file of a few lines; null for anything else. */
function plainText(path: string): string | null {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  return stat?.isFile() && stat.size < 4096 ? readFileSync(path, 'utf8') : null
}

export function leafOf(entry: Entry | null): Leaf | null {
  return entry === null ? null : { mode: entry.mode, oid: entry.oid }
}
