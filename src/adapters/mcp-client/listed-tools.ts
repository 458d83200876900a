/**
 * Reads a server's list of tools, so that one bad tool fails neither its server nor the agents of the room. Pure.
 * Model servers refuse a whole request if one schema isn't an object or has oneOf, anyOf, allOf or not at its top.
 * Invariant 1: every tool that is kept has a name and a schema that all model servers accept at the top.
 */
import { isMap } from '../../domain/text/is-map.ts'
import type { Json, JsonObject } from '../../domain/agent/model-message.ts'
import type { SkippedTool } from '../../ports/mcp-port.ts'

export interface ListedTools {
  readonly tools: readonly JsonObject[]
  readonly leftOut: readonly SkippedTool[]
}

type Fields = Readonly<Record<string, unknown>>

interface Shape {
  readonly properties: ReadonlyMap<string, Json>
  readonly required: readonly string[]
  /** The arguments of each alternative, for the description. */
  readonly ways: readonly string[]
}

interface Source {
  readonly root: unknown
  /** How many more schemas may be merged. */
  left: number
}

const EMPTY: Shape = { properties: new Map(), required: [], ways: [] }
/** Schemas below this depth are taken as "anything". */
const DEEPEST = 32
/** Schemas merged into the top of one tool: references may go round. */
const MOST_MERGED = 200
/** At the top they are merged into `properties`, or dropped: the server checks the arguments itself. */
const MERGED = new Set([
  ...['oneOf', 'anyOf', 'allOf', 'not', 'if', 'then', 'else', 'enum', 'const', '$ref', 'type'],
  ...['properties', 'required', 'dependentSchemas', 'dependentRequired', 'dependencies'],
])

/** @param given the `tools` of an answer to `tools/list` */
export function readListedTools(given: readonly unknown[]): ListedTools {
  const tools: JsonObject[] = []
  const leftOut: SkippedTool[] = []
  for (const [at, one] of given.entries()) {
    const read = readTool(one)
    if ('why' in read) leftOut.push({ name: nameOf(one) ?? `number ${at + 1}`, why: read.why })
    else tools.push(read.tool)
  }
  return { tools, leftOut }
}

function readTool(one: unknown): { readonly tool: JsonObject } | { readonly why: string } {
  const name = nameOf(one)
  if (!isMap(one) || name === null) return { why: 'it has no name' }
  const root = one['inputSchema'] ?? {}
  const shape = shapeOf(root, { root, left: MOST_MERGED })
  if (shape === null) return { why: "its input schema isn't an object" }
  const { description, annotations } = one
  const told = typeof description === 'string' ? description : ''
  const ways = shape.ways.length < 2 ? '' : ` Give one of these sets of arguments: ${shape.ways.join('; ')}.`
  const readOnlyHint = isMap(annotations) && annotations['readOnlyHint'] === true
  const inputSchema = schemaOf(isMap(root) ? root : {}, shape)
  return { tool: { name, description: `${told}${ways}`.trim(), inputSchema, annotations: { readOnlyHint } } }
}

function nameOf(one: unknown): string | null {
  const name = isMap(one) ? one['name'] : null
  return typeof name === 'string' && name.trim() !== '' ? name : null
}

function schemaOf(root: Fields, { properties, required }: Shape): JsonObject {
  const rest = Object.entries(root).filter(([key]) => !MERGED.has(key))
  const known = required.filter((name) => properties.has(name))
  return {
    ...(Object.fromEntries(rest) as JsonObject),
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(known.length === 0 ? {} : { required: known }),
  }
}

/** Null: no object fits it. */
function shapeOf(schema: unknown, from: Source): Shape | null {
  if (schema === true || from.left-- <= 0) return EMPTY
  if (!isMap(schema)) return null
  const { type, properties, required } = schema
  if (type !== undefined && ![type].flat().includes('object')) return null
  const own: Shape = {
    properties: new Map(
      Object.entries(isMap(properties) ? properties : {}).map(([name, one]) => [name, innerSchema(one, 0)]),
    ),
    required: Array.isArray(required) ? required.filter((one) => typeof one === 'string') : [],
    ways: [],
  }
  const deeper = (one: unknown) => shapeOf(one, from)
  const all = [...listOf(schema['allOf']), ...referred(schema['$ref'], from.root)].map(deeper)
  const either = [schema['oneOf'], schema['anyOf']].filter(Array.isArray).map((list) => {
    const shapes = list.map(deeper).filter((one) => one !== null)
    return list.length > 0 && shapes.length === 0 ? null : eitherOf(shapes)
  })
  return [own, ...all, ...either].reduce((a, b) => (a === null || b === null ? null : bothOf(a, b)))
}

function bothOf(a: Shape, b: Shape): Shape {
  return {
    properties: merged(a.properties, b.properties),
    required: [...new Set([...a.required, ...b.required])],
    ways: a.ways.length > 0 ? a.ways : b.ways,
  }
}

/** Required is what all alternatives require. */
function eitherOf(shapes: readonly Shape[]): Shape {
  const [first = EMPTY, ...rest] = shapes
  const properties = shapes.reduce((sum, one) => merged(sum, one.properties), EMPTY.properties)
  const required = first.required.filter((name) => rest.every((one) => one.required.includes(name)))
  const ways = shapes.map((one) => one.required.join(' + ')).filter((text) => text !== '')
  return { properties, required, ways: [...new Set(ways)] }
}

function merged(a: Shape['properties'], b: Shape['properties']): Shape['properties'] {
  const all = new Map(a)
  for (const [name, schema] of b) {
    const before = all.get(name)
    const isSame = before === undefined || JSON.stringify(before) === JSON.stringify(schema)
    all.set(name, isSame ? schema : { anyOf: [...alternatives(before), schema] })
  }
  return all
}

function alternatives(schema: Json): readonly Json[] {
  if (!isMap(schema) || Object.keys(schema).join() !== 'anyOf') return [schema]
  return listOf(schema['anyOf']) as readonly Json[]
}

/** A schema below the top; some model servers refuse a list that doesn't say of what. */
function innerSchema(schema: unknown, depth: number): Json {
  if (depth > DEEPEST || typeof schema !== 'object' || schema === null) return {}
  const inner = Object.entries(schema).map(([key, one]) => [key, nested(key, one, depth + 1)] as const)
  const value = Object.fromEntries(inner)
  return value['type'] === 'array' && value['items'] === undefined ? { ...value, items: {} } : value
}

function nested(key: string, value: unknown, depth: number): Json {
  if (isMap(value) && ['properties', '$defs', 'definitions'].includes(key))
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, innerSchema(one, depth)]))
  if (Array.isArray(value) && ['oneOf', 'anyOf', 'allOf'].includes(key))
    return value.map((one) => innerSchema(one, depth))
  if (key === 'items' && isMap(value)) return innerSchema(value, depth)
  return value as Json
}

function referred(ref: unknown, root: unknown): readonly unknown[] {
  if (typeof ref !== 'string' || !ref.startsWith('#/')) return []
  const keys = ref.slice(2).split('/')
  const found = keys.reduce<unknown>((at, key) => (isMap(at) ? at[key] : undefined), root)
  return found === undefined ? [] : [found]
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
