/**
 * Changes keys of a header or the body of a document, and nothing else of its text, by splicing at the places that
 * `yaml` finds. If a splice doesn't give the result (explicit keys, odd tags), the document model of `yaml` rewrites
 * the header; if that fails, it is written from its data. Invariant 1: lines without patched keys stay the same, byte
 * for byte: comments, order, quoting, line breaks, byte order mark. Invariant 2: the result reads back: patched keys
 * have the given values, all others the old ones. Invariant 3: only `body` changes the body, which is then exactly
 * `body`.
 */

import type { Alias, Node } from 'yaml'
import { NeoError } from '../../domain/home/error.ts'
import { guardYaml, MAX_HEADER_BYTES } from '../header/header-limits.ts'
import { readPlain } from '../header/plain-header.ts'
import { BOM, eolOf, splitHeader } from '../header/read-header.ts'
import { parseYaml, type YamlDocument, yaml, yamlDocument } from '../header/yaml.ts'
import { isMap } from '../../domain/text/is-map.ts'
import { sameData } from '../values/equal.ts'
import { headerText, setInBlock } from './edit-block.ts'
import { setInFlow } from './edit-flow.ts'
import { type KeyEdit, setLine } from './edit-line.ts'
import { flowText, type Json } from './scalar.ts'

export type { Json } from './scalar.ts'

/** undefined removes a key. */
export type Keys = { readonly [key: string]: Json | undefined }

export interface Patch {
  /** Keys of the header. */
  readonly set?: Keys
  /** Keys of the `neo:` block, which is added at the end of the header if it is missing. */
  readonly neo?: Keys
  readonly body?: string
}

/**
 * Applies a patch. Throws NeoError `internal` for a text that readDocument refuses or that is unfinished, and if the
 * header would exceed its size limit: then nothing may be written.
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

/** A new document; `neo`, if given, is the last key and a block. */
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

/** Writes a value out at each `*name` that repeats it; otherwise these would change with it. */
function withoutAliasesTo(source: string, path: readonly string[]): string {
  if (!source.includes('&') || !source.includes('*')) return source
  const { visit, isNode } = yaml()
  const document = yamlDocument(source)
  const target = document.getIn(path, true)
  if (!isNode(target)) return source
  const own = new Set<Node>()
  visit(target, { Node: (_key, node) => void own.add(node) })
  const outside: Alias[] = []
  visit(document, {
    Alias: (_key, alias) => {
      const resolved = alias.resolve(document)
      if (!own.has(alias) && resolved !== undefined && own.has(resolved)) outside.push(alias)
    },
  })
  return outside.reverse().reduce((text, alias) => {
    const [from, to] = alias.range ?? [0, 0]
    const value = alias.resolve(document)?.toJS(document) as Json
    return text.slice(0, from) + flowText(value) + text.slice(to)
  }, source)
}

/** Sets keys of a header and of its `neo:` block; undefined removes. Throws NeoError if the source is not YAML. */
function setKeys(source: string, patch: { set: Keys; neo: Keys; eol: string }): string {
  const { eol } = patch
  const edits: KeyEdit[] = [
    ...Object.entries(patch.set).map(([key, value]) => ({ path: [key], value, eol })),
    ...Object.entries(patch.neo).map(([key, value]) => ({ path: ['neo', key], value, eol })),
  ]
  return setPaths(source, edits)
}

/** The same for keys at the top and one level below it: `[key]`, `[key, key]`. */
export function setPaths(source: string, edits: readonly KeyEdit[]): string {
  if (edits.length === 0) return source
  return byLines(source, edits) ?? edits.reduce(setKey, source)
}

/** All edits by lines, checked once at the end; null if one of them needs the parser. */
function byLines(source: string, edits: readonly KeyEdit[]): string | null {
  const plain = readPlain(source)
  if (plain === null) return null
  let [text, data] = [source, plain]
  for (const one of edits) {
    const edit = withSection(data, one)
    if (sameData(valueAt(data, edit.path), edit.value)) continue
    const next = setLine(text, edit)
    if (next === null) return null
    text = next
    data = withValue(data, edit)
  }
  return says(text, data) ? text : null
}

/** With its last key, a section goes too: one without keys looks unfinished. */
function withSection(data: Record<string, unknown>, edit: KeyEdit): KeyEdit {
  const [first = '', second] = edit.path
  const section = data[first]
  if (edit.value !== undefined || second === undefined || first === 'neo' || !isMap(section)) return edit
  return Object.keys(section).join() === second ? { ...edit, path: [first] } : edit
}

/** The source's data; throws NeoError if it is not a map in YAML. */
function parseOrThrow(source: string): Record<string, unknown> {
  const flaw = guardYaml(source, MAX_HEADER_BYTES)
  const parsed = flaw === null ? parseYaml(source) : { flaws: [flaw] }
  if ('data' in parsed) return parsed.data
  throw new NeoError('internal', `Cannot edit the header: ${parsed.flaws[0]?.message ?? 'it is not YAML'}`)
}

function setKey(source: string, given: KeyEdit): string {
  const data = parseOrThrow(source)
  const edit = withSection(data, given)
  const wanted = withValue(data, edit)
  const present = valueAt(data, edit.path)
  if (sameData(present, edit.value)) return source
  const spliced = splice(withoutAliasesTo(source, edit.path), edit)
  if (spliced !== null && says(spliced, wanted)) return spliced
  const rewritten = rewrite(source, edit)
  if (rewritten !== null && says(rewritten, wanted)) return rewritten
  const fresh = headerText(wanted as Record<string, Json>, edit.eol)
  if (says(fresh, wanted)) return fresh
  throw new NeoError(
    'internal',
    `Cannot set ${edit.path.join('.')}: the header would not say what was asked for`,
  )
}

/** The edit as a splice; null if there is no splice for it. */
function splice(source: string, edit: KeyEdit): string | null {
  const { isMap } = yaml()
  const root = yamlDocument(source).contents
  const [first, second] = edit.path
  if (first === undefined || (root !== null && !isMap(root))) return null
  if (root?.flow) return setInFlow(source, root, edit)
  if (second === undefined) return setInBlock(source, { map: root, indent: '' }, { ...edit, key: first })
  const block = root?.get(first, true)
  if (isMap(block) && block.items.length > 0)
    return block.flow
      ? setInFlow(source, block, { ...edit, path: [second] })
      : setInBlock(source, { map: block, indent: null }, { ...edit, key: second })
  if (edit.value === undefined) return source
  return setInBlock(
    source,
    { map: root, indent: '' },
    { ...edit, key: first, value: { [second]: edit.value } },
  )
}

/** The edit through the document model, which keeps comments and order but not each blank; null if it refuses. */
function rewrite(source: string, { path, value, eol }: KeyEdit): string | null {
  const document: YamlDocument = yamlDocument(source.replaceAll('\r\n', '\n'))
  try {
    if (value === undefined) document.deleteIn(path)
    else document.setIn(path, document.createNode(value))
    return document.toString({ lineWidth: 0, flowCollectionPadding: false }).replaceAll('\n', eol)
  } catch {
    return null
  }
}

function says(source: string, wanted: Record<string, unknown>): boolean {
  const parsed = guardYaml(source, Number.MAX_SAFE_INTEGER) === null ? parseYaml(source) : null
  return parsed !== null && 'data' in parsed && sameData(filled(parsed.data), filled(wanted))
}

/** Treats an empty `neo:` block as absent. */
function filled(data: Record<string, unknown>): Record<string, unknown> {
  const { neo, ...rest } = data
  const isEmpty =
    neo === null || neo === undefined || (typeof neo === 'object' && Object.keys(neo).length === 0)
  return isEmpty ? rest : { ...rest, neo }
}

function withValue(data: Record<string, unknown>, { path, value }: KeyEdit): Record<string, unknown> {
  const [first = '', second] = path
  if (second !== undefined) {
    const block = data[first]
    const inner = withValue(isMap(block) ? block : {}, { path: [second], value, eol: '' })
    return withValue(data, { path: [first], value: inner as Json, eol: '' })
  }
  const rest = Object.fromEntries(Object.entries(data).filter(([key]) => key !== first))
  return value === undefined ? rest : Object.fromEntries([...Object.entries(rest), [first, value]])
}

function valueAt(data: Record<string, unknown>, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (isMap(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    data,
  )
}
