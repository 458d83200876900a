/**
 * The commits about a task: those of the home, and those of the repository that it works in. Invariant 1: of a commit that
 * isn't work of a session, only the task's own file is shown, else files of its room.
 */
import type { Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import type { Place } from '../../domain/session/session.ts'
import { NEO } from '../../engine/context.ts'
import { placeOf } from '../../engine/effects/approved-text.ts'
import type { LogEntry } from '../../ports/worktree-port.ts'
import type { HubEnv } from '../env.ts'
import type { StoryCommit } from './tell-story.ts'

interface About {
  readonly env: HubEnv
  readonly snapshot: Snapshot
  readonly file: TaskFile
}

/** Of a repository beside the home, oldest first: what the story of the home doesn't know. */
export async function workspaceCommits(about: About, limit: number): Promise<readonly StoryCommit[]> {
  const place = await placeBeside(about)
  if (place === null) return []
  const found = await historyOf(about, place, limit)
  return found.toReversed().map(({ commit, committed, author, subject, trailers }) => ({
    at: new Date(committed).toISOString(),
    kind: trailers['Neo-Event']?.[0] ?? 'commit',
    actor: author === NEO.name ? 'neo' : 'human',
    name: author,
    sessionId: trailers['Neo-Session']?.[0] ?? null,
    says: subject,
    commit,
  }))
}

const MOST_COMMITS = 5_000

export interface FoundCommit {
  readonly entry: LogEntry
  readonly diff: string
}

/** Null if the commit isn't about this task. */
export async function taskCommit(about: About, commit: string): Promise<FoundCommit | null> {
  const { env, file, snapshot } = about
  const { git } = env.context.world
  const beside = await placeBeside(about)
  const work = beside === null ? [] : await historyOf(about, beside, MOST_COMMITS)
  const done = work.find((entry) => entry.commit === commit)
  if (done !== undefined && beside !== null)
    return { entry: done, diff: await git.commitDiff(beside, commit, []) }
  const grep = grepOf(file)
  const named = grep === null ? [] : await git.log({ grep, limit: MOST_COMMITS })
  const entry =
    named.find((one) => one.commit === commit) ??
    (await git.log({ paths: [file.path], limit: MOST_COMMITS })).find((one) => one.commit === commit)
  if (entry === undefined || snapshot.git.kind !== 'home') return null
  const home: Place = { repository: git.top, folder: '', base: snapshot.git.branch }
  if (isWork(entry) && beside === null) return { entry, diff: await git.commitDiff(home, commit, []) }
  const own = await git.commitDiff(home, commit, [file.path])
  return { entry, diff: own === '' ? await git.commitDiff(home, commit, [`rooms/${file.room}`]) : own }
}

/** Work of a session, or its merge: the same that its review shows. */
function isWork({ trailers }: LogEntry): boolean {
  return trailers['Neo-Work'] !== undefined || trailers['Neo-Event']?.[0] === 'merge'
}

async function historyOf({ env, file }: About, place: Place, limit: number): Promise<readonly LogEntry[]> {
  const grep = grepOf(file)
  if (grep === null || !(await env.context.world.git.branchExists(place, place.base))) return []
  return await env.context.world.git.history(place, { grep, limit })
}

function grepOf({ task }: TaskFile): string | null {
  const { id } = task.neo
  return id === undefined || !/^[\w-]+$/.test(id) ? null : `^Neo-Task: ${id}$`
}

/** Null if the task works in the home, or its workspace can't be used. */
async function placeBeside({ env, snapshot, file }: About): Promise<Place | null> {
  const place = await placeOf(env.context, snapshot, file)
  return place === null || place.repository === env.context.world.git.top ? null : place
}
