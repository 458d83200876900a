/**
 * The work of a session's branch, taken over to its base by a merge of three trees: the base as it was when the branch
 * left it, the base now, the branch.
 * Why not git's own merge base alone: after `commit --amend` or `pull --rebase` the base does not hold that commit any
 * more. Git would go back further and take the commits that were rewritten, ours in the task files too, for work.
 * Invariant 1: if the base was rewritten, nothing of the old history comes back: the result has the base alone as parent.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { NeoError } from '../../../domain/home/error.ts'
import type { Settle } from '../../../ports/merge-port.ts'
import { NEO, writeCommit } from '../commit/ref.ts'
import { isNear, ownLine, type Repository, rootOf } from '../git-repository.ts'
import { runGit } from '../process/run-git.ts'
import { type Author, shadowOf, withoutPrograms } from '../process/shadow.ts'
import { firstLine, zeroSplit } from '../process/spawn.ts'
import { openBatch } from '../reading/objects.ts'
import { type Leaf, openTrees } from '../reading/tree.ts'

type Answer =
  | { readonly kind: 'clean'; readonly tree: string }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] }

/** The blobs of one path by stage: 1 base, 2 ours, 3 theirs. */
type Stages = ReadonlyMap<string, Leaf>

/** @param out of `git merge-tree --write-tree -z --no-messages` that ended with 1 */
async function settleConflicts(repository: Repository, out: Buffer, settle?: Settle): Promise<Answer> {
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

export interface Sides {
  /** Name of the base's branch. */
  readonly base: string
  /** Its commit, or the one that is to be merged into. */
  readonly ours: string
  readonly tip: string
  /** Whose work the tip holds. */
  readonly author?: Author
  readonly settle?: Settle | undefined
}

export type Merged =
  | { readonly kind: 'clean'; readonly tree: string; readonly parents: readonly string[] }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] }

export async function mergeTrees(repository: Repository, sides: Sides): Promise<Merged> {
  const { ours, tip } = sides
  const left = await leftAt(repository, sides)
  const rewritten = left !== null && !(await isAncestor(repository, left, ours))
  const [a, b] = rewritten ? await asIfOn(repository, left, sides) : [ours, tip]
  const args = ['merge-tree', '--write-tree', '-z', '--no-messages', a, b]
  const pairs = sides.author === 'person' ? [] : withoutPrograms(await shadowOf(repository))
  const merged = await runGit(repository, args, { ok: 'any', pairs })
  if (merged.code > 1 || merged.code < 0)
    throw new NeoError('git', `Cannot merge ${tip} into ${sides.base}: ${firstLine(merged.err)}`)
  const answer =
    merged.code === 1
      ? await settleConflicts(repository, merged.out, sides.settle)
      : { kind: 'clean' as const, tree: zeroSplit(merged.out)[0] ?? '' }
  return answer.kind === 'conflict' ? answer : { ...answer, parents: rewritten ? [ours] : [ours, tip] }
}

/** What the branch's work is compared with: where it left the base, else git's merge base. */
export async function workFrom(repository: Repository, sides: Sides): Promise<string> {
  const left = await leftAt(repository, sides)
  if (left !== null) return left
  const found = await runGit(repository, ['merge-base', sides.ours, sides.tip], { ok: 'any' })
  return found.code === 0 ? found.out.toString().trim() : sides.ours
}

/** Commits of one branch of work. */
const MOST = 500

/** The newest commit of the branch's own line that the base was at once, by the base's reflog; null if none is known. */
async function leftAt(repository: Repository, { base, ours, tip }: Sides): Promise<string | null> {
  const once = new Set([...reflogOf(repository.commonDir, base), ours])
  for await (const { commit } of ownLine(repository, tip, MOST)) if (once.has(commit)) return commit
  return null
}

function reflogOf(commonDir: string, base: string): readonly string[] {
  const file = join(commonDir, 'logs', 'refs', 'heads', base)
  if (!existsSync(file)) return []
  return readFileSync(file, 'latin1')
    .split('\n')
    .flatMap((line) => line.split(' ', 2)[1] ?? [])
}

async function isAncestor(repository: Repository, commit: string, of: string): Promise<boolean> {
  if (await isNear(repository, commit, of)) return true
  return (await runGit(repository, ['merge-base', '--is-ancestor', commit, of], { ok: 'any' })).code === 0
}

/** The same two trees, on a commit that holds what the branch began with: then that is git's merge base. */
async function asIfOn(repository: Repository, left: string, { ours, tip }: Sides): Promise<[string, string]> {
  const write = async (of: string, parents: readonly string[]) =>
    writeCommit(repository, {
      tree: (await rootOf(repository, of)) ?? '',
      parents,
      author: NEO,
      message: 'merge base\n',
    })
  const base = await write(left, [])
  return [await write(ours, [base]), await write(tip, [base])]
}
