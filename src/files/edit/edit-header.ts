/**
 * The surgical writer: changes keys of a header or the body of a document, and nothing else of its text. Invariant 1:
 * lines that hold none of the patched keys stay as they are, byte for byte: comments, order, quoting, line breaks, byte
 * order mark. Invariant 2: what is written reads back: the patched keys have the given values, all others the old ones.
 * Invariant 3: the body is never touched but by `body`, and then it is exactly `body`.
 */
import { NeoError } from '../../domain/home/error.ts'
import { headerText, parseOrThrow, setKeys } from './edit-yaml.ts'
import { BOM, eolOf, splitHeader } from '../header/fence.ts'
import { MAX_HEADER_BYTES } from '../header/header-limits.ts'
import type { Json } from './scalar.ts'

export type { Json } from './scalar.ts'

/** undefined removes a key. */
export type Keys = { readonly [key: string]: Json | undefined }

export interface Patch {
  /** Keys of the header. */
  readonly set?: Keys
  /** Keys of the `neo:` block, which is made at the header's end if there is none. */
  readonly neo?: Keys
  readonly body?: string
}

/**
 * Applies a patch. Throws NeoError `internal` for a text that readDocument refuses or that is unfinished, and where
 * the header would pass its size limit: then nothing may be written.
 */
export function editDocument(text: string, patch: Patch): string {
  const split = splitHeader(text)
  if (split.kind === 'open' || split.kind === 'refused')
    throw new NeoError('internal', 'Cannot edit the document: the header has no closing --- line')
  const eol = eolOf(text)
  const source = split.kind === 'header' ? text.slice(split.from, split.to) : ''
  const edited = withLimit(setKeys(source, { set: patch.set ?? {}, neo: patch.neo ?? {}, eol }))
  const body = patch.body ?? text.slice(split.bodyFrom)
  if (split.kind === 'header') {
    const close = text.slice(split.to, split.bodyFrom)
    const fence = body === '' || close.endsWith('\n') ? close : close + eol
    return text.slice(0, split.from) + edited + fence + body
  }
  const bom = text.startsWith(BOM) ? BOM : ''
  return edited === '' && !body.startsWith('---') ? bom + body : `${bom}---${eol}${edited}---${eol}${body}`
}

/** A new document of Neo; `neo`, where given, is the last key and a block. */
export function renderDocument(data: { readonly [key: string]: Json }, body: string): string {
  const header = withLimit(headerText(data, '\n'))
  parseOrThrow(header)
  return header === '' && !body.startsWith('---') ? body : `---\n${header}---\n${body}`
}

function withLimit(header: string): string {
  if (Buffer.byteLength(header) <= MAX_HEADER_BYTES) return header
  throw new NeoError(
    'internal',
    `Cannot write the header: it has ${Buffer.byteLength(header)} bytes; the limit is ${MAX_HEADER_BYTES}`,
  )
}
