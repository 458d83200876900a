/**
 * What a confined git sees of the repository behind a worktree: enough for status, diff, log and show, all read-only.
 * Invariants: 1. git folders are found from the repository, which no session can write; a `.git` file, a `commondir` or
 * `alternates` in the worktree decides nothing; 2. only names that are listed here are shown: no hooks, no reflogs, no
 * worktrees of others, nothing of Neo's own; 3. of the configuration only listed keys, so no header, helper, filter,
 * alias or include; an address loses its user and password.
 */
import { readdirSync, readFileSync, realpathSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { configLine, partsOf } from '../git/process/own-config.ts'
import { entriesOfText } from '../git/process/shadow.ts'
import { content, isBelow, kindAt, type Mount, readable, sealed } from './mount.ts'

interface Shown {
  /** Top of the worktree. */
  readonly top: string
  /** Top of its repository; the same for a plain checkout. Null: git is not shown. */
  readonly repository: string | null
  /** Git folder that is never shown: the home's. */
  readonly never?: string
}

const COMMON = /^(?:HEAD|packed-refs|shallow|objects|refs|reftable|info)$/
const OWN =
  /^(?:HEAD|ORIG_HEAD|MERGE_HEAD|CHERRY_PICK_HEAD|REVERT_HEAD|index|sharedindex\.[0-9a-f]+|commondir|gitdir|info|refs|reftable)$/
const BOTH = new RegExp(`${COMMON.source}|${OWN.source}`)
/** A repository may borrow objects from one that borrows itself. */
const MOST_BORROWED = 5
const MOST_NESTED = 4
const MOST_MODULES = 50
/** What is longer is not read. */
const CONFIG_BYTES = 1024 * 1024

interface GitDirs {
  /** Of this worktree. */
  readonly own: string
  /** Shared by all worktrees; the same as `own` in a plain checkout. */
  readonly common: string
}

/** `sized`: bwrap takes the size of folders in memory. */
export function repositoryMounts(shown: Shown, sized: boolean): readonly Mount[] {
  const dirs = gitDirsOf(shown)
  if (dirs === null) return []
  const { own, common } = dirs
  const dotGit = join(shown.top, '.git')
  // In a plain checkout a model may have made the repository, in an earlier conversation.
  const borrowed = isCheckout(shown) ? [] : alternatesOf(common, MOST_BORROWED)
  const shared = own === common ? BOTH : COMMON
  return [
    sealed(common, sized),
    ...listed(common, shared),
    ...configs(common),
    ...borrowed.filter((path) => !isNever(path, shown.never)).map(readable),
    ...(own === common ? [] : [sealed(own, sized), ...listed(own, OWN), ...configs(own)]),
    ...modulesIn(join(own, 'modules'), MOST_NESTED).flatMap((dir) => moduleMounts(dir, sized)),
    ...(kindAt(dotGit) === 'file' ? [content(dotGit, `gitdir: ${own}`)] : []),
  ]
}

/** Submodules that a setup fetched: without them `git status` fails. They need no configuration. */
function moduleMounts(dir: string, sized: boolean): readonly Mount[] {
  return [sealed(dir, sized), ...listed(dir, BOTH)]
}

/** Names of submodules may have parts; submodules may have submodules. */
function modulesIn(folder: string, depth: number): readonly string[] {
  if (depth === 0 || kindAt(folder) !== 'folder') return []
  return readdirSync(folder)
    .slice(0, MOST_MODULES)
    .map((name) => join(folder, name))
    .flatMap((dir) =>
      isRepository(dir) ? [dir, ...modulesIn(join(dir, 'modules'), depth - 1)] : modulesIn(dir, depth - 1),
    )
    .slice(0, MOST_MODULES)
}

/** A worktree's git folders according to its repository; null if that doesn't know the worktree. */
export function gitDirsOf({ top, repository, never }: Shown): GitDirs | null {
  if (repository === null) return null
  try {
    const { main, common } = mainGitDir(repository)
    if (!isRepository(common) || isNever(common, never)) return null
    if (isCheckout({ top, repository })) return { own: main, common }
    const own = linkedTo(common, join(realpathSync(top), '.git'))
    return own === null ? null : { own, common }
  } catch {
    return null
  }
}

function isNever(path: string, never: string | undefined): boolean {
  if (never === undefined) return false
  try {
    return isBelow(realpathSync(path), realpathSync(never))
  } catch {
    return true
  }
}

function isCheckout({ top, repository }: Shown): boolean {
  return repository !== null && realpathSync(repository) === realpathSync(top)
}

/** Of a repository that the user chose: `.git` may be a folder, a link to one, or a file. */
function mainGitDir(repository: string): { readonly main: string; readonly common: string } {
  const dotGit = join(repository, '.git')
  if (kindAt(dotGit) !== 'file') return { main: realpathSync(dotGit), common: realpathSync(dotGit) }
  const named = /^gitdir: (.+?)\r?\n?$/.exec(readFileSync(dotGit, 'utf8'))?.[1] ?? ''
  const main = realpathSync(resolve(repository, named))
  const pointer = join(main, 'commondir')
  return { main, common: kindAt(pointer) === 'file' ? realpathSync(resolve(main, lineOf(pointer))) : main }
}

/** The entry of the repository's list of worktrees that names this one. */
function linkedTo(common: string, dotGit: string): string | null {
  const list = join(common, 'worktrees')
  if (kindAt(list) !== 'folder') return null
  for (const name of readdirSync(list)) {
    const own = join(list, name)
    if (kindAt(join(own, 'gitdir')) !== 'file') continue
    const back = lineOf(join(own, 'gitdir'))
    const path = isAbsolute(back) ? back : resolve(own, back)
    if (path === dotGit || realOrNull(path) === dotGit) return own
  }
  return null
}

function realOrNull(path: string): string | null {
  try {
    return kindAt(path) === 'file' ? realpathSync(path) : null
  } catch {
    return null
  }
}

function isRepository(dir: string): boolean {
  return kindAt(join(dir, 'HEAD')) !== 'missing' && kindAt(join(dir, 'objects')) === 'folder'
}

/** Names directly in a git folder that may be shown, without links. */
function listed(dir: string, names: RegExp): readonly Mount[] {
  return readdirSync(dir)
    .filter((name) => names.test(name))
    .map((name) => join(dir, name))
    .filter((path) => ['file', 'folder'].includes(kindAt(path)))
    .map((path) => ({ at: path, args: ['--ro-bind', path, path] }))
}

function configs(dir: string): readonly Mount[] {
  return ['config', 'config.worktree']
    .map((name) => join(dir, name))
    .filter((path) => kindAt(path) === 'file')
    .map((path) => content(path, withoutLogins(readFileSync(path, 'utf8').slice(0, CONFIG_BYTES))))
}

/** Objects that the repository borrows from others. */
function alternatesOf(common: string, depth: number): readonly string[] {
  const objects = join(common, 'objects')
  const list = join(objects, 'info', 'alternates')
  if (depth === 0 || kindAt(list) !== 'file') return []
  return readFileSync(list, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => resolve(objects, line))
    .filter((path) => path.endsWith('/objects') && kindAt(path) === 'folder')
    .flatMap((path) => [path, ...alternatesOf(resolve(path, '..'), depth - 1)])
}

function lineOf(path: string): string {
  return readFileSync(path, 'utf8').trim()
}

const CORE =
  'repositoryformatversion|filemode|bare|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|abbrev|quotepath|sparsecheckout|sparsecheckoutcone|worktree|bigfilethreshold|trustctime|checkstat|longpaths'
const EXTENSIONS =
  'objectformat|refstorage|worktreeconfig|noop|preciousobjects|relativeworktrees|compatobjectformat'
const KEPT = new RegExp(
  `^(?:core\\.(?:${CORE})|extensions\\.(?:${EXTENSIONS})|user\\.(?:name|email)|remote\\.(?:url|fetch)|branch\\.(?:merge|remote)|submodule\\.(?:url|active|path))$`,
)
/** Keys that may hold an address. */
const ADDRESS = /^(?:remote\.url|submodule\.url|branch\.remote)$/
/** The rest is dropped: it goes through a command line. */
const MOST_LETTERS = 60_000

export function withoutLogins(text: string): string {
  let rendered = ''
  for (const { key, value } of entriesIn(text)) {
    const { section, name } = partsOf(key)
    const full = `${section}.${name}`
    if (!KEPT.test(full)) continue
    const line = `${configLine(key, ADDRESS.test(full) ? address(value) : value)}\n`
    if (rendered.length + line.length > MOST_LETTERS) break
    rendered += line
  }
  return rendered
}

/** By text: the same few are asked for with each command. */
const known = new Map<string, ReturnType<typeof entriesOfText>>()
const MOST_KNOWN = 50

function entriesIn(text: string): ReturnType<typeof entriesOfText> {
  const before = known.get(text)
  if (before !== undefined) return before
  const entries = entriesOfText(text)
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(text, entries)
  return entries
}

/** An address without user, password and query; empty for anything but a plain address or path. */
function address(value: string): string {
  const url = /^([a-z][a-z0-9+.-]*:\/\/)(?:[^/?#]*@)?([^?#@]*)/i.exec(value)
  if (url !== null) return `${url[1]}${url[2]}`
  const scp = /^(?:[^@/:]+@)?([^@:/]+:[^?#@]*)$/.exec(value)
  if (scp !== null) return scp[1] ?? ''
  return /[@:?]/.test(value) ? '' : value
}
