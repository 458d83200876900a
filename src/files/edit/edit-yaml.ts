/**
 * Setting keys in YAML source by splicing its text at the places that `yaml` finds. Where a splice does not say what was
 * asked for (explicit keys, odd tags), the document model of `yaml` writes the header again; if that refuses, it is
 * written from its data.
 */
import type { Alias, Node } from 'yaml'
import { sameData } from '../values/equal.ts'
import { NeoError } from '../../domain/home/error.ts'
import { setInBlock } from './edit-block.ts'
import { setInFlow } from './edit-flow.ts'
import { yaml } from '../header/engines.ts'
import { type KeyEdit, setLine } from './edit-line.ts'
import { guardYaml, MAX_HEADER_BYTES } from '../header/header-limits.ts'
import { readPlain } from '../header/plain-header.ts'
import { flowText, inlineText, type Json, keyText } from './scalar.ts'
import { parseYaml, type YamlDocument, yamlDocument } from '../header/yaml.ts'

/** A value that others repeat by `*name` is written out there before it changes: else they would change too. */
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

export interface Keys {
  readonly [key: string]: Json | undefined
}

/** Sets keys of a header and of its `neo:` block; undefined removes. Throws NeoError if the source is not YAML. */
export function setKeys(source: string, patch: { set: Keys; neo: Keys; eol: string }): string {
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

/** All edits by the short way, checked once at the end; null if one of them needs the long way. */
function byLines(source: string, edits: readonly KeyEdit[]): string | null {
  const plain = readPlain(source)
  if (plain === null) return null
  let [text, data] = [source, plain]
  for (const edit of edits) {
    if (sameData(valueAt(data, edit.path), edit.value)) continue
    const next = setLine(text, edit)
    if (next === null) return null
    text = next
    data = withValue(data, edit)
  }
  return says(text, data) ? text : null
}

/** The source's data; throws NeoError if it is not a map in YAML. */
export function parseOrThrow(source: string): Record<string, unknown> {
  const flaw = guardYaml(source, MAX_HEADER_BYTES)
  const parsed = flaw === null ? parseYaml(source) : { flaws: [flaw] }
  if ('data' in parsed) return parsed.data
  throw new NeoError('internal', `Cannot edit the header: ${parsed.flaws[0]?.message ?? 'it is not YAML'}`)
}

function setKey(source: string, edit: KeyEdit): string {
  const data = parseOrThrow(source)
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

/** A header written from its data: one line a key, and the `neo:` block last. */
export function headerText(data: { readonly [key: string]: Json }, eol: string): string {
  const { neo, ...rest } = data
  const lines = Object.entries(rest).map(([key, value]) => `${keyText(key)}: ${inlineText(value)}${eol}`)
  if (neo === undefined) return lines.join('')
  if (neo === null || typeof neo !== 'object' || Array.isArray(neo) || Object.keys(neo).length === 0)
    return `${lines.join('')}neo: ${inlineText(neo)}${eol}`
  const inner = Object.entries(neo).map(([key, value]) => `  ${keyText(key)}: ${inlineText(value)}${eol}`)
  return `${lines.join('')}neo:${eol}${inner.join('')}`
}

/** The edit by text; null if this file knows no splice for it. */
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

/** The edit through the document model, which keeps comments and order, not every blank; null if it refuses. */
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

/** An empty `neo:` block is none. */
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
    const inner = block !== null && typeof block === 'object' && !Array.isArray(block) ? block : {}
    return withValue(data, {
      path: [first],
      value: withValue({ ...inner }, { path: [second], value, eol: '' }) as Json,
      eol: '',
    })
  }
  const rest = Object.fromEntries(Object.entries(data).filter(([key]) => key !== first))
  return value === undefined ? rest : Object.fromEntries([...Object.entries(rest), [first, value]])
}

function valueAt(data: Record<string, unknown>, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      value !== null && typeof value === 'object' && Object.hasOwn(value, key)
        ? (value as Record<string, unknown>)[key]
        : undefined,
    data,
  )
}
