/**
 * Conflicts of a merge that a rule settles: what git could not merge is given to the rule, file by file. Invariant 1:
 * plain files only, in UTF-8, that both sides have at this path; a link, a mode or a rename is never settled.
 */
import type { Settle } from '../../../ports/git-port.ts'
import { openBatch } from '../reading/objects.ts'
import type { Repository } from '../git-repository.ts'
import { zeroSplit } from '../process/spawn.ts'
import { type Leaf, openTrees } from '../reading/tree.ts'

export type Answer =
  | { readonly kind: 'clean'; readonly tree: string }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] }

/** The blobs of one path by stage: 1 base, 2 ours, 3 theirs. */
type Stages = ReadonlyMap<string, Leaf>

/** @param out of `git merge-tree --write-tree -z --no-messages` that ended with 1 */
export async function settleConflicts(repository: Repository, out: Buffer, settle?: Settle): Promise<Answer> {
  const [tree = '', ...lines] = zeroSplit(out)
  const byPath = stagesOf(lines)
  const leaves = new Map<string, Leaf | null>()
  const batch = openBatch(repository)
  try {
    for (const [path, stages] of settle === undefined ? [] : byPath) {
      const settled = await settleOne(repository, { path, stages, settle: settle as Settle })
      if (settled.kind === 'conflict') continue
      const oid = settled.kind === 'delete' ? null : batch.add('blob', Buffer.from(settled.text))
      leaves.set(path, oid === null ? null : { mode: PLAIN, oid })
    }
    const paths = [...byPath.keys()].filter((path) => !leaves.has(path))
    if (paths.length > 0 || leaves.size === 0) return { kind: 'conflict', paths }
    const now = await openTrees(repository).rewrite(tree, leaves, batch)
    await batch.land()
    return now === null ? { kind: 'conflict', paths: [...byPath.keys()] } : { kind: 'clean', tree: now }
  } finally {
    batch.drop()
  }
}

const PLAIN = '100644'

function stagesOf(lines: readonly string[]): ReadonlyMap<string, Stages> {
  const byPath = new Map<string, Map<string, Leaf>>()
  for (const line of lines) {
    const [, mode = '', oid = '', stage = '', path] = /^(\d+) ([0-9a-f]+) ([123])\t(.+)$/s.exec(line) ?? []
    if (path === undefined) continue
    byPath.set(path, (byPath.get(path) ?? new Map<string, Leaf>()).set(stage, { mode, oid }))
  }
  return byPath
}

async function settleOne(
  repository: Repository,
  { path, stages, settle }: { readonly path: string; readonly stages: Stages; readonly settle: Settle },
): Promise<ReturnType<Settle>> {
  const texts: (string | null)[] = []
  for (const stage of ['1', '2', '3']) {
    const leaf = stages.get(stage)
    if (leaf !== undefined && leaf.mode !== PLAIN) return { kind: 'conflict' }
    const bytes = leaf === undefined ? null : ((await repository.living.contents(leaf.oid))?.bytes ?? null)
    const text = bytes === null ? null : bytes.toString('utf8')
    if (text !== null && bytes !== null && !Buffer.from(text).equals(bytes)) return { kind: 'conflict' }
    texts.push(text)
  }
  const [base = null, ours = null, theirs = null] = texts
  return settle(path, { base, ours, theirs })
}
