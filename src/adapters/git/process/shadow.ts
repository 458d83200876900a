/**
 * The git dir that our own git uses in place of the shared one: the same objects and refs (by links), and a
 * configuration that Neo wrote. So nothing that the repository's own configuration names can run, whenever and however
 * it came there (a key, an include, config.worktree); what the user set up globally stays in force. It is under `<git
 * dir>/neo/`, which no session can reach; in the system's temporary folder if the git dir can't be written, for then
 * nothing but reading continues. Invariant 1: git is never told to read the repository's own configuration, but to list
 * it.
 */
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NeoError } from '../../../domain/home/error.ts'
import { ownHome } from '../../machine.ts'
import { allowedFilters, filterHash, OF_FILTERS, programInside } from '../filters/filters.ts'
import type { WorkTree } from '../locate.ts'
import { fileStamp, writeState } from '../state-file.ts'
import {
  driversIn,
  type Entry,
  type Filter,
  filtersIn,
  isOwn,
  renderConfig,
  type SignSettings,
  signSettings,
} from './own-config.ts'
import { ALWAYS, gitEnvironment, type Pair, settings, spawnGit, spawnGitSync, zeroSplit } from './spawn.ts'

export interface Shadow {
  /** For GIT_COMMON_DIR. */
  readonly dir: string
  /** Filters that run over the user's files: the user's own, and those of the repository that were allowed. */
  readonly filters: ReadonlyMap<string, Filter>
  /** Of these, what was allowed for this repository: no other runs over what a model wrote. */
  readonly allowed: ReadonlyMap<string, Filter>
  /** Merge drivers of the user's own configuration, by name. */
  readonly mergeDrivers: readonly string[]
  /** Filters that only the repository's own configuration names, and that were not allowed. */
  readonly withheld: ReadonlyMap<string, Filter>
  /** True where configuration converts line ends. */
  readonly converts: boolean
  /** `sha1` or `sha256`. */
  readonly objectFormat: string
  /** False if the modes of files do not count. */
  readonly fileMode: boolean
  /** The user's file of attributes for all repositories. */
  readonly attributesFile: string
  /** How the person's settings sign commits. */
  readonly signing: SignSettings
  /** `user.name` and `user.email`; empty if they are not set. */
  readonly identity: { readonly name: string; readonly email: string }
}

interface Made {
  readonly stamp: string
  readonly at: number
  readonly shadow: Promise<Shadow>
}

const made = new Map<string, Made>()
/** An included file also counts: then all is read again after this time. It can start nothing. */
const INCLUDES_MS = 1000

export function shadowOf(tree: WorkTree): Promise<Shadow> {
  const { owner, commonDir } = tree
  const own = [join(commonDir, 'config'), join(owner, 'config.worktree')].map(textOf)
  const linked = LINKED.map((name) => stampOf(join(commonDir, name)))
  const stamp = [...own, textOf(allowedFile(tree)), ...linked, ...usersFiles().map(fileStamp)]
  const known = made.get(owner)
  const fresh = !own.some((text) => /include/i.test(text)) || Date.now() - (known?.at ?? 0) < INCLUDES_MS
  if (known !== undefined && fresh && known.stamp === stamp.join('\0')) return known.shadow
  const shadow = make(tree)
  made.set(owner, { stamp: stamp.join('\0'), at: Date.now(), shadow })
  shadow.catch(() => made.delete(owner))
  return shadow
}

/** Whose files they are: a model's also where nobody knows. */
export type Author = 'model' | 'person'

export function filtersFor(
  { filters, allowed }: Pick<Shadow, 'filters' | 'allowed'>,
  author: Author,
): ReadonlyMap<string, Filter> {
  return author === 'model' ? allowed : filters
}

/** Settings by which no program of the user's own runs over what a model wrote: files are written as they are stored. */
export function withoutPrograms({ filters, allowed, mergeDrivers }: Shadow): readonly Pair[] {
  const stored = [...filters.keys()]
    .filter((name) => !allowed.has(name))
    .flatMap((name): Pair[] => [
      [`filter.${name}.smudge`, 'cat'],
      [`filter.${name}.clean`, 'false'],
      [`filter.${name}.process`, ''],
    ])
  // `false` leaves a conflict.
  const merges = mergeDrivers.map((name): Pair => [`merge.${name}.driver`, 'false'])
  return [...stored, ...merges, ['merge.renormalize', 'false']]
}

/** Where the user's allowed filters of this repository stand. */
export function allowedFile({ owner }: Pick<WorkTree, 'owner'>): string {
  return join(owner, 'neo', 'filters.json')
}

/** Part of the shared git dir that our git uses too. Hooks and configuration are not. */
const LINKED = [
  'objects',
  'refs',
  'logs',
  'packed-refs',
  'worktrees',
  'info',
  'shallow',
  'rr-cache',
  'reftable',
]

async function make(tree: WorkTree): Promise<Shadow> {
  const isReadOnly = !isWritable(tree)
  const dir = isReadOnly ? passingFolder() : folderOf(tree)
  const empty = join(dir, 'empty')
  mkdirSync(empty, { recursive: true, mode: 0o700 })
  if (!isReadOnly)
    for (const name of ['objects', 'refs', 'logs']) mkdirSync(join(tree.commonDir, name), { recursive: true })
  for (const name of [...LINKED, ...OF_FILTERS]) link(tree.commonDir, dir, name)
  const entries = await configuration(tree)
  const global = filtersIn(entries.filter((entry) => !isOwn(entry)))
  const own = filtersIn(entries.filter(isOwn))
  const hashes = allowedFilters(allowedFile(tree))
  const mayRun = (filter: Filter) => hashes.has(filterHash(filter)) && programInside(filter, tree) === null
  const trusted = new Map([...own].filter(([, filter]) => mayRun(filter)))
  const filters = new Map([...global, ...trusted])
  const config = renderConfig(entries, { filters: filters.values(), empty })
  if (textOf(join(dir, 'config')) !== config) writeState(join(dir, 'config'), config)
  const last = (key: string) => entries.filter((entry) => entry.key === key).at(-1)?.value
  const autocrlf = last('core.autocrlf') ?? ''
  return {
    dir,
    filters,
    allowed: new Map([...filters].filter(([, filter]) => mayRun(filter))),
    mergeDrivers: driversIn(entries.filter((entry) => !isOwn(entry))),
    withheld: new Map([...own].filter(([name]) => !filters.has(name))),
    signing: signSettings(entries),
    identity: { name: last('user.name') ?? '', email: last('user.email') ?? '' },
    converts: autocrlf !== '' && autocrlf !== 'false',
    objectFormat: last('extensions.objectformat') ?? 'sha1',
    fileMode: (last('core.filemode') ?? 'true') !== 'false',
    attributesFile: (last('core.attributesfile') ?? DEFAULT_ATTRIBUTES).replace(/^~(?=\/)/, HOME),
  }
}

/** Who has no home has no files in it: git does not look for them either. */
const HOME = ownHome() ?? '/nonexistent'
const USERS_FOLDER = join(process.env['XDG_CONFIG_HOME'] || join(HOME, '.config'), 'git')
const DEFAULT_ATTRIBUTES = join(USERS_FOLDER, 'attributes')

/** The user's own configuration, and that of the machine. What these include is read at the next change of theirs. */
function usersFiles(): readonly string[] {
  const own = process.env['GIT_CONFIG_GLOBAL']
  const system = process.env['GIT_CONFIG_SYSTEM'] ?? '/etc/gitconfig'
  return own === undefined ? [join(HOME, '.gitconfig'), join(USERS_FOLDER, 'config'), system] : [own, system]
}

function folderOf({ owner }: WorkTree): string {
  for (const folder of [owner, join(owner, 'neo'), join(owner, 'neo', 'git')]) {
    const stat = lstatSync(folder, { throwIfNoEntry: false })
    if (stat === undefined) mkdirSync(folder, { recursive: true, mode: 0o700 })
    else if (!stat.isDirectory())
      throw new NeoError('git', `Cannot use ${folder}: it is not a folder`, { next: `remove ${folder}` })
  }
  return join(owner, 'neo', 'git')
}

/** False on a read-only disk, or if the folder belongs to somebody else: then the home can still be read. */
function isWritable({ owner }: WorkTree): boolean {
  const folder = [join(owner, 'neo', 'git'), join(owner, 'neo'), owner].find((one) => existsSync(one))
  try {
    accessSync(folder ?? owner, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Goes when this process ends. Where the temporary folder can't be written, another that systems have. */
function passingFolder(): string {
  for (const parent of [tmpdir(), '/dev/shm', '/var/tmp']) {
    try {
      const dir = mkdtempSync(join(parent, 'neo-git-'))
      process.on('exit', () => rmSync(dir, { recursive: true, force: true }))
      return dir
    } catch {
      // The next one.
    }
  }
  throw new NeoError('disk', `Cannot make a temporary folder in ${tmpdir()}`, {
    why: 'this home is read-only, so git needs a temporary folder',
    next: 'set TMPDIR to a folder that you can write to',
  })
}

/** Git reads and writes through these as through a folder made by `git new-workdir`; its lock files are the same. */
function link(commonDir: string, dir: string, name: string): void {
  const target = join(commonDir, name)
  const path = join(dir, name)
  const stat = lstatSync(path, { throwIfNoEntry: false })
  // Git follows a link to a file that is not there yet, but makes no folder through one.
  const wanted = existsSync(target) || name === 'packed-refs' || name === 'shallow'
  if (stat?.isSymbolicLink() && wanted && readlinkSync(path) === target) return
  if (stat !== undefined) rmSync(path, { recursive: true, force: true })
  if (!wanted) return
  try {
    symlinkSync(target, path)
  } catch (error) {
    // Another process of Neo was quicker.
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() && readlinkSync(path) === target) return
    throw error
  }
}

/** All entries of all files, in git's order. */
export async function configuration({ gitDir, commonDir, top }: WorkTree): Promise<readonly Entry[]> {
  const env = gitEnvironment({ GIT_DIR: gitDir, GIT_COMMON_DIR: commonDir, ...settings(ALWAYS) })
  const listed = await spawnGit(top, ['config', '--show-scope', '--includes', '--list', '-z'], { env })
  if (listed.code !== 0)
    throw new NeoError('git', `Cannot read the git configuration of ${top}: ${listed.err}`)
  const fields = zeroSplit(listed.out)
  return fields.flatMap((scope, at) => {
    if (at % 2 === 1) return []
    return [{ scope, ...entryOf(fields[at + 1] ?? '') }]
  })
}

/** A key without a value represents true. */
function entryOf(field: string): Pick<Entry, 'key' | 'value'> {
  const line = field.indexOf('\n')
  return line < 0
    ? { key: field, value: 'true' }
    : { key: field.slice(0, line), value: field.slice(line + 1) }
}

/** Nothing that is asked here takes long; what hangs is a broken machine. */
const TEXT_MS = 10_000

/** The entries of one file's text, without what it includes; none of a text that git does not take. */
export function entriesOfText(text: string): readonly Pick<Entry, 'key' | 'value'>[] {
  // Of its standard input git would follow includes.
  const args = ['config', '--file', '-', '--no-includes', '--list', '-z']
  try {
    const listed = spawnGitSync('/', args, { env: gitEnvironment({}), input: text, timeoutMs: TEXT_MS })
    return listed.code === 0 ? zeroSplit(listed.out).map(entryOf) : []
  } catch {
    return []
  }
}

function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

function stampOf(path: string): string {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  return stat === undefined ? '-' : String(stat.ino)
}
