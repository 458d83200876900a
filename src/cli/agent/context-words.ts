/** Contexts as people type them: `repository:acme/webapp`, or `acme/webapp` alone. */
import { normalContext } from '../../domain/peer/contexts.ts'
import { CONTEXT_TYPES, type ContextRef, type ContextType } from '../../domain/peer/peer.ts'
import { usage } from '../cli-failure.ts'
import type { Call } from '../spec.ts'

const TYPED = new RegExp(`^(${CONTEXT_TYPES.join('|')}):(.*)$`, 's')

/** Throws NeoError `usage`. */
export function contextOf(typed: string): ContextRef {
  const [, type, identifier] = TYPED.exec(typed) ?? []
  const given =
    type !== undefined && identifier !== undefined
      ? { type, identifier }
      : { type: typeOf(typed), identifier: typed.replace(/\/$/, '') }
  const ref = normalContext(given)
  if (!('wrong' in ref)) return ref
  throw usage(
    `Invalid context "${typed}": it ${ref.wrong}`,
    'use such as repository:acme/webapp, file:acme/webapp/src/login.ts or issue:acme/webapp#12',
  )
}

/** A path that ends in `/` is a folder, another one a file. */
function typeOf(typed: string): ContextType {
  if (/^[^/]+\/[^/]+#\d+$/.test(typed)) return 'issue'
  if (typed.endsWith('/')) return 'folder'
  return typed.split('/').length > 2 ? 'file' : 'repository'
}

/** The values of `--context`, at least one. */
export function contextsOf(call: Call, example: string): ContextRef[] {
  const refs = call.all('context').map(contextOf)
  if (refs.length > 0) return refs
  throw usage('Missing --context: say which part of the shared work it is about', example)
}

export function contextText({
  type,
  identifier,
}: {
  readonly type: string
  readonly identifier: string
}): string {
  return `${type}:${identifier}`
}
