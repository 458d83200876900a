/**
 * What a tool is, and how clients are shown it. Pure. Invariant 1: what a tool takes is what its method takes, from the
 * same schema. Invariant 2: what a tool returns is read through the schema that is shown, so it always fits.
 */
import { z } from 'zod'
import type { ToolRow } from '../../hub/env.ts'
import { type MethodName, TABLE } from '../../hub/method-table.ts'
import type { McpHome } from './mcp-home.ts'

export interface Tool extends ToolRow {
  readonly name: string
  /** Its method in the hub; policy decides and records by it. */
  readonly method: MethodName
  readonly title: string
  readonly description: string
  readonly params: z.ZodType
  /** A list of the hub is in it under `list`; null is `{done: true}`. */
  readonly result: z.ZodObject
  /** For what is more than one call of its method. */
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
export function toolName(method: string): string {
  return `neo_${method.replace('.', '_').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`
}

/** With the names of tools for those of their methods. */
export function forModels(text: string): string {
  return text.replaceAll(/`(\w+\.\w+)`/g, (whole, name: string) =>
    TABLE.get(name)?.tool === undefined ? whole : toolName(name),
  )
}

export function shownTool({ name, title, description, effect, params, ...tool }: Tool): ShownTool {
  return {
    name,
    title,
    description,
    inputSchema: forModel(schemaOf(params, 'input'), tool),
    outputSchema: schemaOf(tool.result, 'output'),
    annotations: {
      title,
      readOnlyHint: effect === 'reads',
      destructiveHint: effect === 'changes',
      idempotentHint: effect === 'reads',
      openWorldHint: false,
    },
  }
}

/** The hub's result as the tool gives it. Throws if it does not fit, which is a fault of Neo. */
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
      // What every whole number is here says nothing to a model; nor do texts about what it gets.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (io === 'output') delete jsonSchema.description
      else if (jsonSchema.description !== undefined)
        jsonSchema.description = forModels(jsonSchema.description)
    },
  })
  return { ...made, type: 'object' }
}

/** Leaves out what is hidden from models, and keys without a type, which are there only to be refused by policy. */
function forModel(
  schema: ObjectSchema,
  { hidden = [], limit }: Pick<Tool, 'hidden' | 'limit'>,
): ObjectSchema {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, ObjectSchema>>
  const shown = Object.entries(properties).filter(
    ([name, { type, anyOf }]) => !hidden.includes(name) && (type ?? anyOf) !== undefined,
  )
  const entries = shown.map(([name, property]) => {
    if (property['properties'] !== undefined) return [name, forModel(property, { hidden })]
    return [name, name === 'limit' && limit !== undefined ? { ...property, default: limit } : property]
  })
  return { ...schema, properties: Object.fromEntries(entries) }
}
