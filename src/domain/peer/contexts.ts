/**
 * References to parts of the shared work. Invariants: 1. a part has one spelling, and any other is refused, not mended;
 * 2. the repository is the first two names of an identifier, so that nobody can shift its border.
 */
import { CONTEXT_TYPES, type ContextRef, type ContextType, type OwnContext } from './peer.ts'

const MOST_CHARACTERS = 512
const ISSUE = /^([^/#]+\/[^/#]+)#([1-9]\d{0,9})$/
const REPOSITORY_NAMES = 2

/** In Unicode NFC and in upper and lower case as given; or what is wrong, as in `the context contains an empty name`. */
export function normalContext(ref: {
  readonly type: string
  readonly identifier: string
}): ContextRef | { readonly wrong: string } {
  const type = CONTEXT_TYPES.find((one) => one === ref.type)
  if (type === undefined) return { wrong: `has an unknown type; types are ${CONTEXT_TYPES.join(', ')}` }
  const identifier = normalText(ref.identifier)
  if (typeof identifier !== 'string') return identifier
  const wrong = wrongForm(type, identifier)
  return wrong === null ? { type, identifier } : { wrong }
}

/** NFC of an identifier or pattern in which no part can mean another place; or what is wrong. */
export function normalText(given: string): string | { readonly wrong: string } {
  if (given.length > MOST_CHARACTERS) return { wrong: TOO_LONG }
  const text = given.normalize('NFC')
  if (text.length > MOST_CHARACTERS) return { wrong: TOO_LONG }
  if (/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(text)) return { wrong: 'contains a control character' }
  if (text.includes('\\')) return { wrong: 'contains a backslash; separate names with /' }
  if (/%[0-9a-f]{2}/i.test(text)) return { wrong: 'contains a percent-encoded character; write it plainly' }
  if (text.startsWith('/') || /^[a-z]:/i.test(text)) return { wrong: 'is an absolute path' }
  const names = text.split('/')
  if (names.some((name) => name.trim() === '')) return { wrong: 'contains an empty name' }
  if (names.some((name) => name === '.' || name === '..')) return { wrong: 'contains . or .. as a name' }
  return text
}

const TOO_LONG = `is longer than ${MOST_CHARACTERS} characters`

function wrongForm(type: ContextType, identifier: string): string | null {
  const names = identifier.split('/').length
  switch (type) {
    case 'repository':
      if (names === REPOSITORY_NAMES && !identifier.includes('#')) return null
      return 'is not a repository such as acme/webapp'
    case 'issue':
      return ISSUE.test(identifier) ? null : 'is not an issue such as acme/webapp#12'
    case 'folder':
    case 'file':
      if (names > REPOSITORY_NAMES && !repositoryOf(identifier).includes('#')) return null
      return `is not a ${type} such as acme/webapp/src; a ${type} is its repository and a path`
  }
}

/** Of a normal identifier of any type. */
export function repositoryOf(identifier: string): string {
  const issue = ISSUE.exec(identifier)?.[1]
  return issue ?? identifier.split('/').slice(0, REPOSITORY_NAMES).join('/')
}

/** Both normal. A repository covers its folders, files and issues; a folder covers what is below it. */
export function covers(outer: ContextRef, inner: ContextRef): boolean {
  switch (outer.type) {
    case 'repository':
      return inner.type === 'repository' || inner.type === 'issue'
        ? repositoryOf(inner.identifier) === outer.identifier
        : inner.identifier.startsWith(`${outer.identifier}/`)
    case 'folder':
      if (inner.type !== 'folder' && inner.type !== 'file') return false
      return inner.identifier === outer.identifier || inner.identifier.startsWith(`${outer.identifier}/`)
    case 'file':
    case 'issue':
      return inner.type === outer.type && inner.identifier === outer.identifier
  }
}

/** The context of this home that covers the reference, the longest if several do; null if it is not mapped to a room. */
export function roomOf(contexts: readonly OwnContext[], ref: ContextRef): OwnContext | null {
  return contexts
    .filter((one) => covers(one, ref))
    .reduce<OwnContext | null>(
      (best, one) => (best === null || one.identifier.length > best.identifier.length ? one : best),
      null,
    )
}
