/**
 * Makes a session's worktree ready, once: worktree, env files, and `place.json` that records the state before.
 * Invariant 1: no step is claimed before `place.json` is on disk (written at the next `Files.sync`, which comes before
 * the first step); so without it the worktree holds nothing of value. Invariant 2: a worktree that vanished after a
 * step was claimed is never created again: its content is unknown.
 */
import { join } from 'node:path'
import { NeoError } from '../domain/home/error.ts'
import type { SessionRecord } from '../domain/session/session.ts'
import type { SessionDeps } from './deps.ts'
import { type GitConfigState, gitConfigState } from './repository-watch.ts'
import {
  type CopyRoots,
  copyEnvFiles,
  isPlainFolder,
  learnEnvFiles,
  planEnvFiles,
} from './session-environment.ts'

export interface Place {
  /** Commit or branch that the session's work is compared with. */
  readonly from: string
  /** The workspace's folder in the worktree. */
  readonly cwd: string
  readonly roots: CopyRoots
  /** Env files that Neo copied. */
  readonly copies: readonly string[]
  readonly git: GitConfigState
  /** Files that hold what git stores, since their filter does not run here. */
  readonly asStored?: readonly string[]
  /** Files here are in plain text that git stores encrypted: the transcript stays out of git. */
  readonly decoded?: 'yes'
}

export type PlaceResult =
  | { readonly kind: 'ready'; readonly place: Place }
  | { readonly kind: 'vanished' }
  | { readonly kind: 'wrong'; readonly why: string }

/** In `place.json`. */
type Note = Omit<Place, 'cwd' | 'roots'>

/** Makes the worktree or finds it as it was left. Throws NeoError for what may be over at another try (disk, git). */
export async function makePlace(record: SessionRecord, deps: SessionDeps): Promise<PlaceResult> {
  const { files } = deps.world
  const noted = readNote(deps)
  const there = files.read(join(deps.dirs.worktree, '.git'), 4096).kind === 'file'
  const begun = anyClaim(deps)
  if (begun && (!there || noted === null)) return { kind: 'vanished' }
  const note = noted !== null && there ? noted : await fresh(record, deps, there)
  if ('wrong' in note) return { kind: 'wrong', why: note.wrong }
  const roots = rootsOf(record, deps)
  if (!isPlainFolder(deps.world, roots.top, record.place.folder))
    return {
      kind: 'wrong',
      why: `Cannot work in "${record.place.folder}": it is a link in the branch; expected a folder`,
    }
  learnEnvFiles(deps.world, roots, record.envFiles)
  if (!begun) {
    makeFolder(deps, roots.worktree)
    copyEnvFiles(deps.world, roots, note.copies)
  }
  return { kind: 'ready', place: { ...note, cwd: roots.worktree, roots } }
}

async function fresh(
  record: SessionRecord,
  deps: SessionDeps,
  there: boolean,
): Promise<Note | { readonly wrong: string }> {
  try {
    const isSeat = there && record.seat === 'yes'
    if (there && !isSeat) await clearRest(record, deps)
    const began = await begin(record, deps, isSeat ? 'again' : 'new')
    const plan = planEnvFiles(deps.world, rootsOf(record, deps), record.envFiles)
    if (plan.kind === 'wrong') return { wrong: plan.why }
    const isDecoded = await deps.world.git.holdsDecoded(record.place, deps.dirs.worktree)
    const note: Note = {
      ...began,
      copies: plan.copies,
      git: gitConfigState(deps.world, deps.dirs.worktree),
      ...(isDecoded ? { decoded: 'yes' } : {}),
    }
    deps.world.files.writeJson(noteFile(deps), note, 'later')
    return note
  } catch (error) {
    if (error instanceof NeoError && error.code === 'refused') return { wrong: error.message }
    throw error
  }
}

/** A worktree without a note is the rest of a start that was cut short; git made it, so git removes it. */
async function clearRest(record: SessionRecord, { world, dirs }: SessionDeps): Promise<void> {
  const removed = await world.git.removeWorktree(record.place, dirs.worktree)
  if (removed.kind === 'kept')
    throw new NeoError('refused', `Cannot create the worktree ${dirs.worktree}: ${removed.why}`)
}

/**
 * A branch that is there already holds an earlier attempt's work, or nothing yet after a start that was cut short:
 * the work is compared with the base then, so that earlier commits count as work.
 * @param how `again`: in the worktree that an earlier task of this session has left. Throws NeoError `refused` if it is not clean
 */
async function begin(
  record: SessionRecord,
  { world: { git }, dirs }: SessionDeps,
  how: 'new' | 'again',
): Promise<Pick<Note, 'from' | 'asStored'>> {
  const { place, branch } = record
  const start = record.from === '' ? place.base : record.from
  const there = await git.branchExists(place, branch)
  const request = { place, dir: dirs.worktree, branch, from: there ? branch : start }
  const made = await (how === 'new' ? git.addWorktree(request) : git.reuseWorktree(request))
  if ('wrong' in made)
    throw new NeoError('refused', `Cannot reuse the worktree ${dirs.worktree}: ${made.wrong}`)
  const { head, ...more } = made
  return { from: there ? start : head, ...more }
}

/** Git keeps no empty folders, and a new home's workspace has no file yet. */
function makeFolder({ world: { files, git } }: SessionDeps, dir: string): void {
  if (files.names(dir).length > 0) return
  const path = join(dir, '.neo-folder')
  files.save(path, Buffer.alloc(0), null)
  files.remove(path, git.blobId(Buffer.alloc(0)))
}

function rootsOf({ place }: SessionRecord, { dirs }: SessionDeps): CopyRoots {
  return {
    workspace: join(place.repository, place.folder),
    worktree: join(dirs.worktree, place.folder),
    top: dirs.worktree,
  }
}

function anyClaim({ world: { files }, dirs }: SessionDeps): boolean {
  const steps = join(dirs.session, 'steps')
  return files.names(steps).some((key) => files.names(join(steps, key)).includes('claim'))
}

function readNote(deps: SessionDeps): Note | null {
  return deps.world.files.readJson(noteFile(deps)) as Note | null
}

function noteFile({ dirs }: SessionDeps): string {
  return join(dirs.session, 'place.json')
}
