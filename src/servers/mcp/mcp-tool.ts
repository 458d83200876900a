/**
 * What a tool is: a method of the hub under a name that models read, with the schemas that clients are shown. Pure.
 * Invariant 1: what a tool takes is what its method takes, from the same schema; it only says more about it. Invariant
 * 2: what a tool gives is read through the schema that is shown, so that it always fits it.
 */
import { z } from 'zod'
import { FIXED_KEYS } from '../../domain/policy/policy-keys.ts'
import { type MethodName, TABLE } from '../../hub/method-table.ts'
import type { McpHome } from './mcp-home.ts'
import { PARAMETERS } from './parameters.ts'

/** `adds`: nothing that was there is changed. `changes`: something is, or ends. */
export type Effect = 'reads' | 'adds' | 'changes'

export interface Tool {
  readonly method: MethodName
  readonly title: string
  readonly doc: string
  readonly effect: Effect
  /** What is taken where a client does not say. */
  readonly defaults?: Readonly<Record<string, unknown>>
  /** What is given. A list of the hub stands in it under `list`, null as `done`. */
  readonly result: z.ZodObject
  readonly list?: string
  /** For what is more than one call of its method: its own name, what it takes, and what it does. */
  readonly name?: string
  readonly params?: z.ZodType
  readonly run?: (home: McpHome, params: Readonly<Record<string, unknown>>, asked: Asked) => Promise<unknown>
}

/** The request that a tool is called by. */
export interface Asked {
  readonly signal: AbortSignal
  /** Percent, where it is known, and what goes on; told to clients that want it. */
  readonly progress: (percent: number | null, says: string) => void
}

/** As the protocol has it. */
export interface ShownTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: ObjectSchema
  readonly outputSchema: ObjectSchema
  readonly annotations: {
    readonly title: string
    readonly readOnlyHint: boolean
    readonly destructiveHint: boolean
    readonly idempotentHint: boolean
    readonly openWorldHint: boolean
  }
}

export interface ObjectSchema {
  readonly [key: string]: unknown
  readonly type: 'object'
}

/** `task.create` is `neo_task_create`. */
export function nameOf({ method, name }: Pick<Tool, 'method' | 'name'>): string {
  return (
    name ?? `neo_${method.replace('.', '_').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`
  )
}

export function shownTool(tool: Tool): ShownTool {
  const { title, doc, effect, result, defaults = {} } = tool
  const params = tool.params ?? TABLE.get(tool.method)?.params ?? z.strictObject({})
  return {
    name: nameOf(tool),
    title,
    description: doc,
    inputSchema: explained(schemaOf(params, 'input'), defaults),
    outputSchema: schemaOf(result, 'output'),
    annotations: {
      title,
      readOnlyHint: effect === 'reads',
      destructiveHint: effect === 'changes',
      idempotentHint: effect === 'reads',
      openWorldHint: false,
    },
  }
}

/** The hub's result as the tool gives it. Throws where it does not fit, which is a fault of ours. */
export function fitted({ result, list }: Tool, given: unknown, limit: unknown): Record<string, unknown> {
  if (given === null) return result.parse({ done: true })
  if (!Array.isArray(given) || list === undefined) return result.parse(given)
  const last: unknown = given.length === limit ? given.at(-1) : null
  const path = typeof last === 'object' && last !== null && 'path' in last ? last.path : null
  return result.parse({ [list]: given, nextCursor: path })
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): ObjectSchema {
  const { $schema: _, ...made } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // What every whole number is here says nothing to a model.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    },
  })
  return { ...made, type: 'object' }
}

/** Says what parameters mean, and leaves out those that are not for models: what is not explained is not shown. */
function explained(schema: ObjectSchema, defaults: Readonly<Record<string, unknown>>): ObjectSchema {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, ObjectSchema>>
  const known = Object.entries(properties).filter(([name]) => Object.hasOwn(PARAMETERS, name))
  const entries = known.map(([name, property]) => {
    const inside = property['properties'] === undefined ? property : withoutFixed(explained(property, {}))
    return [
      name,
      {
        ...inside,
        description: PARAMETERS[name],
        ...(Object.hasOwn(defaults, name) ? { default: defaults[name] } : {}),
      },
    ]
  })
  return { ...schema, properties: Object.fromEntries(entries) }
}

function withoutFixed(schema: ObjectSchema): ObjectSchema {
  const properties = Object.entries(schema['properties'] ?? {}).filter(([name]) => !FIXED_KEYS.includes(name))
  return { ...schema, properties: Object.fromEntries(properties) }
}
