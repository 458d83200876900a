/**
 * The request file of a session's want. An approval holds for exactly what was written into it: tool, arguments, reason,
 * session and task.
 */
import { createHash } from 'node:crypto'
import type { SessionRecord, Want } from '../../domain/session/session.ts'
import type { AskFile } from '../../domain/plan/snapshot.ts'
import { answerOf } from '../../files/kinds/ask-answer.ts'
import { type Json, renderDocument } from '../../files/edit/edit-header.ts'
import { isoSecond } from '../../files/values/times.ts'
import { oneLine } from './commit-words.ts'

/** A request that nobody answers is denied after this. */
const EXPIRES_MS = 7 * 24 * 3_600_000
/** Bytes of the arguments, so that the header stays under its limit with what a decision adds. */
const MOST_SHOWN = 14_000

/** Null if it is too long for a request file. */
export function askText(record: SessionRecord, one: Want, now: number): string | null {
  if (Buffer.byteLength(JSON.stringify(one.arguments ?? {})) > MOST_SHOWN) return null
  const action = actionOf(one)
  const approval = one.kind === 'approval'
  const how = approval
    ? `Set \`decision: approved\` or \`decision: denied\`, or run \`neo ask approve ${one.id}\`.\n\n${shownArguments(one)}`
    : `${questionText(one.text)}\n\n## Answer\n\n<!-- write the answer here, or run: neo ask answer ${one.id} "…" -->\n`
  return renderDocument(
    {
      kind: one.kind,
      session: record.id,
      task: record.taskId,
      action: action as unknown as Json,
      reason: oneLine(one.text),
      expires_at: isoSecond(now + EXPIRES_MS),
      decision: 'pending',
      neo: { id: one.id, created_at: isoSecond(now) },
    },
    how,
  )
}

/** Quoted if the text would answer itself, or hide the heading that an answer goes under. */
function questionText(text: string): string {
  const isPlain = answerOf(`${text}\n\n## Answer\n\nx\n`) === 'x'
  return isPlain ? text : text.replaceAll(/^/gm, '> ')
}

function shownArguments(one: Want): string {
  return fenced(JSON.stringify(one.arguments ?? {}, null, 2))
}

/** A fence longer than any run of backticks in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}\n`
}

function actionOf(one: Want): {
  tool: string
  arguments: Record<string, unknown>
  files: string[]
  sha256: string
} {
  const tool = one.tool ?? 'question'
  const args = { ...(one.arguments ?? {}) }
  const sha256 = createHash('sha256')
    .update(JSON.stringify([tool, args, one.text]))
    .digest('hex')
  return { tool, arguments: args, files: [], sha256 }
}

/** Whether a request still shows what was written into it. */
export function showsStill(ask: AskFile['ask'], one: Want, record: SessionRecord): boolean {
  const { tool, arguments: args, files, sha256 } = actionOf(one)
  const shown = ask.action
  const isSame = shown.sha256 === sha256 && shown.tool === tool && shown.files.length === files.length
  const isOfThis = ask.kind === one.kind && ask.session === record.id && ask.task === record.taskId
  const says =
    ask.reason === oneLine(one.text) && ask.body.replaceAll('\r\n', '\n').includes(shownArguments(one).trim())
  return isSame && isOfThis && says && sameJson(shown.arguments, args)
}

/** The hash in the request while it shows what the session wants, else another. */
export function shownHash(ask: AskFile['ask'], one: Want, record: SessionRecord): string {
  if (one.kind === 'question' || showsStill(ask, one, record)) return actionOf(one).sha256
  const { body, reason, action } = ask
  return createHash('sha256')
    .update(JSON.stringify([reason, action, body]))
    .digest('hex')
}

/** In any order of keys: an editor may change it. */
function sameJson(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  const [left, right] = [Object.entries(a), new Map(Object.entries(b))]
  return left.length === right.size && left.every(([key, value]) => sameJson(value, right.get(key)))
}
