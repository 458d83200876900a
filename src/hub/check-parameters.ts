/**
 * Checks parameters against a schema and says what is wrong with them in words for people and models: the field, what
 * was found, what is wanted.
 */
import type { z } from 'zod'
import { nearest } from '../files/values/suggest.ts'
import { HUB_CODES, HubError } from './hub.ts'

interface Issue {
  readonly path: (string | number)[]
  readonly message: string
}

/** Throws HubError `params` with all issues. `of`: the method or tool, as the caller knows it. */
export function checkParameters<S extends z.ZodType>(of: string, schema: S, params: unknown): z.output<S> {
  const read = schema.safeParse(params)
  if (read.success) return read.data
  const issues = read.error.issues.map((issue) => issueOf(schema, params, issue))
  const said = issues.map(({ message }) => message).join('; ')
  throw new HubError(HUB_CODES.params, `Invalid parameters for ${of}: ${said}`, { issues })
}

function issueOf(schema: z.ZodType, params: unknown, found: z.core.$ZodIssue): Issue {
  const issue = innermost(found)
  const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)))
  if (issue.code === 'unrecognized_keys') return { path, message: unknownKeys(schema, path, issue.keys) }
  const value = path.reduce<unknown>(valueAt, params)
  const name = path.length === 0 ? 'the parameters' : `"${path.join('.')}"`
  if (issue.code === 'custom' && value === undefined) return { path, message: issue.message }
  return { path, message: `${name} ${saidOf(issue, value)}` }
}

/** Of a union the branch that the value is nearest to: the one whose fault lies deepest. */
function innermost(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue
  const deepest = issue.errors
    .flat()
    .toSorted((a, b) => depth(b) - depth(a))
    .at(0)
  if (deepest === undefined || depth(deepest) === 0) return issue
  return innermost({ ...deepest, path: [...issue.path, ...deepest.path] })
}

/** An unknown key lies in the object that its path names. */
function depth({ code, path }: z.core.$ZodIssue): number {
  return path.length + (code === 'unrecognized_keys' ? 1 : 0)
}

function unknownKeys(schema: z.ZodType, path: readonly (string | number)[], keys: readonly string[]): string {
  const known = keysAt(schema, path)
  const where = path.length === 0 ? '' : ` in "${path.join('.')}"`
  return keys
    .map((key) => {
      const near = nearest(key, known)
      const more = near !== null ? `; did you mean "${near}"?` : known.length === 0 ? '; it takes none' : ''
      return `unknown parameter "${clip(key)}"${where}${more}`
    })
    .join('; ')
}

/** The keys that a caller may set in the object at a path: those that are described. */
function keysAt(schema: z.ZodType, path: readonly (string | number)[]): readonly string[] {
  const at = path.reduce<Def | undefined>((def, part) => objectIn(def)?.shape?.[part]?.def, defOf(schema))
  const shape = objectIn(at)?.shape ?? {}
  return Object.keys(shape).filter((key) => shape[key]?.def.type !== 'optional' || !isRefused(shape[key].def))
}

interface Def {
  readonly type: string
  readonly innerType?: { readonly def: Def }
  readonly options?: readonly { readonly def: Def }[]
  readonly shape?: Readonly<Record<string, { readonly def: Def }>>
}

function defOf(schema: z.ZodType): Def {
  return schema.def as unknown as Def
}

function objectIn(def: Def | undefined): Def | undefined {
  if (def === undefined || def.type === 'object') return def
  if (def.innerType !== undefined) return objectIn(def.innerType.def)
  return def.options?.map((option) => objectIn(option.def)).find((one) => one?.shape !== undefined)
}

/** Keys that are in a schema only so that policy refuses them. */
function isRefused({ innerType }: Def): boolean {
  return innerType?.def.type === 'unknown'
}

function saidOf(issue: z.core.$ZodIssue, value: unknown): string {
  if (value === undefined) return `is missing; want ${wanted(issue)}`
  switch (issue.code) {
    case 'too_small':
    case 'too_big':
      return sizeSaid(issue, value)
    case 'custom':
    case 'invalid_format':
      return `is ${shown(value)}; ${issue.message}`
    case 'invalid_value':
      return `is ${shown(value)}; want ${wanted(issue)}${meant(issue.values, value)}`
    default:
      return `is ${shown(value)}; want ${wanted(issue)}`
  }
}

function meant(values: readonly unknown[], value: unknown): string {
  const near = typeof value === 'string' ? nearest(value, values.map(String)) : null
  return near === null ? '' : `; did you mean "${near}"?`
}

type SizeIssue = z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig

function sizeSaid(issue: SizeIssue, value: unknown): string {
  const bound = issue.code === 'too_small' ? `at least ${issue.minimum}` : `at most ${issue.maximum}`
  if (typeof value === 'string')
    return value.trim() === '' ? 'is empty' : `has ${value.length} characters; want ${bound}`
  if (Array.isArray(value))
    return value.length === 0 ? 'is empty' : `has ${value.length} items; want ${bound}`
  return `is ${shown(value)}; want ${bound}`
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

function wanted(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[issue.expected] ?? issue.expected
    case 'invalid_value':
      return listed(issue.values.map(String))
    case 'invalid_union':
      return listed(issue.errors.flatMap(([first]) => (first === undefined ? [] : wanted(first))))
    default:
      return issue.message
  }
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
