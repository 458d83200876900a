/**
 * Commits and files of a context, for an agent of another home. Invariant 1: what is named exists: a commit of the base
 * branch, a tracked file, a line of it. Invariant 2: a file, or a commit with a file, that a narrower rule hides is left out.
 */
import { matchedWords } from '../../../domain/memory/matched-words.ts'
import type { ContextRef, OwnContext } from '../../../domain/peer/peer.ts'
import type { Snapshot } from '../../../domain/plan/snapshot.ts'
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
}

const MOST_COMMITS = 10
const MOST_FILES = 3
const MOST_LETTERS = 300

export async function partOf(context: Context, snapshot: Snapshot, of: PartAsked): Promise<Part> {
  const { asked, own } = of
  const room = snapshot.rooms.get(own.room)?.room
  const { git } = context.world
  const place = await git.place(own.localPath ?? room?.workspace ?? DEFAULT_WORKSPACE, room?.base ?? null)
  if ('wrong' in place) return { commits: [], files: [] }
  const part = asked.type === 'issue' ? '' : below(asked, own)
  const paths = [place.folder, part].filter((one) => one !== '').join('/')
  const grep = asked.type === 'issue' ? { grep: `#${below(asked, own).replace('#', '')}\\b` } : {}
  const limit = MOST_COMMITS
  const commits = await git.history(place, { limit, ...grep, paths: paths === '' ? [] : [paths] })
  const seen = await Promise.all(commits.map(({ commit }) => isShown(context, { place, commit, ...of })))
  return {
    commits: commits.filter((_, at) => seen[at]),
    files: await filesAbout(context, { place, part, ...of }),
  }
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
  if (shown.length === 0) return []
  const tracked = await world.git.filesAt(place, '')
  const found = shown.slice(0, MOST_FILES).map(async ({ path, about }): Promise<Reference | null> => {
    const file = tracked?.files.get(path)
    const bytes = file === undefined ? null : await world.git.bytesAt(place, file.id)
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
export function isReadable(mayRead: PartAsked['mayRead'], { identifier }: OwnContext, file: string): boolean {
  return mayRead === null || mayRead({ type: 'file', identifier: `${identifier}/${file}` })
}

export function short(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length <= MOST_LETTERS ? line : `${line.slice(0, MOST_LETTERS - 1)}…`
}
