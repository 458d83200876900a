/** Circles of imports, by Tarjan's search for strongly connected components. */
import { type Source, target } from './source.ts'

interface Search {
  readonly edges: ReadonlyMap<string, readonly string[]>
  readonly order: Map<string, number>
  readonly lowest: Map<string, number>
  readonly open: string[]
  readonly circles: string[][]
}

/** The files of each circle, sorted; circles sorted by their first file. Imports of types count. */
export function circlesIn(
  files: readonly Pick<Source, 'path' | 'imports'>[],
): readonly (readonly string[])[] {
  const edges = new Map(files.map(({ path, imports }) => [path, imports.map((to) => target(path, to))]))
  const search: Search = { edges, order: new Map(), lowest: new Map(), open: [], circles: [] }
  for (const path of edges.keys()) if (!search.order.has(path)) visit(search, path)
  return search.circles.map((circle) => circle.sort()).sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
}

function visit(search: Search, path: string): void {
  const { edges, order, lowest, open } = search
  const own = order.size
  order.set(path, own)
  lowest.set(path, own)
  open.push(path)
  for (const to of edges.get(path) ?? []) {
    if (!edges.has(to)) continue
    if (!order.has(to)) visit(search, to)
    else if (!open.includes(to)) continue
    lowest.set(path, Math.min(lowest.get(path) ?? own, lowest.get(to) ?? own))
  }
  if (lowest.get(path) === own) close(search, path)
}

function close({ open, circles }: Search, path: string): void {
  const circle = open.splice(open.indexOf(path))
  if (circle.length > 1) circles.push(circle)
}
