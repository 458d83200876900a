/**
 * The result of a tool, and the limit of its length. Invariant 1: `text` is never longer than OUTPUT_LIMIT characters
 * and a note; if it was cut, `whole` has all of it.
 */
import { counted } from '../../domain/text/counted.ts'
import { redact } from '../../domain/secrets/redact.ts'
import type { ToolResult } from './tool.ts'

/** Characters of a result that a model sees: about 8,000 tokens. */
export const OUTPUT_LIMIT = 30_000

export function ok(text: string): ToolResult {
  return { ...limited(text), isError: false }
}

/** @param text `Cannot …: what is and what to do` */
export function wrong(text: string): ToolResult {
  return { ...limited(text), isError: true }
}

/** `text` within the limit: its beginning and its end, and between them what was left out. */
export function cutMiddle(text: string, limit: number = OUTPUT_LIMIT): string {
  if (text.length <= limit) return text
  const head = edge(text, Math.ceil(limit / 2))
  const tail = edge(text, text.length - Math.floor(limit / 2))
  const left = text.slice(head, tail)
  const lines = left.split('\n').length - 1
  const note = `[… ${counted(tail - head, 'character')} (${counted(lines, 'line')}) left out …]`
  return `${text.slice(0, head)}\n${note}\n${text.slice(tail)}`
}

function limited(text: string): { readonly text: string; readonly whole?: string } {
  // Masked before it is cut: of a secret that the cut goes through, half would be left.
  return text.length <= OUTPUT_LIMIT ? { text } : { text: cutMiddle(redact(text)), whole: text }
}

/** The place itself, or the one before it if it would split a surrogate pair. */
function edge(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at
}
