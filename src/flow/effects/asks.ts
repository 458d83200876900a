/**
 * Asks: opening one, and acting on what a person decided. An ask is bound to what it shows by a hash over the action
 * and every file that it names; what differs is asked anew.
 * Leaves to core/rules/approve.ts: what an ask says now.
 */
import { createHash } from 'node:crypto'
import type { Decision } from '../../core/model/decision.ts'
import type { AskFile, Snapshot, TaskFile } from '../../core/model/snapshot.ts'
import { settingsOf } from '../../core/rules/settings.ts'
import { editDocument, type Json, renderDocument } from '../../formats/edit.ts'
import { type Context, isoOf } from '../context.ts'
import { type FileChange, textAt, type Transacted } from '../transact.ts'
import { writeTask } from './task-write.ts'
import type { Trailers } from './words.ts'

/** An ask that nobody answers is a no after this. */
const EXPIRES_MS = 7 * 24 * 3_600_000

export interface Subject {
  readonly tool: string
  readonly arguments: Readonly<Record<string, Json>>
  /** Paths in the workspace that the action names. */
  readonly files: readonly string[]
  readonly sha256: string
}

export async function openAsk(
  context: Context,
  snapshot: Snapshot,
  of: { file: TaskFile; about: 'start' | 'interrupted' },
): Promise<Transacted> {
  const { file, about } = of
  const id = context.world.random.id('a')
  const subject = await subjectFor(context, snapshot, {
    file,
    tool: about === 'start' ? 'run_task' : 'retry_task',
  })
  const now = context.world.clock.now()
  const reason = reasonOf(file, about)
  const done = await writeTask(context, file, {
    status: 'blocked',
    neo: {
      blocked: about === 'start' ? 'ask' : 'interrupted',
      error: `waits for approval: neo ask show ${id}`,
    },
    verb: 'ask about',
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
  if (done !== 'lost') {
    const text = `${reason}: neo ask show ${id}`
    context.outbox.put({ key: `ask:${id}`, text, room: file.room, at: isoOf(now), to: ['terminal'] })
  }
  return done
}

function reasonOf({ task }: TaskFile, about: 'start' | 'interrupted'): string {
  if (about === 'start')
    return `${task.title}: its commands were written by ${task.neo.createdBy ?? 'a model'}`
  return `${task.title}: ${task.neo.error ?? 'a step was interrupted'}; approve to run the task again, deny to let it fail`
}

function askText(
  { task }: TaskFile,
  of: { id: string; subject: Subject; reason: string; now: number },
): string {
  const { tool, arguments: args, files, sha256 } = of.subject
  return renderDocument(
    {
      kind: 'approval',
      task: task.neo.id ?? '',
      action: { tool, arguments: args, files: [...files], sha256 },
      reason: of.reason,
      expires_at: isoOf(of.now + EXPIRES_MS),
      decision: 'pending',
      neo: { id: of.id, created_at: isoOf(of.now) },
    },
    `Set \`decision: approved\` or \`decision: denied\`, or say \`neo ask approve ${of.id}\`.\n\n${task.body}`,
  )
}

/** What would run, as it is now: everything that decides what the task does, and the workspace files its steps name. */
export async function subjectFor(
  context: Context,
  snapshot: Snapshot,
  of: { file: TaskFile; tool: string },
): Promise<Subject> {
  const { file, tool } = of
  if (tool === 'retry_task') {
    const args = { session: file.task.neo.session ?? '', attempt: file.task.neo.attempt ?? 0 }
    return { tool, arguments: args, files: [], sha256: digest([tool, args]) }
  }
  const settings = settingsOf(file.task, snapshot.rooms.get(file.room)?.room ?? null, snapshot.config)
  const place = await context.world.git.place(settings.workspace, settings.base)
  const named =
    'wrong' in place ? new Map<string, string>() : await namedFiles(context, file.task.body, place.folder)
  const { worker, workspace, review, verify, setup, cleanup, env, envFiles } = settings
  const what = { worker, workspace, review, verify, setup, cleanup, env, envFiles, body: file.task.body }
  const args = { task: file.path, workspace, title: file.task.title }
  return { tool, arguments: args, files: [...named.keys()], sha256: digest([tool, what, [...named]]) }
}

/** Files of the home's workspace that the text names: a script that a step calls is part of what is approved. */
async function namedFiles(context: Context, body: string, folder: string): Promise<Map<string, string>> {
  const { git } = context.world
  const head = await git.head()
  if (folder === '' || head.commit === null) return new Map()
  const tree = await git.tree(head.commit, [folder])
  const words = new Set(body.match(/[\w./-]+/g)?.map((word) => word.replace(/^\.\//, '')) ?? [])
  return new Map([...tree].filter(([path]) => words.has(path.slice(folder.length + 1))))
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}

/** For a task that starts after approval: the trailer that names who said yes, and the ask marked as handled. */
export function approval(
  context: Context,
  snapshot: Snapshot,
  file: TaskFile,
): { trailers: Trailers; changes: FileChange[] } {
  const ask = [...snapshot.asks.values()].findLast(
    ({ ask, standing }) =>
      standing !== 'stale' &&
      ask.task === file.task.neo.id &&
      ask.decision === 'approved' &&
      ask.handledAt === undefined,
  )
  if (ask === undefined) return { trailers: [], changes: [] }
  return {
    trailers: [['Neo-Approved-By', ask.ask.decidedBy ?? context.person.name]],
    changes: handled(context, ask, {}),
  }
}

type Verdict = Extract<Decision, { kind: 'close-ask' }>['verdict']

/** Carries out a person's decision, or the lack of one. */
export async function closeAsk(
  context: Context,
  of: { file: TaskFile; ask: AskFile; verdict: Verdict },
): Promise<Transacted> {
  const { file, ask, verdict } = of
  const by = ask.ask.decidedBy ?? context.person.name
  switch (verdict) {
    case 'approved': {
      // The ask of a start is marked as handled by the start itself.
      const more = ask.ask.action.tool === 'retry_task' ? handled(context, ask, {}) : []
      const neo = { blocked: undefined, error: undefined }
      const trailers: Trailers = [['Neo-Approved-By', by]]
      return writeTask(context, file, {
        status: 'pending',
        neo,
        verb: 'approve',
        says: `by ${by}`,
        event: 'approve',
        trailers,
        more,
      })
    }
    case 'changed': {
      const more = handled(context, ask, { decision: 'denied' })
      const neo = { blocked: undefined, error: undefined }
      const says = 'what was asked for has changed since: it is asked anew'
      return writeTask(context, file, {
        status: 'pending',
        neo,
        verb: 'withdraw ask of',
        says,
        event: 'ask-changed',
        more,
      })
    }
    case 'denied':
    case 'expired': {
      const more = handled(context, ask, verdict === 'expired' ? { decision: 'denied' } : {})
      const error = verdict === 'denied' ? `denied by ${by}` : 'nobody approved it in time'
      const neo = { blocked: undefined, error, completed_at: isoOf(context.world.clock.now()) }
      return writeTask(context, file, {
        status: 'failed',
        neo,
        verb: 'deny',
        says: error,
        event: 'deny',
        more,
      })
    }
  }
}

function handled(context: Context, ask: AskFile, set: Record<string, Json>): FileChange[] {
  const text = textAt(context, ask.path, ask.hash)
  if (text === null) return []
  const at = isoOf(context.world.clock.now())
  const decided: Record<string, Json> = ask.ask.decidedAt === undefined ? { decided_at: at } : {}
  const who: Record<string, Json> = ask.ask.decidedBy === undefined ? { decided_by: context.person.name } : {}
  return [
    {
      path: ask.path,
      before: ask.hash,
      after: editDocument(text, { set: { ...decided, ...who, ...set, handled_at: at } }),
    },
  ]
}
