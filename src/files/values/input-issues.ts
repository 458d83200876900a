/**
 * Inputs of tools and methods, each described by one zod object: the schema that a model gets, reading what it sent,
 * and what is wrong with it, in words for people and models. Invariant 1: what is read fits the schema. Invariant 2:
 * an input that isn't understood is refused as a whole, with the field, what was found and what is expected.
 */
import { z } from 'zod'
import type { JsonObject } from '../../domain/agent/model-message.ts'
import { counted } from '../../domain/text/counted.ts'
import { nearest } from './suggest.ts'

interface InputIssue {
  readonly path: (string | number)[]
  readonly message: string
}

export function inputIssues(
  schema: z.ZodType,
  input: unknown,
  { issues }: z.ZodError,
): readonly InputIssue[] {
  return issues.map((issue) => issueOf(schema, input, issue))
}

function issueOf(schema: z.ZodType, input: unknown, found: z.core.$ZodIssue): InputIssue {
  const issue = innermost(found)
  const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)))
  if (issue.code === 'unrecognized_keys') return { path, message: unknownKeys(schema, path, issue.keys) }
  const value = path.reduce<unknown>(valueAt, input)
  const name = path.length === 0 ? 'the input' : `"${path.join('.')}"`
  if (issue.code === 'custom' && value === undefined) return { path, message: issue.message }
  return { path, message: `${name} ${saidOf(issue, value, schemaAt(schema, path))}` }
}

/** Of a union, the branch nearest to the value: the one whose fault is deepest. */
function innermost(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue
  const deepest = issue.errors
    .flat()
    .toSorted((a, b) => depth(b) - depth(a))
    .at(0)
  if (deepest === undefined || depth(deepest) === 0) return issue
  return innermost({ ...deepest, path: [...issue.path, ...deepest.path] })
}

/** An unknown key is in the object that its path names. */
function depth({ code, path }: z.core.$ZodIssue): number {
  return path.length + (code === 'unrecognized_keys' ? 1 : 0)
}

/** Characters of a list of all parameters; a longer one helps nobody. */
const MOST_LISTED = 150

function unknownKeys(schema: z.ZodType, path: readonly (string | number)[], keys: readonly string[]): string {
  const known = keysAt(schema, path)
  const where = path.length === 0 ? '' : ` in "${path.join('.')}"`
  const all = known.join(', ')
  const there = known.length === 0 ? '; it takes none' : `; its parameters are ${all}`
  return keys
    .map((key) => {
      const near = nearest(key, known)
      const more = near !== null ? `; did you mean "${near}"?` : all.length > MOST_LISTED ? '' : there
      return `unknown parameter "${clip(key)}"${where}${more}`
    })
    .join('; ')
}

/**
 * The keys that a caller may set in the object at a path; `unknown` ones are there only so that policy refuses them.
 */
function keysAt(schema: z.ZodType, path: readonly (string | number)[]): readonly string[] {
  const at = schemaAt(schema, path)
  if (!(at instanceof z.ZodObject)) return []
  const shape: Readonly<Record<string, z.ZodType>> = at.shape
  return Object.keys(shape).filter((key) => plainType(shape[key])?.type !== 'unknown')
}

/** The schema of a field, without what makes it optional; of a union the first branch that has the path. */
function schemaAt(schema: z.ZodType | undefined, path: readonly (string | number)[]): z.ZodType | undefined {
  const at = plainType(schema)
  const [part, ...rest] = path
  if (at instanceof z.ZodUnion) {
    const options = at.options as readonly z.ZodType[]
    const inner = part === undefined ? options : options.map((option) => schemaAt(option, path))
    return inner.find((one) => one instanceof z.ZodObject) ?? (part === undefined ? at : inner.find(Boolean))
  }
  if (at === undefined || part === undefined) return at
  if (at instanceof z.ZodObject) return schemaAt(at.shape[part] as z.ZodType | undefined, rest)
  return at instanceof z.ZodArray ? schemaAt(at.element as z.ZodType, rest) : undefined
}

/** Without `optional`, `nullable` and `default`. */
export function plainType(schema: z.ZodType | undefined): z.ZodType | undefined {
  const isWrapped =
    schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault
  return isWrapped ? plainType(schema.unwrap() as z.ZodType) : schema
}

function saidOf(issue: z.core.$ZodIssue, value: unknown, schema: z.ZodType | undefined): string {
  const want = `expected ${wanted(issue, schema)}`
  if (value === undefined) return `is missing; ${want}`
  switch (issue.code) {
    case 'too_small':
    case 'too_big':
      return sizeSaid(issue, value, want)
    case 'custom':
    case 'invalid_format':
      return `is ${shown(value)}; ${issue.message}`
    case 'invalid_value':
      return `is ${shown(value)}; ${want}${meant(issue.values, value)}`
    default:
      return `is ${shown(value)}; ${want}`
  }
}

function meant(values: readonly unknown[], value: unknown): string {
  const near = typeof value === 'string' ? nearest(value, values.map(String)) : null
  return near === null ? '' : `; did you mean "${near}"?`
}

type SizeIssue = z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig

function sizeSaid(issue: SizeIssue, value: unknown, want: string): string {
  const bound = issue.code === 'too_small' ? `at least ${issue.minimum}` : `at most ${issue.maximum}`
  if (typeof value === 'string')
    return value.trim() === '' ? 'is empty' : `has ${counted(value.length, 'character')}; expected ${bound}`
  if (Array.isArray(value))
    return value.length === 0 ? 'is empty' : `has ${counted(value.length, 'item')}; expected ${bound}`
  return `is ${shown(value)}; ${want}`
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

function wanted(issue: z.core.$ZodIssue, schema: z.ZodType | undefined): string {
  if (schema instanceof z.ZodNumber) return wantedNumber(schema)
  if (schema instanceof z.ZodArray && schema.element instanceof z.ZodString) return 'a list of strings'
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[issue.expected] ?? issue.expected
    case 'invalid_value':
      return `${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`
    case 'invalid_union':
      return listed(issue.errors.flatMap(([first]) => (first === undefined ? [] : wanted(first, undefined))))
    default:
      return issue.message
  }
}

/** `an integer (0 to 20)` */
function wantedNumber({ minValue, maxValue, isInt }: z.ZodNumber): string {
  const least = minValue === null || minValue <= Number.MIN_SAFE_INTEGER ? null : minValue
  const most = maxValue === null || maxValue >= Number.MAX_SAFE_INTEGER ? null : maxValue
  const kind = isInt ? 'an integer' : 'a number'
  if (least !== null && most !== null) return `${kind} (${least} to ${most})`
  if (least !== null) return `${kind} (at least ${least})`
  return most === null ? kind : `${kind} (at most ${most})`
}

function listed(values: readonly string[]): string {
  const all = [...new Set(values)]
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`
}

function valueAt(value: unknown, part: string | number): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Record<string | number, unknown>)[part]
    : undefined
}

function shown(value: unknown): string {
  return clip(JSON.stringify(value) ?? String(value))
}

/** Enough to recognise it by: a wrong value may be a whole file. */
function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

const schemas = new WeakMap<z.ZodObject, JsonObject>()

/**
 * As models are sent it: the same object each time, for their prompt caches. Lengths of texts are checked, not shown.
 */
export function modelSchema(input: z.ZodObject): JsonObject {
  const made = schemas.get(input) ?? madeSchema(input)
  schemas.set(input, made)
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
