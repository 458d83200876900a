/**
 * Patterns of access rules over context identifiers: `*` is any text without `/`, `**` any text, and a name `**` is any
 * number of names, also none. All other characters mean themselves. Invariant 1: a match takes at most the length of
 * the pattern times that of the identifier; no pattern is tried twice.
 */
import { normalText, repositoryOf } from './contexts.ts'
import type { ContextRef, ContextType } from './peer.ts'

/** A character, or what takes the place of several. `**` as a name is two tokens: OPTIONAL and NAMES. */
type Token = string | typeof NAME | typeof ANY | typeof OPTIONAL | typeof NAMES
const NAME = 0
const ANY = 1
/** The token after it may be left out. */
const OPTIONAL = 2
/** One or more names, each with its slash. */
const NAMES = 3

/** True if a rule for this type and pattern counts for the reference, which must be normal. */
export function patternCovers(type: ContextType | '*', pattern: string, ref: ContextRef): boolean {
  const compiled = compiledOf(pattern)
  if (compiled === null) return false
  const { identifier } = ref
  const isPath = ref.type === 'folder' || ref.type === 'file'
  switch (type) {
    case '*':
      if (isPath) return matches(compiled, identifier, 'or above')
      return matches(compiled, repositoryOf(identifier)) || matches(compiled, identifier)
    case 'repository':
      return matches(compiled, repositoryOf(identifier))
    case 'folder':
      return isPath && matches(compiled, identifier, 'or above')
    case 'file':
    case 'issue':
      return ref.type === type && matches(compiled, identifier)
  }
}

/** Why no context of the type can match; null if one can. */
export function wrongPattern(type: ContextType | '*', pattern: string): string | null {
  const normal = normalText(pattern)
  if (typeof normal !== 'string') return normal.wrong
  const odd = /[?[\]{}]|^!/.exec(normal)?.[0]
  if (odd !== undefined) return `contains ${odd}; only * and ** have a meaning`
  const names = normal.split('/')
  const [least, most, example] = FORMS[type]
  if (names.length > most || (names.length < least && !names.includes('**')))
    return `matches no ${type === '*' ? 'context' : type}; use such as ${example}`
  return null
}

/** How many names the pattern of a type has. */
const FORMS: Readonly<Record<ContextType | '*', readonly [least: number, most: number, example: string]>> = {
  repository: [2, 2, 'acme/webapp or acme/*'],
  folder: [2, Number.POSITIVE_INFINITY, 'acme/webapp/src'],
  file: [3, Number.POSITIVE_INFINITY, 'acme/webapp/src/*.ts'],
  issue: [2, 2, 'acme/webapp#*'],
  '*': [2, Number.POSITIVE_INFINITY, 'acme/webapp or acme/*'],
}

interface Compiled {
  /** All before the first `*`. */
  readonly literal: string
  readonly tokens: readonly Token[]
}

/** A decision about each file of an answer asks for the same patterns. */
const known = new Map<string, Compiled | null>()
const MOST_KNOWN = 1_000

/** Null: a pattern that can match nothing. */
function compiledOf(pattern: string): Compiled | null {
  const found = known.get(pattern)
  if (found !== undefined) return found
  const normal = normalText(pattern)
  const made = typeof normal === 'string' ? compile(normal) : null
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(pattern, made)
  return made
}

function compile(pattern: string): Compiled {
  const parts = pattern.match(/(?:(?<=^|\/)\*{2,}\/)|\*+|[^*]/gsu) ?? []
  const tokens = parts.flatMap((part): readonly Token[] => {
    if (!part.startsWith('*')) return [part]
    if (part.endsWith('/')) return [OPTIONAL, NAMES]
    return [part === '*' ? NAME : ANY]
  })
  const first = tokens.findIndex((token) => typeof token !== 'string')
  const length = first === -1 ? tokens.length : first
  return { literal: tokens.slice(0, length).join(''), tokens: tokens.slice(length) }
}

/** `or above`: a folder that contains it may match as well, up to its repository. */
function matches(
  { literal, tokens }: Compiled,
  text: string,
  reach: 'whole' | 'or above' = 'whole',
): boolean {
  if (!text.startsWith(literal)) return false
  const end = tokens.length
  let names = literal.split('/').length
  let states: readonly number[] = withSkipped(tokens, [], 0)
  for (const char of text.slice(literal.length)) {
    if (char === '/' && reach === 'or above' && names >= 2 && states.at(-1) === end) return true
    if (char === '/') names++
    states = stepped(tokens, states, char)
    if (states.length === 0) return false
  }
  return states.at(-1) === end
}

/** The states after one character, ascending: `n` is before the n-th token, which is still to be matched. */
function stepped(tokens: readonly Token[], states: readonly number[], char: string): readonly number[] {
  const next: number[] = []
  for (const at of states) {
    const token = tokens[at]
    if (token === ANY || token === NAMES || (token === NAME && char !== '/')) withSkipped(tokens, next, at)
    if (token === char || (token === NAMES && char === '/')) withSkipped(tokens, next, at + 1)
  }
  return next
}

/** Adds a state, and those after it that need no character. If it is there, they are, too. */
function withSkipped(tokens: readonly Token[], states: number[], from: number): readonly number[] {
  if (from <= (states.at(-1) ?? -1)) return states
  for (let at = from, last = from; at <= last; at++) {
    const token = tokens[at]
    states.push(at)
    if (token === NAME || token === ANY) last = Math.max(last, at + 1)
    if (token === OPTIONAL) last = Math.max(last, at + 2)
  }
  return states
}
