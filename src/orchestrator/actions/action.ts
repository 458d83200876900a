/**
 * What an action of Neo is: one row with its name, its input and the one call that it becomes. Inputs are made of the
 * hub's own fields, under names in snake_case. Invariant 1: an action becomes exactly one changing call, or none: it is
 * never half done. Invariant 2: an argument that is not understood is a flaw of the whole action, never left out.
 */
import { z } from 'zod'
import type { ContextRef } from '../../domain/peer/peer.ts'
import type { Json, JsonObject, ToolSpec } from '../../domain/agent/model-message.ts'
import {
  type FieldKind,
  loosened,
  modelSchema,
  plainType,
  readInput,
} from '../../files/values/input-issues.ts'

/** A task that this turn has made. */
export interface CreatedTask {
  readonly title: string
  readonly id: string
  readonly description: string
}

export interface ActionContext {
  readonly room: string
  /** The scope of the conversation; null for the room's own. */
  readonly scope: string | null
  readonly created: readonly CreatedTask[]
  /** The shared work of this room; of all rooms in the lobby. */
  readonly contexts: readonly ContextRef[]
  /** A reading call of the hub, as this room's Neo. Throws HubError. */
  see(method: string, params: JsonObject): Promise<unknown>
}

/** What an action comes to. */
export type Step =
  /** A call of the hub, and its result in words for the model. */
  | {
      readonly kind: 'call'
      readonly method: string
      readonly params: JsonObject
      readonly tell: (result: unknown) => string
    }
  /** A word to people: a report, or a question that they answer by a message. */
  | {
      readonly kind: 'say'
      readonly what: 'report' | 'question'
      readonly text: string
      readonly tell: string
    }
  /** Nothing is done: it was done before, or it cannot be. */
  | { readonly kind: 'answer'; readonly text: string; readonly isError: boolean }

export interface Action {
  readonly name: string
  /** In which rooms it is available. */
  readonly who: 'all' | 'lobby' | 'rooms'
  /** `room`: only in the room's own conversation, because others see what it says. `scope`: only in a scope. */
  readonly where?: 'room' | 'scope'
  readonly doc: string
  readonly input: z.ZodObject
  /** Other names that models use, and what they mean. */
  readonly aliases?: Readonly<Record<string, string>>
  step(args: JsonObject, context: ActionContext): Promise<Step>
}

interface Row<S extends z.ZodRawShape> extends Omit<Action, 'input' | 'step'> {
  readonly input: S
  step(args: z.output<z.ZodObject<S>>, context: ActionContext): Promise<Step>
}

export function action<S extends z.ZodRawShape>({ input, step, ...row }: Row<S>): Action {
  return {
    ...row,
    input: z.strictObject(input),
    step: (args, context) => step(args as unknown as z.output<z.ZodObject<S>>, context),
  }
}

type Plain<T> = T extends z.ZodOptional<infer U> | z.ZodNullable<infer U> | z.ZodDefault<infer U>
  ? Plain<U>
  : T

/** A field of the hub that this action needs, in words for Neo. */
export function needs<T extends z.ZodType>(field: T, doc: string): Plain<T> {
  return plainType(field)?.describe(doc) as Plain<T>
}

/** A field of the hub that may be left out. */
export function takes<T extends z.ZodType>(field: T, doc: string) {
  return (plainType(field) as z.ZodType).optional().describe(doc) as z.ZodOptional<Plain<T> & z.ZodType>
}

/** The action's description for a model. */
export function toolOf({ name, doc, input }: Action): ToolSpec {
  return { name, description: doc, schema: modelSchema(input) }
}

/** Checks what a model sent. Names may come in camelCase or as an alias; a blank text counts as not given. */
export function readArguments(
  { input, aliases = {} }: Action,
  sent: JsonObject,
): { readonly args: JsonObject } | { readonly wrong: string } {
  const given: Record<string, Json> = {}
  for (const [key, value] of Object.entries(sent)) {
    if (value === null || (typeof value === 'string' && value.trim() === '')) continue
    const plain = snakeCase(key)
    const name = aliases[plain] ?? plain
    if (given[name] !== undefined) return { wrong: `"${name}" was given twice` }
    given[name] = value
  }
  const read = readInput(input, given, loosenedText)
  return 'wrong' in read ? read : { args: read.args as JsonObject }
}

function snakeCase(key: string): string {
  return key
    .trim()
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase()
}

/** Lists also come as one text with commas, objects as JSON, texts as numbers. */
function loosenedText(kind: FieldKind, value: unknown): unknown {
  const isScalar = typeof value === 'number' || typeof value === 'boolean'
  const text = isScalar && kind === 'text' ? String(value) : value
  if (typeof text !== 'string') return text
  if (kind === 'list') return splitList(text)
  if (kind === 'choice') return text.trim().toLowerCase()
  return kind === 'other' ? parsed(text) : loosened(kind, text.trim())
}

/** `a, b`, `[a, b]` and one a line. */
function splitList(text: string): readonly string[] {
  return text
    .trim()
    .replace(/^\[(.*)\]$/s, '$1')
    .split(/[,\n]/)
    .map((item) => item.trim().replace(/^["'](.*)["']$/, '$1'))
    .filter((item) => item !== '')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Arguments as parameters of the hub: `task_id` is its `taskId`. */
export function hubParams(args: Readonly<Record<string, unknown>>): JsonObject {
  const named = (key: string) => key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  const entries = Object.entries(args).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries.map(([key, value]) => [named(key), value as Json]))
}

/** A text field of something that the hub gave; '' if it has none. */
export function fieldOf(value: unknown, key: string): string {
  if (typeof value !== 'object' || value === null) return ''
  const found = (value as Readonly<Record<string, unknown>>)[key]
  return typeof found === 'string' ? found : typeof found === 'number' ? String(found) : ''
}
