/**
 * Tools for models that have none: how they are described in text, and how calls are read out of a reply. Two forms
 * are read: `✿FUNCTION✿: name`, `✿ARGS✿: {json}`, `✿END FUNCTION✿`, and fenced blocks that open with `neo`
 * (neo-block.ts). Only the text of an assistant may ever be given here. Invariant 1: a marker counts at the start of
 * a line, or right after a call; inside arguments it is data. Invariant 2: nothing is read after a flawed call: where
 * its arguments end is not known, and data must not act. Invariant 3: from an invented result on, nothing is read.
 */
import type { CallPart, Json, JsonObject, ResultPart, ToolSpec } from './model-message.ts'
import { closingFence, type Fence, readNeoBlock } from './neo-block.ts'

export interface TextCalls {
  /** What is not part of a call, without white space at its ends. */
  readonly text: string
  /** Ids count from `text_1`; anyone who takes them into a conversation makes them unique there. */
  readonly calls: readonly CallPart[]
  /** Where reading ended: the length of the text, or where an invented result begins. */
  readonly end: number
}

interface Read {
  readonly call: Omit<CallPart, 'id'>
  readonly end: number
}

const FUNCTION = /[ \t]*✿[ \t]*FUNCTION[ \t]*✿[ \t]*[:：]/y
const ARGS = /\s*✿[ \t]*ARGS[ \t]*✿[ \t]*[:：]?/y
const END = /\s*✿[ \t]*END(?:[ \t]+FUNCTION)?[ \t]*✿/y
const RESULT = /[ \t]*✿[ \t]*(?:RESULT|RETURN)[ \t]*✿[ \t]*(?:[:：{"[]|\r?(?:\n|$))/y
const FENCE = /( {0,3})(`{3,}|~{3,})[ \t]*([^`\n]*)(?:\n|$)/y
const NAME = /[ \t]*(["'`]?)([^\s✿{"'`]*)\1[ \t]*/y
const GOOD_NAME = /^[\w.:-]{1,64}$/

/** Words that end a reply if the server takes them: from there a model only invents results. */
export const STOP_WORDS: readonly string[] = ['✿RESULT✿', '✿RETURN✿']

/**
 * Reads the calls of a reply. `cut`: the reply ended at its limit, so a call that is open there says that. `tools`:
 * for the types of bare values in `neo` blocks; without them these are texts. Throws on no text.
 */
export function parseTextCalls(
  text: string,
  { cut, tools = [] }: { readonly cut: boolean; readonly tools?: readonly ToolSpec[] },
): TextCalls {
  const plain: string[] = []
  const calls: CallPart[] = []
  const marks = markFinder(text)
  let at = 0
  let end = text.length
  let open: Fence | null = null
  for (;;) {
    const mark = marks(at)
    plain.push(text.slice(at, mark?.start ?? text.length))
    if (mark === null) break
    if (mark.kind === 'result') {
      end = mark.start
      break
    }
    const read =
      mark.kind === 'call'
        ? readFunction(text, mark.after, cut)
        : readNeoBlock(text, { at: mark.after, fence: mark.fence, cut, tools })
    calls.push({ ...read.call, id: `text_${calls.length + 1}` })
    if (read.call.flaw !== undefined) break
    const held: Fence | null = mark.kind === 'call' ? (mark.fence ?? open) : null
    const closing: RegExpExecArray | null =
      held === null ? null : match(/\s*(?:`{3,}|~{3,})[ \t]*(?=\r?\n|$)/y, text, read.end)
    open = closing === null ? held : null
    at = read.end + (closing?.[0].length ?? 0)
  }
  return { text: plain.join('').trim(), calls, end }
}

type Mark =
  | { readonly kind: 'call'; readonly start: number; readonly after: number; readonly fence?: Fence }
  | { readonly kind: 'result'; readonly start: number; readonly after: number }
  | { readonly kind: 'neo'; readonly start: number; readonly after: number; readonly fence: Fence }

/** Finds the next mark at or after a place that is the start of a line or the end of a call. */
function markFinder(text: string): (from: number) => Mark | null {
  // An unclosed fence isn't one; a failed search isn't repeated.
  const unclosed = new Map<string, number>()
  const close = (after: number, fence: Fence) => {
    const sign = fence.marks.charAt(0)
    if (fence.marks.length >= (unclosed.get(sign) ?? Number.POSITIVE_INFINITY)) return null
    const closing = closingFence(text, after, { ...fence, indent: 3 })
    if (closing === null) unclosed.set(sign, fence.marks.length)
    return closing
  }
  return (from) => {
    for (let at = from; at < text.length; ) {
      const mark = markAt(text, at)
      if (mark !== null) return mark
      const fence = fenceAt(text, at)
      const held = fence === null ? null : heldCall(text, fence.after)
      if (held !== null && fence !== null) return { kind: 'call', start: at, after: held, fence }
      const closing = fence === null ? null : close(fence.after, fence)
      at = closing?.after ?? nextLine(text, at)
    }
    return null
  }
}

function markAt(text: string, at: number): Mark | null {
  const call = match(FUNCTION, text, at)
  if (call !== null) return { kind: 'call', start: at, after: at + call[0].length }
  if (match(RESULT, text, at) !== null) return { kind: 'result', start: at, after: at }
  const fence = fenceAt(text, at)
  if (fence?.info !== 'neo') return null
  return { kind: 'neo', start: at, after: fence.after, fence }
}

function fenceAt(text: string, at: number): (Fence & { info: string; after: number }) | null {
  const found = match(FENCE, text, at)
  if (found === null) return null
  const [whole, indent = '', marks = '', info = ''] = found
  return { indent: indent.length, marks, info: info.trim(), after: at + whole.length }
}

/**
 * Some models put whole calls into a fence of their own; a fence that begins otherwise only shows something. Gives
 * where the name of such a call begins.
 */
function heldCall(text: string, at: number): number | null {
  const start = skipSpace(text, at)
  const call = match(FUNCTION, text, start)
  return call === null ? null : start + call[0].length
}

function readFunction(text: string, at: number, cut: boolean): Read {
  const found = match(NAME, text, at)
  const name = (found?.[2] ?? '').slice(0, 64)
  const named = at + (found?.[0].length ?? 0)
  const flawed = (flaw: string): Read => ({ call: { kind: 'call', name, input: {}, flaw }, end: text.length })
  const args = match(ARGS, text, named)
  if (cut && args === null && text.slice(named).trim() === '') return flawed(CUT)
  if (!GOOD_NAME.test(name)) return flawed('The function name is missing or invalid')
  if (args === null) {
    const junk = /[^\n]*/y
    const rest = (match(junk, text, named)?.[0] ?? '').trim()
    if (/^\s*\{/.test(text.slice(named, named + 200)) || (rest !== '' && !rest.startsWith('✿')))
      return flawed('Write the arguments as ✿ARGS✿: {…} on the line after the name')
    return { call: { kind: 'call', name, input: {} }, end: afterEnd(text, named) }
  }
  const read = readArgs(text, named + args[0].length, cut)
  if ('flaw' in read) return flawed(read.flaw)
  return { call: { kind: 'call', name, input: read.input }, end: afterEnd(text, read.end) }
}

const CUT = 'The reply was cut off at its limit inside this call; it was not run'
const REST = 'the rest was ignored'

function readArgs(
  text: string,
  from: number,
  cut: boolean,
): { readonly input: JsonObject; readonly end: number } | { readonly flaw: string } {
  const fence = match(/\s*`{3,}[a-z]*[ \t]*\r?\n/y, text, from)
  const start = skipSpace(text, from + (fence?.[0].length ?? 0))
  if (start >= text.length) return cut ? { flaw: CUT } : { input: {}, end: start }
  if (match(END, text, start) !== null || match(FUNCTION, text, start) !== null)
    return { input: {}, end: start }
  if (text[start] !== '{') return { flaw: `The arguments are not a JSON object; ${REST}` }
  const end = objectEnd(text, start)
  if (end === null) return { flaw: cut ? CUT : `The JSON object of the arguments is not closed; ${REST}` }
  const parsed = parseObject(text.slice(start, end))
  if ('flaw' in parsed) return parsed
  const closing = fence === null ? null : match(/\s*`{3,}/y, text, end)
  return { input: parsed.input, end: end + (closing?.[0].length ?? 0) }
}

function parseObject(json: string): { readonly input: JsonObject } | { readonly flaw: string } {
  try {
    return { input: JSON.parse(json) as JsonObject }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { flaw: `The arguments are invalid JSON: ${why}; ${REST}` }
  }
}

/** Where the JSON object that begins at `start` ends; null if it does not. Markers in its strings are text. */
function objectEnd(text: string, start: number): number | null {
  let depth = 0
  let inString = false
  for (let at = start; at < text.length; at++) {
    const sign = text[at]
    if (inString) {
      if (sign === '\\') at++
      else if (sign === '"') inString = false
    } else if (sign === '"') inString = true
    else if (sign === '{' || sign === '[') depth++
    else if (sign === '}' || sign === ']') {
      depth--
      if (depth === 0) return at + 1
    }
  }
  return null
}

function afterEnd(text: string, at: number): number {
  const end = match(END, text, at)
  return at + (end?.[0].length ?? 0)
}

function nextLine(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end + 1
}

function skipSpace(text: string, at: number): number {
  return at + (match(/\s*/y, text, at)?.[0].length ?? 0)
}

function match(sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at
  return sticky.exec(text)
}

/** A call in the form that is written: one that is read back exactly. */
export function callText({ name, input }: Pick<CallPart, 'name' | 'input'>): string {
  return `✿FUNCTION✿: ${name}\n✿ARGS✿: ${escapedJson(input)}\n✿END FUNCTION✿`
}

/** What calls gave, for the user message after them: one JSON object each, in which no marker can stand. */
export function resultsText(results: readonly ResultPart[]): string {
  return results
    .map(({ name, text, isError }) => `✿RESULT✿: ${escapedJson({ name, error: isError, text })}`)
    .join('\n')
}

/** Writes ✿ as `\u273f` wherever it could be taken for a marker; JSON.parse turns it back if the text is JSON. */
export function escapeMarkers(text: string): string {
  return text.replace(/✿(?=[ \t]*(?:END[ \t]+)?[A-Z]+[ \t]*✿)|(?<=[A-Z][ \t]*)✿|(?<=^[ \t]*)✿/gm, '\\u273f')
}

function escapedJson(value: Json): string {
  return JSON.stringify(value).replaceAll('✿', '\\u273f')
}

const HOW = `You can use tools. To call one, write these three lines, each from the start of a line:

✿FUNCTION✿: name of the tool
✿ARGS✿: {"key": "value"}
✿END FUNCTION✿

The arguments are one JSON object: double quotes, \\n for line breaks in strings, no comments. Inside strings write the
sign of the markers as \\u273f. You may write several calls one after the other. Stop after the last call: the results come in the next
message, as lines that begin with \u273fRESULT\u273f:, each with one JSON object. Never write a result yourself. When no tool is
needed, answer in plain text.

Tools:`

/** The tools as part of the system text; the same tools give the same bytes. */
export function describeTools(tools: readonly ToolSpec[]): string {
  const each = tools.map(
    ({ name, description, schema }) =>
      `\n## ${name}\n${escapeMarkers(description)}\nArguments (JSON Schema): ${escapedJson(schema)}`,
  )
  return [HOW, ...each].join('\n')
}
