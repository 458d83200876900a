/**
 * The work of a session's branch, taken over to its base by a merge of three trees: the base as it was when the branch
 * left it, the base now, the branch.
 * Why not git's own merge base alone: after `commit --amend` or `pull --rebase` the base does not hold that commit any
 * more. Git would go back further and take the commits that were rewritten, ours in the task files too, for work.
 * Invariant 1: where the base was rewritten, nothing of the old history comes back: the result has the base alone as parent.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { NEO, writeCommit } from '../commit/commit-message.ts'
import { type Repository, rootOf } from '../git-repository.ts'
import { runGit } from '../process/run-git.ts'
import { settleConflicts } from './settle.ts'
import { type Author, shadowOf, withoutPrograms } from '../process/shadow.ts'
import { firstLine, zeroSplit } from '../process/spawn.ts'
import { NeoError } from '../../../domain/home/error.ts'
import type { Settle } from '../../../ports/git-port.ts'

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
async function leftAt({ living, commonDir }: Repository, { base, ours, tip }: Sides): Promise<string | null> {
  const once = new Set([...reflogOf(commonDir, base), ours])
  let at: string | null = tip
  for (let step = 0; at !== null && step < MOST; step++) {
    if (once.has(at)) return at
    const text: string = (await living.contents(at))?.bytes.toString('latin1') ?? ''
    at = /^parent ([0-9a-f]+)$/m.exec(text.split('\n\n', 1)[0] ?? '')?.[1] ?? null
  }
  return null
}

function reflogOf(commonDir: string, base: string): readonly string[] {
  const file = join(commonDir, 'logs', 'refs', 'heads', base)
  if (!existsSync(file)) return []
  return readFileSync(file, 'latin1')
    .split('\n')
    .flatMap((line) => line.split(' ', 2)[1] ?? [])
}

/** How far back it is looked for without a process. */
const NEAR = 30

async function isAncestor(repository: Repository, commit: string, of: string): Promise<boolean> {
  const { living } = repository
  let at: string | null = of
  for (let step = 0; at !== null && step < NEAR; step++) {
    if (at === commit) return true
    const text: string = (await living.contents(at))?.bytes.toString('latin1') ?? ''
    at = /^parent ([0-9a-f]+)$/m.exec(text.split('\n\n', 1)[0] ?? '')?.[1] ?? null
  }
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
