/**
 * Whether a filter's commands name a file of the repository that it filters: sessions change what is there, so a
 * permission for these commands would be one for whatever a model writes. Reads links on the way, runs nothing.
 */
import { realpathSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { ownHome } from '../../account.ts'
import type { WorkTree } from '../locate.ts'
import type { Filter } from '../process/own-config.ts'

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
