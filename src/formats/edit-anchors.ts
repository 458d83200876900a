/**
 * Anchors: a value that others repeat by `*name` cannot be replaced without changing them too. So before such a value
 * changes, its value is written out where it is repeated.
 * Takes source and the path of the key that is about to change; gives source in which nothing refers to it.
 */
import type { Alias, Node } from 'yaml'
import { yaml } from './engines.ts'
import { flowText, type Json } from './scalar.ts'
import { yamlDocument } from './yaml.ts'

export function withoutAliasesTo(source: string, path: readonly string[]): string {
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
