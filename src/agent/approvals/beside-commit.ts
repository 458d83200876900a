/**
 * Files of the worktree that no commit holds: ignored by git, or left out. A command runs them like any other file, so
 * a request to run one lists those that were written since the user's setup, and an approval covers all of them.
 * Invariant 1: what was there after setup on a clean base is the user's; without that note every file is listed.
 * Invariant 2: the hash is never shown: with it, a short secret in an ignored file could be guessed.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { UncommittedFile } from '../../ports/worktree-port.ts'
import { isCopy } from '../../runner/env-files.ts'
import type { Run } from '../../runner/run-step.ts'

export interface Beside {
  /** As many lines as a person reads; the rest is counted. */
  readonly listed: readonly string[]
  /** Of all such files, also of those that are not listed. */
  readonly sha256: string
}

/** A request's header has to stay short. */
const MOST = { lines: 20, characters: 3_000 }

/**
 * Records the files before a model writes anything. Kept over a restart: later files are never noted.
 * @param how `unread` if a sandbox makes requests unlikely: then, after a restart, every file is listed
 */
export async function noteBefore(run: Run, how: 'read' | 'unread'): Promise<void> {
  const { files } = run.deps.world
  if (files.readJson(noteFile(run)) !== null) return
  const found = how === 'read' ? await besideOf(run) : []
  if (found !== null) files.writeJson(noteFile(run), Object.fromEntries(found.map(pair)), 'later')
}

/** Null: there are more files than anybody could be shown. */
export async function besideCommit(run: Run): Promise<Beside | null> {
  const found = await besideOf(run)
  if (found === null) return null
  const before = (run.deps.world.files.readJson(noteFile(run)) ?? {}) as Readonly<Record<string, string>>
  const known = new Map(Object.entries(before))
  const written = found.filter(({ path, sha256 }) => known.get(path) !== sha256)
  const sha256 = createHash('sha256')
    .update(JSON.stringify(found.map(pair)))
    .digest('hex')
  return { listed: linesOf(written), sha256 }
}

/**
 * Copies of env files come from the person's workspace at every commit: no session's change of them lasts. What is no such
 * copy, such as a link in its place, counts.
 */
async function besideOf({ record, deps, place }: Run): Promise<readonly UncommittedFile[] | null> {
  const { git } = deps.world
  const found = await git.uncommitted(record.place, deps.dirs.worktree)
  const copies = place.copies
    .filter((name) => isCopy(deps.world, place.roots, name))
    .map((name) => join(record.place.folder, name))
  return found?.filter(({ path, kind }) => kind !== 'file' || !copies.includes(path)) ?? null
}

/** Programs first: they are what a command runs. */
function linesOf(written: readonly UncommittedFile[]): readonly string[] {
  return fewLines([...written].sort((a, b) => rank(a) - rank(b)).map(lineOf), MOST)
}

/** The first of them, and how many more there are. */
export function fewLines(
  all: readonly string[],
  most: { readonly lines: number; readonly characters: number },
): readonly string[] {
  const shown: string[] = []
  let characters = 0
  for (const line of all.slice(0, most.lines)) {
    characters += JSON.stringify(line).length
    if (characters > most.characters) break
    shown.push(line)
  }
  const rest = all.length - shown.length
  return rest > 0 ? [...shown, `… and ${rest} more`] : shown
}

function rank({ kind }: UncommittedFile): number {
  return kind === 'program' ? 0 : kind === 'link' ? 1 : 2
}

function lineOf({ path, kind }: UncommittedFile): string {
  return kind === 'file' ? path : `${path} (${kind === 'other' ? 'special file' : kind})`
}

function pair({ path, sha256 }: UncommittedFile): readonly [string, string] {
  return [path, sha256]
}

function noteFile({ deps }: Run): string {
  return join(deps.dirs.session, 'beside-commit.json')
}
