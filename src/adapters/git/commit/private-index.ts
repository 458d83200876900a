/**
 * A copy of a work tree's index for git to work in, so that the person's own index stays free while files are written.
 * Invariant 1: the index only gives way if it still is the one that was copied; else the entries alone are put in.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { WorkTree } from '../locate.ts'
import { runGit } from '../process/run-git.ts'
import { zeroSplit } from '../process/spawn.ts'
import type { Edit } from './index-file.ts'
import { holdIndex, holdWith, indexStamp } from './index-refresh.ts'
import type { Held } from './lock-file.ts'

export interface PrivateIndex {
  readonly env: { readonly GIT_INDEX_FILE: string }
  /** The person's index locked, with the copy in it, or with these changes where it is another by now. Null: not now. */
  hold(edits: readonly Edit[]): Promise<Held | null>
  drop(): void
}

let count = 0

export function copyIndex(gitDir: string): PrivateIndex {
  const dir = join(gitDir, 'neo')
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const file = join(dir, `index-${process.pid}-${++count}`)
  const from = join(gitDir, 'index')
  const stamp = indexStamp(gitDir)
  if (existsSync(from)) copyFileSync(from, file)
  return {
    env: { GIT_INDEX_FILE: file },
    async hold(edits) {
      const like = statSync(file, { bigint: true, throwIfNoEntry: false })
      const whole =
        like === undefined || indexStamp(gitDir) !== stamp
          ? null
          : await holdWith(gitDir, { stamp, bytes: readFileSync(file), like })
      return whole ?? holdIndex(gitDir, edits, false)
    },
    drop: () => {
      for (const path of [file, `${file}.lock`]) rmSync(path, { force: true })
    },
  }
}

/** What changes from one commit to the other, as changes of the index. */
export async function editsBetween(dir: WorkTree, old: string, now: string): Promise<readonly Edit[]> {
  const listed = zeroSplit((await runGit(dir, ['diff-tree', '-r', '-z', '--no-renames', old, now])).out)
  return listed.flatMap((field, at): Edit[] => {
    const [, from, to, a, b] = /^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) \w$/.exec(field) ?? []
    const path = listed[at + 1]
    if (at % 2 === 1 || path === undefined) return []
    return [{ path, old: leafOf(from, a), now: leafOf(to, b) }]
  })
}

function leafOf(mode = '', oid = ''): { readonly mode: string; readonly oid: string } | null {
  return Number(mode) === 0 ? null : { mode, oid }
}
