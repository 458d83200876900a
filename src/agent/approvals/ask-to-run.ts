/**
 * Asks a person whether commands may run unconfined over files that a model has changed. The request shows the commands
 * and the changes, and names the commit: its hash covers them. Files in no commit, such as ignored ones, are listed,
 * and their bytes count too. The words of a command don't tell which files it runs: `make`, `npm test` and `sh -c ./x`
 * run whatever is in the folder, so every command asks. Invariant 1: if the work can't be committed, or its other files
 * can't be listed, nothing is allowed. Invariant 2: after the approval the worktree is compared again, also after a
 * restart, until the approved command has begun; then what it writes is its own. Invariant 3: of the files in no commit, only those that were there after setup on a
 * clean base are the user's; without that note every file is listed. Invariant 4: the hash of these files is never shown:
 * with it, a short secret in an ignored file could be guessed.
 */
import { createHash } from 'node:crypto'
import { join, relative } from 'node:path'
import { statOf } from '../../domain/agent/patch.ts'
import type { UncommittedFile } from '../../ports/worktree-port.ts'
import { type Committed, commitNow } from '../../runner/commit-work.ts'
import type { Ending } from '../../runner/ending.ts'
import type { Run } from '../../runner/run-step.ts'
import { isCopy } from '../../runner/session-environment.ts'
import { Interrupted, interruptedEnd, openServices } from '../services.ts'

export type Allowed =
  | { readonly kind: 'yes' }
  | { readonly kind: 'no'; readonly why: string }
  /** The session was stopped or left while it waited. */
  | { readonly kind: 'over'; readonly ending: Ending | { readonly kind: 'left' } }

/** Files that a request lists; the rest are counted. */
const MOST_FILES = 60

/** A request's header has to stay short. */
const MOST_CHARACTERS = 4_000

interface Request {
  /** Completes "run …". */
  readonly what: string
  readonly commands: readonly string[]
  readonly why: string
  /** Key of the request within the session, if `what` and the commit are not unique: it is asked once. */
  readonly once?: string
  /** Keys of the steps that an approval allows: if one of them has begun, the approval was used. */
  readonly steps: readonly string[]
}

/** Requests about one thing, if the worktree changes in the meantime. */
const MOST_ASKED = 3

/** What a yes is for. */
interface Shown {
  /** Empty: it can't be committed. */
  readonly tip: string
  readonly beside: Beside | null
}

/**
 * The worktree as it is: it is committed, and again after the answer; what differs from what was shown is shown first.
 * @param of `label` names the commits; `tip` is one that was made already
 */
export async function askOverWork(
  run: Run,
  request: Request,
  of: { readonly label: string; readonly verb: 'do' | 'keep'; readonly tip?: string },
): Promise<Allowed> {
  const known = noted(run, of.label)
  let shown = known ?? (await firstShown(run, of))
  for (let again = 0; again < MOST_ASKED; again++) {
    const approval = await askToRun(run, { ...request, ...shown })
    if (approval.kind !== 'yes' || (known !== null && hasBegun(run, request))) return approval
    const now = await look(run, of.verb)
    if (now.tip === shown.tip && now.beside?.sha256 === shown.beside?.sha256) return approval
    shown = now
  }
  return { kind: 'no', why: 'the worktree kept changing while the approval was pending' }
}

/**
 * The approval of a command that nothing confines, over the worktree as it is: a command runs files that a model wrote,
 * whatever its words are. Null: it may run. Throws Interrupted.
 */
export async function approveUnconfined(
  run: Run,
  { why, label, ...request }: Request & { readonly label: string },
): Promise<string | null> {
  const asked = { ...request, why: `there is no sandbox (${why})` }
  const approval = await askOverWork(run, asked, { label, verb: 'keep' })
  if (approval.kind === 'over') throw new Interrupted('stopped while it waited for an answer')
  return approval.kind === 'yes' ? null : `not allowed: ${approval.why}`
}

function hasBegun({ deps }: Run, { steps }: Request): boolean {
  const { world, dirs } = deps
  return steps.some((key) => world.files.names(join(dirs.session, 'steps', key)).includes('claim'))
}

/** So that the same is asked after a restart: what a person said is found again. */
function noted({ deps }: Run, label: string): Shown | null {
  return deps.world.files.readJson(noteOf(deps, label)) as Shown | null
}

function noteOf({ dirs }: Run['deps'], label: string): string {
  return join(dirs.session, `shown-${label}.json`)
}

async function firstShown(
  run: Run,
  { label, verb, tip }: { readonly label: string; readonly verb: 'do' | 'keep'; readonly tip?: string },
): Promise<Shown> {
  const shown = tip === undefined ? await look(run, verb) : { tip, beside: await besideCommit(run) }
  if (shown.tip !== '' && shown.beside !== null)
    run.deps.world.files.writeJson(noteOf(run.deps, label), shown, 'later')
  return shown
}

async function look(run: Run, verb: 'do' | 'keep'): Promise<Shown> {
  const tip = tipOf(await commitNow(run, verb, 'listed'))
  return { tip, beside: await besideCommit(run) }
}

export function tipOf(committed: Committed): string {
  return committed.kind === 'ok' ? committed.commit : ''
}

async function askToRun(run: Run, of: Request & Shown): Promise<Allowed> {
  const { record, deps, place } = run
  const { what, commands, tip, beside, why } = of
  if (deps.agent === undefined) return { kind: 'no', why }
  if (tip === '')
    return { kind: 'no', why: `its files cannot be committed, so no approval can be requested; ${why}` }
  if (beside === null)
    return {
      kind: 'no',
      why: `it has too many files that git ignores, so no approval can be requested; ${why}`,
    }
  const stat = statOf(await deps.world.git.diff(record.place, record.branch))
  const { listed } = beside
  const args = {
    commands: [...commands],
    commit: tip,
    branch: record.branch,
    since: place.from,
    changed: [...fewLines(stat, { lines: MOST_FILES, characters: MOST_CHARACTERS })],
    ...(listed.length === 0 ? {} : { not_committed: [...listed], folder: folderOf(run) }),
  }
  const also = listed.length === 0 ? '' : ' (some of them uncommitted)'
  const reason = `run ${what} without a sandbox, over files that models may have changed${also}, because ${why}`
  try {
    const services = openServices(run, deps.agent, new Set())
    const key = `leave-unconfined-${of.once ?? what.replaceAll(' ', '-')}-${tip.slice(0, 16)}-${beside.sha256.slice(0, 16)}`
    const approval = await services.approve(key, { tool: 'run_unconfined', arguments: args, reason })
    return approval.verdict === 'yes' ? { kind: 'yes' } : { kind: 'no', why: `${approval.why}; ${why}` }
  } catch (error) {
    return { kind: 'over', ending: interruptedEnd(error, deps.signal) }
  }
}

/** The worktree, as a person in the home names it. */
function folderOf({ deps }: Run): string {
  return relative(deps.dirs.home, deps.dirs.worktree)
}

interface Beside {
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
async function besideCommit(run: Run): Promise<Beside | null> {
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
function fewLines(
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
