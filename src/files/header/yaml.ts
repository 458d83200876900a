/**
 * YAML 1.2, core schema, so that dates and `no` stay strings; no merge keys. `yaml` and gray-matter are loaded when
 * the first header needs them: loading one takes half as long as starting `node`, and plain headers need neither.
 * Invariant 1: each engine except YAML refuses, because gray-matter runs JavaScript headers.
 */

import type GrayMatter from 'gray-matter'
import type * as Yaml from 'yaml'
import type { Document, ParsedNode } from 'yaml'
import { aliasFlaw, MAX_ALIASES } from './header-limits.ts'
import { readPlain } from './plain-header.ts'
import type { Flaw } from './read-header.ts'
import { flawsOf } from './yaml-flaws.ts'

type YamlModule = typeof Yaml
type MatterFunction = typeof GrayMatter

let yamlModule: YamlModule | null = null
let matterFunction: MatterFunction | null = null

export function yaml(): YamlModule {
  yamlModule ??= load('yaml') as YamlModule
  return yamlModule
}

function refuseLanguage(): never {
  throw new Error('Header language is not allowed: use a plain --- line')
}

function load(name: string): unknown {
  return process.getBuiltinModule('module').createRequire(import.meta.url)(name)
}

export type Path = readonly (string | number)[]
export type YamlData = { readonly data: Record<string, unknown> } | { readonly flaws: readonly Flaw[] }
export type YamlDocument = Document.Parsed<ParsedNode>

/** Reads a map; offsets of flaws are within `source`. Fresh data at every call. */
export function parseYaml(source: string): YamlData {
  const plain = readPlain(source)
  return plain === null ? parseByYaml(source) : { data: plain }
}

/**
 * A header that is not plain: gray-matter picks the engine, `yaml` parses. The engine reads `source`, the bytes between
 * the fences of `head`: gray-matter cuts the last line break, which changes block texts, and gives no offsets, which
 * edits and messages need.
 */
export function byMatter(head: string, source: string): YamlData {
  let read: YamlData = { data: {} }
  const parse = () => {
    read = parseByYaml(source)
    return 'data' in read ? read.data : {}
  }
  const refuse = { parse: refuseLanguage }
  const engines = { yaml: { parse }, javascript: refuse, js: refuse, json: refuse, coffee: refuse }
  matterFunction ??= load('gray-matter') as MatterFunction
  // With options: without them, it caches by content and returns shared data.
  matterFunction(head, { engines })
  return read
}

/** Reads a map without the fast path. */
function parseByYaml(source: string): YamlData {
  const document = yamlDocument(source)
  if (document.errors.length > 0) return { flaws: flawsOf(source, document.errors) }
  const flaw = wrongAlias(document)
  const value = flaw === null ? toData(document) : { flaw }
  if ('flaw' in value) return { flaws: [value.flaw] }
  const { data } = value
  if (data === null || data === undefined) return { data: {} }
  if (typeof data !== 'object' || Array.isArray(data)) return { flaws: [noMap(data)] }
  return { data: data as Record<string, unknown> }
}

/** The parsed document with source ranges, for edits and places. */
export function yamlDocument(source: string): YamlDocument {
  return yaml().parseDocument(source, {
    version: '1.2',
    schema: 'core',
    logLevel: 'silent',
    prettyErrors: false,
  })
}

interface Place {
  /** Offset of the last key of a path; without one, that of the key above. */
  readonly key: number | null
  /** Offset of the value; without one, that of its key. */
  readonly offset: number | null
  /** The value as it is written; null if it isn't a scalar. */
  readonly source: string | null
}

/** The document that `locate` read last: a file can have a thousand problems, and parsing it takes some 30 ms. */
let located: { readonly source: string; readonly document: YamlDocument } | null = null

export function locate(source: string, path: Path): Place {
  const { isAlias, isCollection, isMap, isNode, isScalar } = yaml()
  if (located?.source !== source) located = { source, document: yamlDocument(source) }
  const { document } = located
  const meant = (node: unknown) => (isAlias(node) ? node.resolve(document) : node)
  let node: unknown = document.contents
  let key: number | null = null
  for (const step of path) {
    const within = meant(node)
    if (!isCollection(within)) break
    const pair = isMap(within) ? within.items.find((item) => keyOf(item) === String(step)) : undefined
    if (isNode(pair?.key) && pair.key.range) key = pair.key.range[0]
    node = pair === undefined ? within.get(step, true) : pair.value
  }
  const [from = 0, to = 0] = (isNode(node) && node.range) || []
  const offset = to > from ? from : key
  const value = meant(node)
  return { key, offset, source: isScalar(value) ? (value.source ?? null) : null }
}

/** The text of a pair's key; null for a key that is a list or map. */
export function keyOf(pair: { readonly key: unknown }): string | null {
  const { key } = pair
  return yaml().isScalar(key) ? String(key.value) : null
}

/** An alias that is not defined, or that contains itself and would never end. */
function wrongAlias(document: YamlDocument): Flaw | null {
  const found: Flaw[] = []
  yaml().visit(document, {
    Alias(_key, alias, above) {
      const named = alias.resolve(document)
      if (named !== undefined && !above.some((node) => node === named)) return
      const why = named === undefined ? 'is not defined' : 'contains itself'
      const message = `the YAML alias *${alias.source} ${why}`
      const hint = `If you mean text, put quotes around it: "*${alias.source}"`
      found.push({ code: 'yaml', offset: alias.range?.[0] ?? 0, message, hint })
    },
  })
  return found[0] ?? null
}

/** Fails for too many aliases and for keys that are not text. */
function toData(document: YamlDocument): { readonly data: unknown } | { readonly flaw: Flaw } {
  try {
    return { data: document.toJS({ maxAliasCount: MAX_ALIASES }) }
  } catch (error) {
    return { flaw: error instanceof ReferenceError ? aliasFlaw(0) : noData(error) }
  }
}

function noData(error: unknown): Flaw {
  return unreadable(`can't read the header: ${error instanceof Error ? error.message : String(error)}`)
}

function noMap(value: unknown): Flaw {
  return unreadable(`the header is ${Array.isArray(value) ? 'a list' : 'plain text'}, not keys and values`)
}

function unreadable(message: string): Flaw {
  const hint = 'Write one key and its value on each line, such as status: pending'
  return { code: 'yaml', offset: 0, message, hint }
}
