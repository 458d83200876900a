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
  const normal = normalText(pattern)
  if (typeof normal !== 'string') return false
  const tokens = tokensOf(normal)
  const types = type === '*' ? TYPES : [type]
  return types.some((one) => coversAs(one, tokens, ref))
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

const TYPES: readonly ContextType[] = ['repository', 'folder', 'file', 'issue']

function coversAs(type: ContextType, tokens: readonly Token[], ref: ContextRef): boolean {
  const { identifier } = ref
  switch (type) {
    case 'repository':
      return matches(tokens, repositoryOf(identifier))
    case 'folder':
      return (ref.type === 'folder' || ref.type === 'file') && matches(tokens, identifier, 'or above')
    case 'file':
    case 'issue':
      return ref.type === type && matches(tokens, identifier)
  }
}

/** `or above`: a folder that contains it may match as well, up to its repository. */
function matches(tokens: readonly Token[], text: string, reach: 'whole' | 'or above' = 'whole'): boolean {
  let states = closed(tokens, new Set([0]))
  let names = 1
  for (const char of text) {
    if (char === '/' && reach === 'or above' && names >= 2 && states.has(tokens.length)) return true
    if (char === '/') names++
    const next = new Set<number>()
    for (const at of states) for (const to of stepsOn(tokens[at], { char, at })) next.add(to)
    if (next.size === 0) return false
    states = closed(tokens, next)
  }
  return states.has(tokens.length)
}

/** The states after one character. */
function stepsOn(token: Token | undefined, { char, at }: { char: string; at: number }): readonly number[] {
  switch (token) {
    case undefined:
    case OPTIONAL:
      return []
    case NAME:
      return char === '/' ? [] : [at]
    case ANY:
      return [at]
    case NAMES:
      return char === '/' ? [at, at + 1] : [at]
    default:
      return token === char ? [at + 1] : []
  }
}

/** With the states that are reached without a character. */
function closed(tokens: readonly Token[], states: Set<number>): ReadonlySet<number> {
  for (const at of states) {
    const token = tokens[at]
    if (token === NAME || token === ANY || token === OPTIONAL) states.add(at + 1)
    if (token === OPTIONAL) states.add(at + 2)
  }
  return states
}

function tokensOf(pattern: string): readonly Token[] {
  const parts = pattern.match(/(?:(?<=^|\/)\*{2,}\/)|\*+|[^*]/gsu) ?? []
  return parts.flatMap((part): readonly Token[] => {
    if (!part.startsWith('*')) return [part]
    if (part.endsWith('/')) return [OPTIONAL, NAMES]
    return [part === '*' ? NAME : ANY]
  })
}
