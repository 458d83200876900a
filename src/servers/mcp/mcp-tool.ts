/**
 * What a tool is, and how clients are shown it. Pure. Invariant 1: what a tool takes is what its method takes, from the
 * same schema. Invariant 2: what a tool returns is read through the schema that is shown, so it always fits.
 */
import { z } from 'zod'
import type { Principal } from '../../domain/policy/policy-acts.ts'
import type { Method, ToolRow } from '../../hub/env.ts'
import type { Hub } from '../../hub/hub.ts'
import { type MethodName, TABLE } from '../../hub/method-table.ts'
import { roomOverview } from '../../hub/methods/overview.ts'
import { askView, memoryView, roomView, sessionView, taskView } from '../../hub/views/shapes.ts'

export interface McpHome {
  readonly hub: Hub
  readonly principal: Principal
  /** Ours, as `neo --version` says it. */
  readonly version: string
  /** Text of a file by its path in the home; null if there is none. Asked only for paths that the hub has given. */
  readonly text: (path: string) => string | null
}

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
  /** Percent, if known, and what is going on; for clients that want it. */
  readonly progress: (percent: number | null, says: string) => void
}

/** As the protocol has it. */
interface ShownTool {
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

interface ObjectSchema {
  readonly [key: string]: unknown
  readonly type: 'object'
}

/** `task.create` is `neo_task_create`. */
export function toolName(method: string): string {
  const own = TABLE.get(method)?.tool?.name
  if (own !== undefined) return own
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

/**
 * A shape of the hub for models, without what only programs need. Not strict: what is left out is dropped from results.
 * Invariant 3: a list never holds the long texts of its items.
 */
function shown<S extends z.core.$ZodLooseShape>({ shape }: z.ZodObject<S>): z.ZodObject<S> {
  return z.object(shape)
}

export const room = shown(
  roomView.omit({
    neoId: true,
    base: true,
    concurrency: true,
    budget: true,
    permissions: true,
    setup: true,
    cleanup: true,
    env: true,
    envFiles: true,
    hooks: true,
    notify: true,
    approvers: true,
    keep: true,
    createdAt: true,
    updatedAt: true,
    sessionIds: true,
  }),
)
export const task = shown(
  taskView.omit({ name: true, onInterrupt: true, retry: true, timeoutMs: true, budget: true, env: true }),
)
export const taskRow = shown(
  task.omit({
    description: true,
    model: true,
    workspace: true,
    review: true,
    verify: true,
    createdAt: true,
    updatedAt: true,
    startedAt: true,
    completedAt: true,
    attempt: true,
    retryAt: true,
    verified: true,
  }),
)
const session = shown(sessionView.omit({ workspace: true, base: true, sandbox: true, runner: true }))
export const ask = shown(askView.omit({ action: true, decidedAt: true, handledAt: true }))
export const memory = shown(memoryView.omit({ sessionId: true, taskId: true, source: true }))

export const overview = z.object({
  room,
  tasks: z.record(
    z.string(),
    z.array(
      shown(
        taskView.pick({
          id: true,
          path: true,
          title: true,
          status: true,
          priority: true,
          worker: true,
          sessionId: true,
          error: true,
        }),
      ),
    ),
  ),
  sessions: z.array(
    shown(sessionView.pick({ id: true, taskId: true, status: true, state: true, startedAt: true })),
  ),
  asks: z.array(shown(askView.pick({ id: true, kind: true, taskId: true, reason: true }))),
  neo: roomOverview.result.shape.neo,
  usage: roomOverview.result.shape.usage,
})

const context = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.string(), timestamp: z.string() })),
  status: z.enum(['idle', 'thinking', 'waiting_for_input']),
  currentTaskId: z.string().nullable(),
})

const done = z.object({ done: z.literal(true) })

/** Instead of a shape: itself, and as an item of a list. */
const SHOWN = new Map<z.ZodType, readonly [one: z.ZodObject, row: z.ZodObject]>([
  [roomView, [room, room]],
  [taskView, [task, taskRow]],
  [sessionView, [session, session]],
  [askView, [ask, ask]],
  [memoryView, [memory, memory]],
])

const OWN: Readonly<Record<string, z.ZodObject>> = { 'room.overview': overview, 'context.get': context }

/** What the tool of a method returns. */
export function resultFor({ name, params, result, tool }: Method): z.ZodObject {
  const own = OWN[name] ?? SHOWN.get(result)?.[0]
  if (own !== undefined) return own
  if (result instanceof z.ZodNull || result instanceof z.ZodNullable) return done
  if (!(result instanceof z.ZodArray)) return result as z.ZodObject
  const item = result.element as z.ZodType
  const rows = z.array(SHOWN.get(item)?.[1] ?? item)
  const isPaged = params instanceof z.ZodObject && 'cursor' in params.shape
  return z.object({
    [tool?.list ?? 'items']: rows,
    ...(isPaged ? { nextCursor: z.string().nullable() } : {}),
  })
}
