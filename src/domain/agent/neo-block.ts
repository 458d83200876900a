/**
 * Fenced blocks that open with `neo`: `ACTION: name`, then `key: value` lines, values bare, quoted, in brackets, or
 * YAML block scalars. Why not a YAML library: core imports nothing, and half of YAML would be guesses. Invariant 1: a
 * block without its closing fence, or with one line that is not understood, is a flaw as a whole.
 */
import type { CallPart, Json, JsonObject, ToolSpec } from './model-message.ts'

export interface Fence {
  /** Spaces before it; its closing fence may have as many. */
  readonly indent: number
  /** The backticks or tildes. */
  readonly marks: string
}

interface Block {
  /** Where the content begins. */
  readonly at: number
  readonly fence: Fence
  readonly cut: boolean
  readonly tools: readonly ToolSpec[]
}

type Given = { readonly value: Json; readonly next: number } | { readonly flaw: string }

const KEY = /^([A-Za-z_][\w-]*)[ \t]*:(?:[ \t]+(.*))?$/
const SCALAR = /^([|>])([+-]?)$/

/** Reads the block; `end` is after its closing fence. */
export function readNeoBlock(
  text: string,
  { at, fence, cut, tools }: Block,
): { readonly call: Omit<CallPart, 'id'>; readonly end: number } {
  const closing = closingFence(text, at, fence)
  const content = text.slice(at, closing?.start ?? text.length)
  const lines = content
    .replace(/\r?\n$/, '')
    .replace(/\r$/gm, '')
    .split('\n')
  const first = lines.findIndex((line) => line.trim() !== '')
  const action = /^([ \t]*)ACTION[ \t]*[:：][ \t]*(.*)$/.exec(lines[first] ?? '')
  const name = unquoted(action?.[2]?.trim() ?? '').slice(0, 64)
  const end = closing?.after ?? text.length
  const flawed = (flaw: string) => ({ call: { kind: 'call' as const, name, input: {}, flaw }, end })
  if (closing === null)
    return flawed(cut ? 'The reply was cut off inside this block; it was not run' : 'The block is not closed')
  if (action === null) return flawed('The first line of the block is not "ACTION: name"')
  if (!/^[\w.:-]{1,64}$/.test(name)) return flawed(`"${name}" is not the name of an action`)
  const types = tools.find((tool) => tool.name === name)?.schema['properties'] ?? null
  const read = readKeys(lines, { from: first + 1, indent: action[1]?.length ?? 0, types })
  if ('flaw' in read) return flawed(read.flaw)
  return { call: { kind: 'call', name, input: read.input }, end }
}

/** The line that closes a fence: at most as far in, at least as many marks, nothing else on it. */
export function closingFence(
  text: string,
  from: number,
  fence: Fence,
): { readonly start: number; readonly after: number } | null {
  const sign = fence.marks.charAt(0)
  const line = new RegExp(`^ {0,${fence.indent}}\\${sign}{${fence.marks.length},}[ \\t]*\\r?$`, 'gm')
  line.lastIndex = from
  const found = line.exec(text)
  if (found === null) return null
  return { start: found.index, after: Math.min(text.length, found.index + found[0].length + 1) }
}

function readKeys(
  lines: readonly string[],
  { from, indent, types }: { readonly from: number; readonly indent: number; readonly types: Json },
): { readonly input: JsonObject } | { readonly flaw: string } {
  const values = new Map<string, Json>()
  for (let at = from; at < lines.length; ) {
    const line = lines[at] ?? ''
    if (line.trim() === '') {
      at++
      continue
    }
    const found = depth(line) <= indent ? KEY.exec(line.trim()) : null
    const key = found?.[1]
    if (key === undefined) return { flaw: `The line "${line.trim().slice(0, 80)}" is not "key: value"` }
    if (values.has(key)) return { flaw: `duplicate key "${key}"` }
    const given = readValue((found?.[2] ?? '').trim(), {
      lines,
      at: at + 1,
      indent,
      type: typeOf(types, key),
    })
    if ('flaw' in given) return { flaw: `${key}: ${given.flaw}` }
    values.set(key, given.value)
    at = given.next
  }
  return { input: Object.fromEntries(values) }
}

interface Place {
  readonly lines: readonly string[]
  /** The line after the key. */
  readonly at: number
  readonly indent: number
  readonly type: string
}

function readValue(text: string, place: Place): Given {
  const scalar = SCALAR.exec(text)
  if (scalar !== null) return blockScalar(scalar, place)
  if (text === '') return listBelow(place)
  if (text.startsWith('"') || text.startsWith('{')) return json(text, place.at)
  if (/^\[.*\]$/.test(text)) return flowList(text, place.at)
  if (text.startsWith("'")) return singleQuoted(text, place.at)
  return { value: bare(text, place.type), next: place.at }
}

function blockScalar([, style, chomp]: RegExpExecArray, { lines, at, indent }: Place): Given {
  let next = at
  while (next < lines.length && ((lines[next] ?? '').trim() === '' || depth(lines[next] ?? '') > indent))
    next++
  const body = lines.slice(at, next)
  const inner = depth(body.find((line) => line.trim() !== '') ?? '')
  const own = body.map((line) => line.slice(Math.min(inner, depth(line))))
  const text = style === '|' ? own.join('\n') : folded(own)
  const trimmed = text.replace(/\n+$/, '')
  if (trimmed === '') return { value: '', next }
  return { value: chomp === '-' ? trimmed : chomp === '+' ? `${text}\n` : `${trimmed}\n`, next }
}

/** Lines become one, empty lines become line breaks. */
function folded(lines: readonly string[]): string {
  return lines
    .join('\n')
    .replace(/([^\n])\n(?=[^\n])/g, '$1 ')
    .replace(/\n\n/g, '\n')
}

/** `- item` lines; an empty text without any. */
function listBelow({ lines, at, type }: Place): Given {
  const items: Json[] = []
  let next = at
  for (; next < lines.length; next++) {
    const item = /^[ \t]*-(?:[ \t]+(.*))?$/.exec(lines[next] ?? '')
    if (item === null) break
    const given = readItem((item[1] ?? '').trim())
    if ('flaw' in given) return given
    items.push(given.value)
  }
  if (items.length > 0) return { value: items, next }
  return { value: type === 'array' ? [] : '', next: at }
}

function readItem(text: string): Given {
  if (/^["{[]/.test(text)) return json(text, 0)
  return text.startsWith("'") ? singleQuoted(text, 0) : { value: text, next: 0 }
}

function json(text: string, next: number): Given {
  try {
    return { value: JSON.parse(text) as Json, next }
  } catch {
    return {
      flaw: `${text.slice(0, 80)} is not closed or is invalid JSON; use a block scalar (|) for long texts`,
    }
  }
}

/** `[a, "b c", 'd']`; as JSON if it is JSON. */
function flowList(text: string, next: number): Given {
  const whole = json(text, next)
  if (!('flaw' in whole)) return whole
  const items =
    text.slice(1, -1).match(/\s*(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,"'][^,]*)\s*(?:,|$)/g) ?? []
  if (items.join('').length !== text.length - 2) return whole
  const values = items.map((item) => readItem(item.replace(/,$/, '').trim()))
  const flawed = values.find((value) => 'flaw' in value)
  return flawed ?? { value: values.flatMap((one) => ('flaw' in one ? [] : [one.value])), next }
}

function singleQuoted(text: string, next: number): Given {
  const inner = /^'((?:[^']|'')*)'$/.exec(text)?.[1]
  return inner === undefined
    ? { flaw: `${text.slice(0, 80)} is not closed` }
    : { value: inner.replaceAll("''", "'"), next }
}

/** A bare value is a text, except if the tool wants a number or a truth value. */
function bare(text: string, type: string): Json {
  if (type === 'boolean' && /^(?:true|false)$/.test(text)) return text === 'true'
  if (/^(?:number|integer)$/.test(type) && /^-?\d+(?:\.\d+)?$/.test(text)) return Number(text)
  return text
}

function typeOf(types: Json, key: string): string {
  if (types === null || typeof types !== 'object' || Array.isArray(types)) return ''
  const one = Object.hasOwn(types, key) ? (types as JsonObject)[key] : null
  if (one === null || typeof one !== 'object' || Array.isArray(one)) return ''
  const type = (one as JsonObject)['type']
  return typeof type === 'string' ? type : ''
}

function unquoted(text: string): string {
  return text.replace(/^(["'`])(.*)\1$/, '$2')
}

function depth(line: string): number {
  return /^[ \t]*/.exec(line)?.[0].length ?? 0
}
