/**
 * What a push of a task's work would send: the branch, and the pull request's text without local paths and secrets. An
 * approval holds for one commit, one remote and one text.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Place } from '../../domain/session/session.ts'
import type { Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import { settingsOf } from '../../domain/task/task-settings.ts'
import { pullRequestBody } from '../../domain/text/forge.ts'
import { readSession } from '../../files/kinds/read-session.ts'
import type { Context } from '../context.ts'

const MOST_BYTES = 1024 * 1024

export interface Pull {
  readonly place: Place
  readonly branch: string
  readonly title: string
  readonly body: string
}

/** Null if the task has no branch, or its workspace can't be found. */
export async function pullOf(context: Context, snapshot: Snapshot, file: TaskFile): Promise<Pull | null> {
  const { id = '', branch, session = '' } = file.task.neo
  const place = await placeOf(context, snapshot, file)
  if (place === null || branch === undefined) return null
  const transcript = `rooms/${file.room}/transcripts/${session}.jsonl`
  const body = pullRequestBody({
    title: file.task.title,
    result: resultOf(context, file),
    checks: [],
    usage: null,
    transcript: context.look.tree().has(transcript) ? transcript : null,
    session,
    task: id,
  })
  return { place, branch, title: file.task.title, body }
}

/** The result and checks from the session's file. */
function resultOf(context: Context, { room, task }: TaskFile): string {
  const path = `rooms/${room}/sessions/${task.neo.session ?? ''}.md`
  const read = context.world.files.read(join(context.home, path), MOST_BYTES)
  const session = read.kind === 'file' ? readSession(path, read.bytes) : null
  return session?.kind === 'ok' ? session.value.body : (task.neo.result ?? '')
}

export interface Push {
  readonly pull: Pull
  readonly arguments: { readonly branch: string; readonly commit: string; readonly to: string }
  readonly sha256: string
}

/** Null if there is nothing to push, or no remote. */
export async function pushOf(context: Context, snapshot: Snapshot, file: TaskFile): Promise<Push | null> {
  const pull = await pullOf(context, snapshot, file)
  const target = pull === null ? null : await context.pulls.target(pull.place, pull.branch)
  if (pull === null || target === null) return null
  const shown = { branch: pull.branch, commit: target.commit, to: target.remote }
  const what = [shown, pull.place.base, pull.title, pull.body]
  const sha256 = createHash('sha256').update(JSON.stringify(what)).digest('hex')
  return { pull, arguments: shown, sha256 }
}

/** Repository, folder and base of a task; null if its workspace can't be found. */
export async function placeOf(context: Context, snapshot: Snapshot, file: TaskFile): Promise<Place | null> {
  const settings = settingsOf(file.task, snapshot.rooms.get(file.room)?.room ?? null, snapshot.config)
  const place = await context.world.git.place(settings.workspace, settings.base)
  return 'wrong' in place ? null : place
}
