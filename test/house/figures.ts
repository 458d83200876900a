/** Figures of src: what `npm run figures` prints and test/house/size.test.ts holds. */
import { basename, dirname } from 'node:path'
import { circlesIn } from './graph.ts'
import { sources } from './source.ts'

export interface HouseFigures {
  readonly lines: number
  readonly files: number
  readonly testLines: number
  readonly largest: { readonly path: string; readonly files: number }
  /** Files of one name, such as `a/open.ts, b/open.ts`: one of them has to be renamed. */
  readonly names: readonly string[]
  /** Files of each circle of imports. */
  readonly circles: readonly (readonly string[])[]
}

export function houseFigures(): HouseFigures {
  const src = sources('src')
  const folders = [...counted(src.map(({ path }) => dirname(path)))].sort(([, a], [, b]) => b - a)
  const [path, files] = folders[0] ?? ['', 0]
  return {
    lines: linesOf(src),
    files: src.length,
    testLines: linesOf(sources('test')),
    largest: { path, files },
    names: sharedNames(src.map((file) => file.path)),
    circles: circlesIn(src),
  }
}

function sharedNames(paths: readonly string[]): readonly string[] {
  const byName = new Map<string, string[]>()
  for (const path of paths) byName.set(basename(path), [...(byName.get(basename(path)) ?? []), path])
  return [...byName.values()].filter((all) => all.length > 1).map((all) => all.join(', '))
}

function linesOf(files: readonly { readonly text: string }[]): number {
  return files.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0)
}

function counted(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}
