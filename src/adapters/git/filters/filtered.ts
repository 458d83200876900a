/**
 * Attributes and filters of paths. A file whose filter does not run here is neither written into a work tree nor stored:
 * for a filter that git doesn't know it would write what is stored (encrypted, or a pointer) over the file, and later
 * store the file as it is. Invariants: 1. attributes are those of the commit that is to be written; 2. a file of the home
 * whose filter does not run is not stored.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Place } from '../../../domain/session/session.ts'
import type { Folder } from '../../worktree-files/walk.ts'
import type { Repository } from '../git-repository.ts'
import { linkedAt, type WorkTree } from '../locate.ts'
import { pathsBetween } from '../merge/merge-mend.ts'
import { gitText, type RunOptions, runGit } from '../process/run-git.ts'
import { type Author, filtersFor, type Shadow, shadowOf } from '../process/shadow.ts'
import { zeroSplit } from '../process/spawn.ts'
import type { Batch } from '../reading/objects.ts'
import { copyFile } from '../reading/read-safely.ts'

export interface Filtered {
  readonly path: string
  readonly filter: string
}

/** For errors; the command first, since long texts are cut. */
export function notRun(
  { path, filter }: Pick<Filtered, 'path' | 'filter'>,
  { top }: Pick<WorkTree, 'top'>,
): string {
  return `a git filter is not allowed: neo filter allow ${filter} ${top} (for ${path})`
}

/** The first path that differs between two commits and that could not be written; null for none. */
export async function filteredBetween(
  tree: WorkTree,
  of: { readonly from: string; readonly to: string; readonly author: Author },
): Promise<Filtered | null> {
  const { from, to, author } = of
  const shadow = await shadowOf(tree)
  if (!(await mayFilter(tree, shadow, to))) return null
  const paths = await pathsBetween(tree, from, to)
  return (await filteredAt(tree, paths, { commit: to, author }))[0] ?? null
}

/** The files of a commit below a folder that are written as they are stored. */
export async function filteredIn(
  tree: WorkTree,
  of: { readonly commit: string; readonly folder: string; readonly author: Author },
): Promise<readonly Filtered[]> {
  const { commit, folder, author } = of
  const shadow = await shadowOf(tree)
  if (!(await mayFilter(tree, shadow, commit))) return []
  const below = folder === '' ? [] : [`${folder}/`]
  const listed = await runGit(tree, [
    'ls-tree',
    '-r',
    '-z',
    '--name-only',
    '--full-tree',
    commit,
    '--',
    ...below,
  ])
  return filteredAt(tree, zeroSplit(listed.out), { commit, author })
}

/**
 * The word in some file of attributes, so that most repositories cost no more than a look. Files of attributes that only a
 * session's work adds were in force when that work was taken in.
 */
export async function mayFilter(tree: WorkTree, shadow: Shadow, commit: string): Promise<boolean> {
  const files = [join(tree.commonDir, 'info', 'attributes'), shadow.attributesFile]
  if (files.some((file) => existsSync(file) && /filter/.test(readFileSync(file, 'utf8')))) return true
  const index = join(tree.gitDir, 'index')
  if (!existsSync(index) || !readFileSync(index).includes('.gitattributes')) return false
  const args = ['grep', '-q', '--no-textconv', '-e', 'filter', commit, '--', ':(glob)**/.gitattributes']
  const env = { GIT_LITERAL_PATHSPECS: '0' }
  return (await runGit(tree, args, { env, ok: 'any' })).code === 0
}

async function filteredAt(
  tree: WorkTree,
  paths: readonly string[],
  { commit, author }: { readonly commit: string; readonly author: Author },
): Promise<readonly Filtered[]> {
  const shadow = await shadowOf(tree)
  const { dir } = shadow
  const filters = filtersFor(shadow, author)
  const folder = mkdtempSync(join(dir, 'index-'))
  const env = { GIT_INDEX_FILE: join(folder, 'index') }
  try {
    await runGit(tree, ['read-tree', commit], { env })
    const attributes = await attributesIn(tree, paths, { env, source: 'index' })
    return paths.flatMap((path) => {
      const filter = filterOf(attributes.get(path))
      return filter === null || filters.has(filter) ? [] : [{ path, filter }]
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** One encrypted file is enough; of a large folder the first ones are read. */
const MOST_READ = 100
/** What git takes for binary: a zero byte near the beginning. */
const NEAR = 8_000
/** Text that openssl, age, PGP, Ansible and SOPS write. */
const ARMOURED = /^(?:U2FsdGVkX1|-----BEGIN |age-encryption\.org|\$ANSIBLE_VAULT|ENC\[)/

/**
 * Whether a worktree holds files in plain text that git stores encrypted: what is reported of such a session must not get
 * into git in another file.
 */
export async function holdsDecoded(repository: Repository, { folder }: Place, dir: string): Promise<boolean> {
  const tree = linkedAt(repository, dir)
  if (tree === null) return false
  const shadow = await shadowOf(tree)
  if (!(await mayFilter(tree, shadow, 'HEAD'))) return false
  const below = folder === '' ? [] : [`${folder}/`]
  const listed = zeroSplit((await runGit(tree, ['ls-files', '-s', '-z', '--', ...below])).out)
  const ids = new Map(listed.map((line) => [line.slice(line.indexOf('\t') + 1), line.split(' ')[1] ?? '']))
  const attributes = await attributesIn(tree, [...ids.keys()], { source: 'index' })
  const names = [...shadow.filters.keys()].filter((name) => name !== 'lfs')
  const filtered = [...ids].filter(([path]) => names.includes(filterOf(attributes.get(path)) ?? ''))
  for (const [, id] of filtered.slice(0, MOST_READ)) {
    const bytes = (await repository.living.contents(id))?.bytes.subarray(0, NEAR) ?? Buffer.alloc(0)
    if (bytes.includes(0) || ARMOURED.test(bytes.toString('latin1'))) return true
  }
  return false
}

/** Writes a blob of the home as `git add` would store the file: in process, or by git if attributes or line ends convert it. */
export async function writeBlob(
  repository: Repository,
  of: { readonly path: string; readonly bytes: Buffer; readonly batch: Batch },
): Promise<string | { readonly filter: string }> {
  const { path, bytes, batch } = of
  if (!(await converts(repository, path))) return batch.add('blob', bytes)
  const attributes = await attributesIn(repository, [path])
  const conversion = conversionOf(attributes.get(path), await shadowOf(repository))
  if (conversion === 'none') return batch.add('blob', bytes)
  if (conversion !== 'git') return conversion
  return gitText(repository, ['hash-object', '-w', '--stdin', `--path=${path}`], { input: bytes })
}

/** Whether attributes or configuration may change the bytes of this path on their way into git. */
export async function converts(repository: Repository, path = ''): Promise<boolean> {
  const { top, commonDir } = repository
  const shadow = await shadowOf(repository)
  if (shadow.converts) return true
  const files = [join(commonDir, 'info', 'attributes'), shadow.attributesFile, join(top, '.gitattributes')]
  for (let at = dirname(path); at !== '.' && path !== ''; at = dirname(at))
    files.push(join(top, at, '.gitattributes'))
  return files.some(isConverting)
}

const CONVERTING = /\b(text|eol|crlf|filter|ident|working-tree-encoding|\[attr\])/
const known = new Map<string, { readonly stamp: string; readonly converting: boolean }>()
/** Remembered files of attributes. */
const MOST = 1000

function isConverting(file: string): boolean {
  const stat = statSync(file, { throwIfNoEntry: false })
  // Git reads attributes of plain files only.
  if (!stat?.isFile()) return false
  const stamp = `${stat.ino}/${stat.mtimeMs}/${stat.size}`
  const before = known.get(file)
  if (before?.stamp === stamp) return before.converting
  const converting = CONVERTING.test(readFileSync(file, 'utf8').replace(/^#.*$/gm, ''))
  if (known.size > MOST) known.clear()
  known.set(file, { stamp, converting })
  return converting
}

/**
 * A folder of Neo in which git looks at attributes and converts files: it holds copies, so that what git opens can't be
 * swapped. Attributes come from the files that are put in, never from the worktree itself.
 */
export interface Stage {
  put(path: string, bytes: Buffer): void
  /** False if it isn't a plain file any more. */
  copy(top: Folder, path: string): boolean
  attributes(paths: readonly string[]): Promise<ReadonlyMap<string, Attributes>>
  /** Writes the blobs of these files, in order, as `git add` would; or says why git did not. */
  hash(paths: readonly string[]): Promise<readonly string[] | { readonly wrong: string }>
}

/** Values by name; a name that is missing is not set. */
export type Attributes = ReadonlyMap<string, string>

export async function withStage<T>(tree: WorkTree, work: (stage: Stage) => Promise<T>): Promise<T> {
  const { dir } = await shadowOf(tree)
  const top = mkdtempSync(join(dir, 'stage-'))
  try {
    return await work(stageAt(tree, top))
  } finally {
    rmSync(top, { recursive: true, force: true })
  }
}

function stageAt(tree: WorkTree, top: string): Stage {
  const made = (path: string) => {
    const file = join(top, path)
    mkdirSync(dirname(file), { recursive: true })
    return file
  }
  const options: RunOptions = { top, env: { GIT_INDEX_FILE: `${top}/.git/index` } }
  return {
    put: (path, bytes) => writeFileSync(made(path), bytes),
    copy: (folder, path) => copyFile(folder, path, made(path)),
    attributes: (paths) => attributesIn(tree, paths, options),
    async hash(paths) {
      const input = paths.map((path) => `${quoted(path)}\n`).join('')
      const args = ['hash-object', '-w', '-t', 'blob', '--stdin-paths']
      const hashed = await runGit(tree, args, { ...options, input, ok: 'any' })
      if (hashed.code !== 0) return { wrong: hashed.err.trim().slice(-WORDS) }
      return hashed.out.toString('latin1').trim().split('\n')
    },
  }
}

/** Of what git or a filter says when it fails. */
const WORDS = 1000

/** As git quotes names, one a line. */
function quoted(path: string): string {
  return `"${path.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`
}

const ATTRIBUTES = ['text', 'eol', 'crlf', 'ident', 'working-tree-encoding']

/** @param options `source: 'index'`: attributes of the tree's index instead of files */
export async function attributesIn(
  tree: WorkTree,
  paths: readonly string[],
  options: RunOptions & { readonly source?: 'index' } = {},
): Promise<ReadonlyMap<string, Attributes>> {
  const found = new Map<string, Map<string, string>>()
  if (paths.length === 0) return found
  const input = paths.map((path) => `${path}\0`).join('')
  const from = options.source === 'index' ? ['--cached'] : []
  const command = ['check-attr', ...from, '-z', '--stdin', 'filter', ...ATTRIBUTES]
  const fields = zeroSplit((await runGit(tree, command, { ...options, input })).out)
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path = '', name = '', value = ''] = fields.slice(at, at + 3)
    if (value === 'unspecified' || value === 'unset') continue
    const of = found.get(path) ?? new Map<string, string>()
    found.set(path, of.set(name, value))
  }
  return found
}

/** The filter of a path; null for none. `set` isn't a name: git uses no filter then. */
export function filterOf(attributes: Attributes | undefined): string | null {
  const name = attributes?.get('filter')
  return name === undefined || name === 'set' ? null : name
}

/** Whether git has to convert a file; or which filter would have to, and does not run here. */
export function conversionOf(
  attributes: Attributes | undefined,
  { filters, converts }: Pick<Shadow, 'converts'> & { readonly filters: ReadonlyMap<string, unknown> },
): 'none' | 'git' | { readonly filter: string } {
  const filter = filterOf(attributes)
  if (filter !== null && !filters.has(filter)) return { filter }
  return converts || (attributes?.size ?? 0) > 0 ? 'git' : 'none'
}
