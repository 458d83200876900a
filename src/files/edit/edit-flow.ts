/** Sets a key of a flow map, `{ a: 1, b: 2 }`, by splicing its text. */
import type { Pair, ParsedNode, YAMLMap } from 'yaml'
import { keyOf, yaml } from '../header/yaml.ts'
import { flowText, type Json, keyText, type Quote } from './scalar.ts'

export type FlowMap = YAMLMap<unknown, unknown>
type Range = readonly [from: number, to: number]

export function setInFlow(
  source: string,
  map: FlowMap,
  { path, value }: { path: readonly string[]; value: Json | undefined },
): string | null {
  const [key = '', inner] = path
  const at = map.items.findIndex((pair) => keyOf(pair) === key)
  const pair = map.items[at]
  if (inner !== undefined) {
    const block = pair?.value
    if (yaml().isMap(block) && block.flow) return setInFlow(source, block, { path: [inner], value })
    if (value === undefined) return source
    return setInFlow(source, map, { path: [key], value: { [inner]: value } })
  }
  if (value === undefined) return at === -1 ? source : removePair(source, map, at)
  return pair === undefined
    ? addPair(source, map, `${keyText(key)}: ${flowText(value)}`)
    : replaceValue(source, pair, value)
}

export function quoteOf(node: unknown): Quote {
  const type = yaml().isScalar(node) ? node.type : undefined
  return type === 'QUOTE_DOUBLE' ? 'double' : type === 'QUOTE_SINGLE' ? 'single' : 'none'
}

/** Offset after the colon of a pair `key:`; null for `? key`. */
export function colonEnd(source: string, pair: Pair<unknown, unknown>): number | null {
  const range = rangeOf(pair.key)
  if (range === null) return null
  let at = range[1]
  while (source[at] === ' ' || source[at] === '\t') at++
  return source[at] === ':' ? at + 1 : null
}

export function rangeOf(node: unknown): Range | null {
  const { isNode } = yaml()
  const range = isNode(node) ? (node as ParsedNode).range : null
  return range ? [range[0], range[1]] : null
}

function replaceValue(source: string, pair: Pair<unknown, unknown>, value: Json): string | null {
  const colon = colonEnd(source, pair)
  if (colon === null) return null
  const [from, to] = rangeOf(pair.value) ?? [colon, colon]
  return `${source.slice(0, colon)} ${flowText(value, quoteOf(pair.value))}${source.slice(Math.max(to, colon, from))}`
}

function addPair(source: string, map: FlowMap, text: string): string | null {
  const last = map.items.at(-1)
  const range = rangeOf(map)
  if (range === null) return null
  if (last === undefined) return `${source.slice(0, range[0])}{ ${text} }${source.slice(range[1])}`
  const end = pairEnd(source, last)
  return end === null ? null : `${source.slice(0, end)}, ${text}${source.slice(end)}`
}

function removePair(source: string, map: FlowMap, at: number): string | null {
  const [pair, before, after] = [map.items[at], map.items[at - 1], map.items[at + 1]]
  const range = rangeOf(map)
  if (range === null || pair === undefined) return null
  if (after !== undefined) return cut(source, rangeOf(pair.key)?.[0], rangeOf(after.key)?.[0])
  if (before !== undefined) return cut(source, pairEnd(source, before), pairEnd(source, pair))
  return `${source.slice(0, range[0])}{}${source.slice(range[1])}`
}

function cut(source: string, from: number | null | undefined, to: number | null | undefined): string | null {
  return typeof from === 'number' && typeof to === 'number' ? source.slice(0, from) + source.slice(to) : null
}

function pairEnd(source: string, pair: Pair<unknown, unknown>): number | null {
  const colon = colonEnd(source, pair)
  const value = rangeOf(pair.value)
  return value !== null && value[1] > (colon ?? 0) ? value[1] : (colon ?? rangeOf(pair.key)?.[1] ?? null)
}
