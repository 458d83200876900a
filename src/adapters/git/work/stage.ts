/**
 * A folder of Neo in which git looks at attributes and converts files: it holds copies, so that what git opens cannot
 * be swapped. Invariant 1: attributes come from the files that are put in, never from the worktree itself.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Folder } from '../../worktree-files/walk.ts'
import type { WorkTree } from '../locate.ts'
import { type RunOptions, runGit } from '../process/run-git.ts'
import { type Shadow, shadowOf } from '../process/shadow.ts'
import { zeroSplit } from '../process/spawn.ts'
import { copyFile } from '../reading/read-safely.ts'

export interface Stage {
  put(path: string, bytes: Buffer): void
  /** False if it isn't a plain file any more. */
  copy(top: Folder, path: string): boolean
  attributes(paths: readonly string[]): Promise<ReadonlyMap<string, Attributes>>
  /** Writes the blobs of these files, in their order, as `git add` would; or gives why git did not. */
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

/** As git quotes names, which it takes apart by lines. */
function quoted(path: string): string {
  return `"${path.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`
}

const CONVERTING = ['text', 'eol', 'crlf', 'ident', 'working-tree-encoding']

/** @param options with `source: 'index'` the index of the tree is asked instead of files. */
export async function attributesIn(
  tree: WorkTree,
  paths: readonly string[],
  options: RunOptions & { readonly source?: 'index' } = {},
): Promise<ReadonlyMap<string, Attributes>> {
  const found = new Map<string, Map<string, string>>()
  if (paths.length === 0) return found
  const input = paths.map((path) => `${path}\0`).join('')
  const from = options.source === 'index' ? ['--cached'] : []
  const command = ['check-attr', ...from, '-z', '--stdin', 'filter', ...CONVERTING]
  const fields = zeroSplit((await runGit(tree, command, { ...options, input })).out)
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path = '', name = '', value = ''] = fields.slice(at, at + 3)
    if (value === 'unspecified' || value === 'unset') continue
    const of = found.get(path) ?? new Map<string, string>()
    found.set(path, of.set(name, value))
  }
  return found
}

/** The filter that a path is to go through; null for none. `set` isn't a name: git takes no filter then. */
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
