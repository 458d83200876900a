/**
 * Inputs of tools, each described by one zod object: the schema that a model is shown, and the reading of what it
 * sent.
 * Invariant 1: what is read fits the schema. Invariant 2: an input that is not understood is refused as a whole, with
 * the field, what was found and what is expected.
 */
import { z } from 'zod'
import type { JsonObject } from '../../domain/agent/model-message.ts'
import { inputIssues, plainType } from './input-issues.ts'

const shown = new WeakMap<z.ZodObject, JsonObject>()

/**
 * As models are sent it: the same object each time, for their prompt caches. Lengths of texts are checked, not shown.
 */
export function modelSchema(input: z.ZodObject): JsonObject {
  const made = shown.get(input) ?? madeSchema(input)
  shown.set(input, made)
  return made
}

function madeSchema(input: z.ZodObject): JsonObject {
  const { properties = {}, required = [] } = z.toJSONSchema(input, {
    io: 'input',
    override: ({ jsonSchema }) => {
      for (const key of ['minLength', 'maxLength', 'pattern', 'minItems', 'maxItems', 'default'] as const)
        delete jsonSchema[key]
      // Any object: what may be in it is the caller's to say.
      if (jsonSchema.type === 'object' && Object.keys(jsonSchema.properties ?? {}).length === 0) {
        delete jsonSchema.properties
        delete jsonSchema.additionalProperties
      }
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    },
  })
  const schema = { type: 'object', properties, required, additionalProperties: false }
  return schema as unknown as JsonObject
}

export type FieldKind = 'text' | 'number' | 'flag' | 'list' | 'choice' | 'other'

export function fieldKind(field: z.ZodType | undefined): FieldKind {
  const plain = plainType(field)
  if (plain instanceof z.ZodString) return 'text'
  if (plain instanceof z.ZodNumber) return 'number'
  if (plain instanceof z.ZodBoolean) return 'flag'
  if (plain instanceof z.ZodEnum) return 'choice'
  return plain instanceof z.ZodArray ? 'list' : 'other'
}

/** What models send in the place of a value: `"12"` for a number, one text for a list. */
export function loosened(kind: FieldKind, value: unknown): unknown {
  if (typeof value !== 'string') return value
  const text = value.trim()
  if (kind === 'number' && /^[+-]?\d+(\.\d+)?$/.test(text)) return Number(text)
  if (kind === 'flag' && (text === 'true' || text === 'false')) return text === 'true'
  return kind === 'list' ? [value] : value
}

/** `null` counts as not given. `wrong` has no subject: `"path" is missing; expected a string`. */
export function readInput<S extends z.ZodObject>(
  input: S,
  sent: JsonObject,
  loosen: typeof loosened = loosened,
): { readonly args: z.output<S> } | { readonly wrong: string } {
  const shape: Readonly<Record<string, z.ZodType>> = input.shape
  const given = Object.fromEntries(
    Object.entries(sent)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [
        name,
        Object.hasOwn(shape, name) ? loosen(fieldKind(shape[name]), value) : value,
      ]),
  )
  const read = input.safeParse(given)
  if (read.success) return { args: read.data }
  return {
    wrong: inputIssues(input, given, read.error)
      .map(({ message }) => message)
      .join('; '),
  }
}
