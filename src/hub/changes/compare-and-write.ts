/**
 * How methods change the home: one commit a call, through the path's own transact, under the name of the caller.
 * Invariant 1: what a person saved and Neo has not taken in yet is put in order first, never committed over. Invariant
 * 2: a file that others change in the meantime is read and patched again, a few times, then the call is refused. Invariant 3:
 * the approval that carries a call goes into the same commit as its change. Invariant 4: the mask of a secret is never
 * written over the secret.
 */
import type { Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import { wayBack } from '../../domain/plan/needs.ts'
import { maskSure } from '../../domain/secrets/known-secrets.ts'
import { MASK } from '../../domain/secrets/mask-literals.ts'
import { indexTasks } from '../../domain/task/depends.ts'
import type { FileChange } from '../../engine/commit/journal.ts'
import { textAt, transact } from '../../engine/commit/transact.ts'
import { type Context, NEO } from '../../engine/context.ts'
import { adopt, reconcile } from '../../engine/effects/adopt.ts'
import { coAuthor, messageOf, oneLine, type Trailers } from '../../engine/effects/commit-words.ts'
import { editDocument, type Patch } from '../../files/edit/edit-header.ts'
import type { Person } from '../../ports/git-port.ts'
import { type Actor, type HubEnv, look } from '../env.ts'
import { badParams, HUB_CODES, HubError } from '../hub.ts'
import { missing } from '../views/find-in-home.ts'

export interface Write {
  readonly room: string
  /** For what belongs to no room: what it is of, in the subject; then no trailer names a room. */
  readonly part?: string
  /** `<verb> <name>` for the subject. */
  readonly what: string
  readonly says?: string
  /** `Neo-Event`, and the kind of the printed event. */
  readonly event: string
  readonly task?: string | undefined
  readonly trailers?: Trailers
  readonly changes: readonly FileChange[]
  /** The message of the HubError `busy` that is thrown if a file had changed. */
  readonly lost?: string
}

/** Throws HubError `busy` if the home is not on its branch. `lost`: a file had changed, nothing was done. */
export async function commit(env: HubEnv, actor: Actor, write: Write): Promise<'done' | 'lost'> {
  const { context } = env
  if (context.look.branch() === null) throw away(await look(env))
  for (const change of write.changes) refuseMasked(context, change)
  const done = await transact(context, {
    kind: write.event,
    changes: [...write.changes, ...actor.along],
    ...messageOf(write.part ?? write.room, write.what, write.says ?? ''),
    trailers: [
      ...(write.part === undefined ? [['Neo-Room', write.room] as const] : []),
      ...(write.task === undefined ? [] : [['Neo-Task', write.task] as const]),
      ...(actor.principal.kind === 'session' ? [['Neo-Session', actor.principal.id] as const] : []),
      ['Neo-Event', write.event],
      ...(actor.approvedBy === null ? [] : [['Neo-Approved-By', actor.approvedBy] as const]),
      ...(write.trailers ?? []),
    ],
    author: authorOf(env, actor),
  })
  if (done === 'lost' && write.lost !== undefined) throw new HubError(HUB_CODES.busy, write.lost)
  if (done === 'lost') return 'lost'
  actor.along = []
  const text = `${write.what}${write.says === undefined || write.says === '' ? '' : `: ${oneLine(write.says)}`}`
  context.emit({
    kind: write.event,
    text,
    room: write.room,
    ...(write.task === undefined ? {} : { task: write.task }),
  })
  env.wake()
  return 'done'
}

/** Clients see secrets as ***: if they wrote that back, the secret would be lost. */
function refuseMasked(context: Context, { path, before, after }: FileChange): void {
  const present = before === null || after === null ? null : textAt(context, path, before)
  if (present === null || after === null) return
  const isHidden = maskSure(present) !== present && masksIn(after) > masksIn(present)
  if (!isHidden) return
  throw badParams([], `*** replaces a secret in ${maskSure(path)}; edit the file itself`)
}

function masksIn(text: string): number {
  return text.split(MASK).length - 1
}

function away(snapshot: Snapshot): HubError {
  const { git } = snapshot
  const why = git.kind === 'home' ? 'git is busy' : git.why
  return new HubError(HUB_CODES.busy, `Cannot change the home now: ${why}`, {
    next: `${wayBack(snapshot)}, then retry`,
  })
}

/** The person, a member by their id, Neo for himself and for all that models do. */
function authorOf({ context }: HubEnv, { principal }: Actor): Person {
  switch (principal.kind) {
    case 'human':
      return context.person
    case 'member':
      return { name: principal.id, email: `${principal.id}@localhost` }
    case 'neo':
    case 'session':
    case 'peer':
    case 'editor':
      return NEO
  }
}

export interface TaskEdit extends Omit<Write, 'changes' | 'room' | 'task' | 'what'> {
  /** For the subject: `set`, `update`, … */
  readonly verb: string
  readonly patch: Patch
  readonly more?: readonly FileChange[]
}

export interface Editing {
  readonly path: string
  /** What to do with the file as it is now; null leaves it. Throws HubError to refuse. */
  readonly edit: (file: TaskFile, snapshot: Snapshot) => TaskEdit | null
  /** Looks at the text that would be written. Throws HubError to refuse it. */
  readonly check?: (text: string, file: TaskFile, snapshot: Snapshot) => void
}

const ROUNDS = 6

/** Changes a task's file and gives it as it is then. */
export async function editTask(env: HubEnv, actor: Actor, of: Editing): Promise<TaskFile> {
  for (let round = 0; round < ROUNDS; round++) {
    const { file, snapshot } = await inOrder(env, of.path)
    const text = textAt(env.context, file.path, file.hash)
    if (text === null) continue
    const edit = of.edit(file, snapshot)
    if (edit === null) return file
    const after = editDocument(text, edit.patch)
    if (after === text) return file
    of.check?.(after, file, snapshot)
    const done = await commit(env, actor, {
      ...edit,
      room: file.room,
      task: file.task.neo.id,
      what: `${edit.verb} ${file.name}`,
      trailers: [...(edit.trailers ?? []), ...coAuthor(file, env.context.person)],
      changes: [{ path: file.path, before: file.hash, after }, ...(edit.more ?? [])],
    })
    if (done === 'done') return taskAt(await look(env), of.path)
  }
  throw new HubError(HUB_CODES.busy, `Cannot change "${of.path}": somebody else keeps changing it; try again`)
}

/** Refuses what `editTask` would refuse, before the file is adopted for it. `edit` must have no effects. */
export async function checkEdit(env: HubEnv, { path, edit, check }: Editing): Promise<void> {
  const snapshot = await look(env, path)
  const file = taskAt(snapshot, path)
  const text = textAt(env.context, path, file.hash)
  const first = text === null ? null : edit(file, snapshot)
  if (text !== null && first !== null) check?.(editDocument(text, first.patch), file, snapshot)
}

export function taskAt(snapshot: Snapshot, path: string): TaskFile {
  const file = snapshot.tasks.get(path)
  if (file === undefined) throw missing('task', path)
  return file
}

/** Longer than `daemon.settle` is by default; who goes on typing is not waited for. */
const PATIENCE = 12
const LOOK_MS = 250

/** The file once it is settled, adopted and merged; throws HubError `busy` if it keeps changing. */
export async function inOrder(env: HubEnv, path: string): Promise<{ file: TaskFile; snapshot: Snapshot }> {
  for (let round = 0; round < PATIENCE; round++) {
    const snapshot = await look(env, path)
    const file = taskAt(snapshot, path)
    if (snapshot.invalid.has(path)) throw broken(snapshot, path)
    if (env.context.look.branch() === null) throw away(snapshot)
    if (textAt(env.context, path, file.hash) === null) await pause(env)
    else if ((await putInOrder(env, snapshot, file)) === 'was') return { file, snapshot }
  }
  throw new HubError(HUB_CODES.busy, `Cannot change "${path}": it is being edited; try again in a moment`)
}

async function putInOrder(env: HubEnv, snapshot: Snapshot, file: TaskFile): Promise<'was' | 'is'> {
  const { id } = file.task.neo
  const original = id === undefined ? undefined : indexTasks(snapshot.tasks.values()).originals.get(id)
  const isCopy = original !== undefined && original.path !== file.path
  if (file.gitStatus === 'stale') await reconcile(env.context, file)
  else if (id === undefined || isCopy) await adopt(env.context, snapshot, { file, id: 'new' })
  else if (file.gitStatus === 'new') await adopt(env.context, snapshot, { file, id: 'keep' })
  else return 'was'
  return 'is'
}

function broken({ problems }: Snapshot, path: string): HubError {
  const first = problems.find(({ file, severity }) => file === path && severity === 'error')
  return new HubError(HUB_CODES.busy, `Cannot change "${path}": ${first?.message ?? 'it cannot be read now'}`)
}

function pause({ context }: HubEnv): Promise<void> {
  return new Promise((resolve) => void context.world.clock.after(LOOK_MS, resolve))
}
