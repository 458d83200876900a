/**
 * What a request about a task is bound to: the action, and the words that its file shows. A file that shows something
 * else than was written into it has another hash than it names.
 */
import { createHash } from 'node:crypto'
import type { Ask } from '../../domain/ask/ask.ts'
import { sameData } from '../../files/values/equal.ts'
import type { Json } from '../../files/edit/edit-header.ts'

export interface Subject {
  readonly tool: string
  readonly arguments: Readonly<Record<string, Json>>
  /** Paths in the workspace that the action names. */
  readonly files: readonly string[]
  /** Of what would be done; '' if there is nothing to do. */
  readonly sha256: string
  readonly shows: string
}

export function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}

export function shownHash({ sha256 }: Subject, reason: string): string {
  return digest([sha256, reason])
}

export function askBody(id: string, { shows }: Subject): string {
  return `Set \`decision: approved\` or \`decision: denied\`, or run \`neo ask approve ${id}\`.\n\n${shows}`
}

/** The hash that a request would have now. A note that a person added changes nothing. */
export function presentHash(ask: Ask, subject: Subject): string {
  const { action, reason, body } = ask
  const isShown =
    plain(body).includes(plain(askBody(ask.id, subject))) &&
    action.tool === subject.tool &&
    sameData(action.files, subject.files) &&
    sameData(action.arguments, subject.arguments)
  return isShown ? shownHash(subject, reason) : digest(['edited', subject.sha256, reason, action, body])
}

/** Without white space and the marks of lists, emphasis and tables, which editors reformat. */
function plain(text: string): string {
  return text.replaceAll(/[\s*_+|\\-]/g, '')
}
