/**
 * Requests about tasks: opening one, and acting on the decision. A request is bound by a hash to what it shows: the
 * action, every file that it names and the words of its own file (approved-text.ts). If anything differs, Neo asks again.
 */
import type { DecisionOf } from '../../domain/plan/decision.ts'
import type { AskFile, Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import { maskSure, maskSureIn } from '../../domain/secrets/known-secrets.ts'
import { type Settings, settingsOf } from '../../domain/task/task-settings.ts'
import { editDocument, type Json, renderDocument } from '../../files/edit/edit-header.ts'
import { isoSecond } from '../../files/values/times.ts'
import type { FileChange } from '../commit/journal.ts'
import { type Transacted, textAt } from '../commit/transact.ts'
import type { Context } from '../context.ts'
import { notifyRequest } from '../people/notices.ts'
import { oneLine, type Trailers } from './commit-words.ts'
import { askBody, digest, EXPIRES_MS, pushOf, type Subject, shownHash } from './approved-text.ts'
import { writeTask } from './task-write.ts'

/** Tool of a request to push. */
export const PUSH = 'push_branch'

type About = DecisionOf<'open-ask'>['about']
const TOOL_OF: Readonly<Record<About, string>> = { start: 'run_task', interrupted: 'retry_task', push: PUSH }
const VERB_OF: Readonly<Record<About, string>> = {
  ...{ start: 'request approval for', interrupted: 'ask about', push: 'request approval to push' },
}

/** Whether `subjectFor` knows what a request with this tool shows. */
export function isOwnTool(tool: string): boolean {
  return Object.values(TOOL_OF).includes(tool)
}

const BLOCKED_BY = { start: 'ask', interrupted: 'interrupted' } as const

export async function openAsk(
  context: Context,
  snapshot: Snapshot,
  of: { file: TaskFile; about: About },
): Promise<Transacted> {
  const { file, about } = of
  const id = context.world.random.id('a')
  const subject = await subjectFor(context, snapshot, { file, tool: TOOL_OF[about] })
  if (about === 'push' && subject.sha256 === '') {
    context.pulls.refuse(file.task.neo.id ?? '', 'no remote "origin" to push to')
    return 'done'
  }
  const now = context.world.clock.now()
  const reason = oneLine(maskSure(reasonOf(file, about)))
  const error = `waits for approval: neo ask show ${id}`
  const done = await writeTask(context, file, {
    ...(about === 'push'
      ? { neo: { error } }
      : { status: 'blocked' as const, neo: { blocked: BLOCKED_BY[about], error } }),
    verb: VERB_OF[about],
    says: reason,
    event: 'ask',
    more: [
      {
        path: `rooms/${file.room}/asks/${id}.md`,
        before: null,
        after: askText(file, { id, subject, reason, now }),
      },
    ],
  })
  if (done !== 'lost') notifyRequest(context, { id, room: file.room, reason })
  return done
}

function reasonOf({ task }: TaskFile, about: About): string {
  if (about === 'push') return `${task.title}: push ${task.neo.branch} and open its pull request`
  if (about === 'start')
    return `${task.title}: its commands were written by ${task.neo.createdBy ?? 'a model'}`
  return `${task.title}: ${task.neo.error ?? 'a step was interrupted'}; approve to retry the task, deny to fail it`
}

function askText(
  { task }: TaskFile,
  of: { id: string; subject: Subject; reason: string; now: number },
): string {
  const { tool, arguments: args, files } = of.subject
  const sha256 = shownHash(of.subject, of.reason)
  return renderDocument(
    {
      kind: 'approval',
      task: task.neo.id ?? '',
      action: { tool, arguments: args, files: [...files], sha256 },
      reason: of.reason,
      expires_at: isoSecond(of.now + EXPIRES_MS),
      decision: 'pending',
      neo: { id: of.id, created_at: isoSecond(of.now) },
    },
    askBody(of.id, of.subject),
  )
}

/** What would run now: everything that decides what the task does, and the workspace files that its steps name. */
export async function subjectFor(
  context: Context,
  snapshot: Snapshot,
  of: { file: TaskFile; tool: string },
): Promise<Subject> {
  const { file, tool } = of
  if (tool === PUSH) return pushSubject(context, snapshot, file)
  const shows = maskSure(file.task.body)
  if (tool === 'retry_task') {
    const args = { session: file.task.neo.session ?? '', attempt: file.task.neo.attempt ?? 0 }
    return { tool, arguments: args, files: [], sha256: digest([tool, args]), shows }
  }
  const settings = settingsOf(file.task, snapshot.rooms.get(file.room)?.room ?? null, snapshot.config)
  const place = await context.world.git.place(settings.workspace, settings.base)
  const named =
    'wrong' in place ? new Map<string, string>() : await namedFiles(context, file.task.body, place.folder)
  // Steps get them as environment: they are a part of what is approved.
  const params = file.task.params === undefined ? {} : { params: file.task.params }
  const what = { ...boundSettings(settings), body: file.task.body, ...params }
  const args = maskSureIn({
    task: file.path,
    workspace: settings.workspace,
    title: file.task.title,
    ...params,
  })
  return { tool, arguments: args, files: [...named.keys()], sha256: digest([tool, what, [...named]]), shows }
}

/**
 * Whether an approval to run a task is bound to a setting: to all that decides what runs, where, and what becomes of it.
 * The others decide when and how long. A new setting has to be here, and what it sends or runs has to be bound.
 */
const BOUND: Readonly<Record<keyof Settings, boolean>> = {
  worker: true,
  workspace: true,
  review: true,
  verify: true,
  setup: true,
  cleanup: true,
  env: true,
  envFiles: true,
  // The room's alone, which only people change.
  base: false,
  hooks: false,
  model: false,
  timeoutMs: false,
  concurrency: false,
}

function boundSettings(settings: Settings): Partial<Settings> {
  const keys = (Object.keys(BOUND) as (keyof Settings)[]).filter((key) => BOUND[key])
  return Object.fromEntries(keys.map((key) => [key, settings[key]]))
}

async function pushSubject(context: Context, snapshot: Snapshot, file: TaskFile): Promise<Subject> {
  const push = await pushOf(context, snapshot, file)
  if (push === null) return { tool: PUSH, arguments: {}, files: [], sha256: '', shows: '' }
  const { pull, arguments: args, sha256 } = push
  const commands = `See the work with \`neo review diff ${file.task.neo.id}\`. Its pull request says:`
  const shows = `${commands}\n\n# ${pull.title}\n\n${pull.body}`
  return { tool: PUSH, arguments: args, files: [], sha256, shows }
}

/** Files of the home's workspace that the text names: a script that a step calls is approved with it. */
async function namedFiles(context: Context, body: string, folder: string): Promise<Map<string, string>> {
  const { git } = context.world
  const head = await git.head()
  if (folder === '' || head.commit === null) return new Map()
  const tree = await git.tree(head.commit, [folder])
  const words = new Set(body.match(/[\w./-]+/g)?.map((word) => word.replace(/^\.\//, '')) ?? [])
  return new Map([...tree].filter(([path]) => words.has(path.slice(folder.length + 1))))
}

/** An approved request of a task that nothing has acted on. */
export function approvedAsk(snapshot: Snapshot, file: TaskFile, tool: string): AskFile | null {
  const found = [...snapshot.asks.values()].findLast(
    ({ ask, gitStatus }) =>
      gitStatus !== 'stale' &&
      ask.action.tool === tool &&
      ask.task === file.task.neo.id &&
      ask.decision === 'approved' &&
      ask.handledAt === undefined,
  )
  return found ?? null
}

/** For what an approval allows: the trailer with who approved it, and the request marked as handled. */
export function approval(
  context: Context,
  snapshot: Snapshot,
  { file, tool }: { readonly file: TaskFile; readonly tool: string },
): { trailers: Trailers; more: FileChange[] } {
  const ask = approvedAsk(snapshot, file, tool)
  if (ask === null) return { trailers: [], more: [] }
  return {
    trailers: [['Neo-Approved-By', ask.ask.decidedBy ?? context.person.name]],
    more: handled(context, ask, {}),
  }
}

type Verdict = DecisionOf<'close-ask'>['verdict']

export async function closeAsk(
  context: Context,
  of: { file: TaskFile; ask: AskFile; verdict: Verdict },
): Promise<Transacted> {
  const { file, ask, verdict } = of
  const by = ask.ask.decidedBy ?? context.person.name
  if (ask.ask.action.tool === PUSH) return closePush(context, { file, ask, verdict, by })
  const neo = { blocked: undefined, error: undefined }
  switch (verdict) {
    case 'approved':
      return writeTask(context, file, {
        status: 'pending',
        neo,
        verb: 'approve',
        says: `by ${by}`,
        event: 'approve',
        trailers: [['Neo-Approved-By', by]],
        // A start marks its own request as handled.
        more: ask.ask.action.tool === 'retry_task' ? handled(context, ask, {}) : [],
      })
    case 'changed':
      return writeTask(context, file, {
        status: 'pending',
        neo,
        verb: 'withdraw request for',
        says: 'the content changed after the request; Neo asks again',
        event: 'ask-changed',
        more: handled(context, ask, { decision: 'denied' }),
      })
    case 'denied':
    case 'expired': {
      const says = verdict === 'denied' ? `denied by ${by}` : 'not approved in time'
      return writeTask(context, file, {
        status: 'failed',
        neo: { ...neo, error: says, completed_at: isoSecond(context.world.clock.now()) },
        verb: 'deny',
        says,
        event: 'deny',
        more: handled(context, ask, verdict === 'expired' ? { decision: 'denied' } : {}),
      })
    }
  }
}

/** The task stays in review: a person can push its work, or accept it here. */
function closePush(
  context: Context,
  { file, ask, verdict, by }: { file: TaskFile; ask: AskFile; verdict: Verdict; by: string },
): Promise<Transacted> {
  const more = handled(context, ask, verdict === 'denied' ? {} : { decision: 'denied' })
  const isChanged = verdict === 'changed'
  const no = verdict === 'expired' ? 'its push was not approved in time' : `its push was denied by ${by}`
  const says = isChanged ? 'the commits changed after the request; Neo asks again' : no
  const error = isChanged ? undefined : `${no}: push ${file.task.neo.branch} by hand, or neo review accept`
  const words = isChanged
    ? { verb: 'withdraw request for', event: 'ask-changed' }
    : { verb: 'deny push of', event: 'deny' }
  return writeTask(context, file, { neo: { error }, says, ...words, more })
}

/** The request marked as handled; nobody is named for what nobody decided. Empty if its file has changed since. */
export function handled(context: Context, file: AskFile, set: Record<string, Json>): FileChange[] {
  const text = textAt(context, file.path, file.hash)
  if (text === null) return []
  const at = isoSecond(context.world.clock.now())
  const { decidedAt, decidedBy, decision } = file.ask
  const who: Record<string, Json> =
    decision === 'pending' || decidedBy !== undefined ? {} : { decided_by: context.person.name }
  const when: Record<string, Json> = decidedAt === undefined ? { decided_at: at } : {}
  const after = editDocument(text, { set: { ...when, ...who, ...set, handled_at: at } })
  return [{ path: file.path, before: file.hash, after }]
}
