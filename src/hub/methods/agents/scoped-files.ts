/**
 * Commits and files of a context, for an agent of another home. Invariant 1: what is named exists: a commit of the base
 * branch, a tracked file, a line of it. Invariant 2: a file, or a commit with a file, that a narrower rule hides is left out.
 */
import { matchedWords } from '../../../domain/memory/matched-words.ts'
import { repositoryOf } from '../../../domain/peer/contexts.ts'
import type { ContextRef, OwnContext } from '../../../domain/peer/peer.ts'
import type { Snapshot } from '../../../domain/plan/snapshot.ts'
import { redact } from '../../../domain/secrets/redact.ts'
import type { Place } from '../../../domain/session/session.ts'
import { DEFAULT_WORKSPACE } from '../../../domain/task/task-settings.ts'
import { filesFrom } from '../../../engine/agents/recall-answers.ts'
import type { Context } from '../../../engine/context.ts'
import type { LogEntry } from '../../../ports/worktree-port.ts'
import type { Reference } from '../../peer-control.ts'

export interface PartAsked {
  readonly query: string
  readonly asked: ContextRef
  readonly own: OwnContext
  /** Null: everything below what was asked about. */
  readonly mayRead: ((context: ContextRef) => boolean) | null
}

interface Part {
  readonly commits: readonly LogEntry[]
  readonly files: readonly Reference[]
  /** It is the whole context, an issue, or a path that git has. */
  readonly isTracked: boolean
}

const MOST_COMMITS = 10
const MOST_FILES = 3
const MOST_LETTERS = 300
const MACHINE_PATH = /(?<![\w.:/])\/(?:[^\s/:'"]+\/)+[^\s:'"]*/g

export async function partOf(context: Context, snapshot: Snapshot, of: PartAsked): Promise<Part> {
  const { asked, own } = of
  const isIssue = asked.type === 'issue'
  const room = snapshot.rooms.get(own.room)?.room
  const { git } = context.world
  const place = await git.place(own.localPath ?? room?.workspace ?? DEFAULT_WORKSPACE, room?.base ?? null)
  if ('wrong' in place) return { commits: [], files: [], isTracked: below(asked, own) === '' }
  const part = isIssue ? '' : below(asked, frameOf(own))
  const paths = [place.folder, part].filter((one) => one !== '').join('/')
  const grep = isIssue ? { grep: `#${below(asked, own).replace('#', '')}\\b` } : {}
  const limit = MOST_COMMITS
  const commits = await git.history(place, { limit, ...grep, paths: paths === '' ? [] : [paths] })
  const seen = await Promise.all(commits.map(({ commit }) => isShown(context, { place, commit, ...of })))
  const files = isIssue ? [] : await filesAbout(context, { place, part, ...of })
  const isTracked = part === '' || (await git.entryAt(place, part)) !== null
  return { commits: commits.filter((_, at) => seen[at]), files, isTracked }
}

/** Without a folder of its own on this machine, a context is a part of its repository's workspace. */
export function frameOf(own: OwnContext): OwnContext {
  return own.type === 'repository' || own.localPath !== undefined
    ? own
    : { ...own, identifier: repositoryOf(own.identifier) }
}

/** Its subject may speak of each of its files. */
async function isShown(
  { world }: Context,
  { place, commit, own, mayRead }: PartAsked & { readonly place: Place; readonly commit: string },
): Promise<boolean> {
  if (mayRead === null) return true
  const top = place.folder === '' ? '' : `${place.folder}/`
  const paths = await world.git.commitPaths(place, commit)
  return paths.every((path) => !path.startsWith(top) || isReadable(mayRead, own, path.slice(top.length)))
}

/** Tracked files that the index finds, each with the first line that has a word of the question. */
async function filesAbout(
  { world }: Context,
  { place, part, own, query, mayRead }: PartAsked & { readonly place: Place; readonly part: string },
): Promise<readonly Reference[]> {
  const known = filesFrom(world, { room: own.room, query, limit: 10 * MOST_FILES }) ?? []
  const shown = known.filter(({ path }) => isBelow(path, part) && isReadable(mayRead, own, path))
  const found = shown.slice(0, MOST_FILES).map(async ({ path, about }): Promise<Reference | null> => {
    const file = await world.git.entryAt(place, path)
    const bytes = file?.kind === 'file' ? await world.git.bytesAt(place, file.id) : null
    if (bytes === null) return null
    const lines = bytes.toString('utf8').split('\n')
    const line = lines.findIndex((text) => matchedWords(query, text).length > 0)
    const summary = about === '' ? {} : { summary: short(about) }
    if (line < 0) return { type: 'file', ref: path, ...summary }
    return { type: 'line', ref: `${path}:${line + 1}`, ...summary }
  })
  return (await Promise.all(found)).filter((one) => one !== null)
}

/** What follows the context of this home: a path, or `#12`; '' for all of it. */
export function below(asked: ContextRef, own: OwnContext): string {
  return asked.identifier.slice(own.identifier.length).replace(/^\//, '')
}

export function isBelow(file: string, part: string): boolean {
  return part === '' || file === part || file.startsWith(`${part}/`)
}

/** @param file relative to the context of this home */
export function isReadable(mayRead: PartAsked['mayRead'], own: OwnContext, file: string): boolean {
  const { identifier } = frameOf(own)
  return mayRead === null || mayRead({ type: 'file', identifier: `${identifier}/${file}` })
}

/** One line for another home: no secret, and no path of this machine. */
export function short(text: string): string {
  const line = redact(text).replaceAll(MACHINE_PATH, '…').replaceAll(/\s+/g, ' ').trim()
  return line.length <= MOST_LETTERS ? line : `${line.slice(0, MOST_LETTERS - 1)}…`
}
