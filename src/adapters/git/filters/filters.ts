/**
 * Filters that a person has allowed for a repository, by the hash of their commands; filters that can't be allowed, since
 * their commands name a file of the repository, which sessions change; and the folders in which filters keep their keys.
 * Invariant 1: a filter whose commands change is another filter, and is not allowed.
 */
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, realpathSync, symlinkSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { codeOf } from '../../disk/fs.ts'
import { ownHome } from '../../machine.ts'
import type { WorkTree } from '../locate.ts'
import type { Filter } from '../process/own-config.ts'
import { readRows, writeRows } from '../state-file.ts'

/** Enough of SHA-256 for a person to compare, and for nobody to match. */
const LENGTH = 32

export function filterHash({ name, settings }: Filter): string {
  const lines = [name, ...[...settings].map(([key, value]) => `${key}=${value}`).sort()]
  return createHash('sha256').update(JSON.stringify(lines)).digest('hex').slice(0, LENGTH)
}

export function allowedFilters(file: string): ReadonlySet<string> {
  return new Set(read(file).map(({ hash }) => hash))
}

export function allowFilter(file: string, filter: Filter): void {
  const { name } = filter
  const hash = filterHash(filter)
  writeRows(file, [...read(file).filter((one) => one.hash !== hash), { name, hash }])
}

/** Takes back what was allowed under this name, with whatever commands. False if nothing was. */
export function denyFilter(file: string, name: string, hash: string | null): boolean {
  const all = read(file)
  const left = all.filter((one) => one.name !== name && one.hash !== hash)
  if (left.length === all.length) return false
  writeRows(file, left)
  return true
}

interface Allowed {
  /** '' in files of version 0.1. */
  readonly name: string
  readonly hash: string
}

/** A file that cannot be read allows nothing. */
function read(file: string): readonly Allowed[] {
  return readRows<unknown>(file).flatMap(allowedOf)
}

function allowedOf(row: unknown): readonly Allowed[] {
  if (typeof row === 'string') return [{ name: '', hash: row }]
  const { name, hash } = (row ?? {}) as { readonly name?: unknown; readonly hash?: unknown }
  return typeof name === 'string' && typeof hash === 'string' ? [{ name, hash }] : []
}

export const OF_FILTERS = ['lfs', 'git-crypt', 'annex']
const OF_WORK_TREE = ['git-crypt']

export function linkFilterFolders({ gitDir, commonDir }: WorkTree): void {
  if (gitDir === commonDir) return
  for (const name of OF_WORK_TREE) {
    const [target, path] = [join(commonDir, name), join(gitDir, name)]
    if (!existsSync(target) || lstatSync(path, { throwIfNoEntry: false }) !== undefined) continue
    try {
      symlinkSync(target, path)
    } catch (error) {
      // Another process of Neo was quicker.
      if (codeOf(error) !== 'EEXIST') throw error
    }
  }
}

/** What parts words in a command line, and in the code of one that is given with `-c` or `-e`. */
const BETWEEN = /[\s'"`;|&<>()=,:]+/

export function programInside(
  { settings }: Pick<Filter, 'settings'>,
  { top, commonDir }: Pick<WorkTree, 'top' | 'commonDir'>,
): string | null {
  // A linked work tree's repository has a main one besides.
  const tops = [top, ...(commonDir.endsWith('/.git') ? [dirname(commonDir)] : [])]
  const isInside = (path: string) =>
    tops.some((dir) => isBelow(path, dir)) && !(isBelow(path, commonDir) && path !== commonDir)
  const texts = [...settings].flatMap(([key, text]) => (key === 'required' ? [] : [filledIn(text)]))
  const found = texts
    .flatMap(wordsOf)
    .find((word) => isInside(normalize(word)) || isInside(realOf(normalize(word))))
  // A name with spaces is not one word.
  const plain = texts.map((text) => text.replaceAll(commonDir, ''))
  return found ?? tops.find((dir) => plain.some((text) => text.includes(`${dir}/`))) ?? null
}

function filledIn(text: string): string {
  const home = ownHome() ?? '/nonexistent'
  return text
    .replaceAll('\\ ', ' ')
    .replaceAll(/\$\{?HOME\}?/g, () => home)
    .replaceAll(/(?<=^|[\s'"=])~(?=\/)/g, () => home)
}

/** Absolute paths: a relative one is looked for in an empty folder. */
function wordsOf(text: string): readonly string[] {
  return text.split(BETWEEN).filter((word) => word.startsWith('/') && word !== '/')
}

function isBelow(path: string, dir: string): boolean {
  const rest = relative(dir, path)
  return rest !== '..' && !rest.startsWith('../')
}

/** As far up as the path is there. */
function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const above = dirname(path)
    return above === path ? path : join(realOf(above), relative(above, path))
  }
}
