/**
 * Schema and arguments of actions, from one description. Names may come in camelCase or snake_case or as an alias, lists
 * as one text with commas, numbers as texts. Invariant 1: an argument that is not understood is a flaw of the whole
 * action, never left out.
 */
import type { Json, JsonObject, ToolSpec } from '../../domain/agent/model-message.ts'
import type { Action, Arguments, Param } from './action.ts'

export type Checked =
  | { readonly kind: 'ok'; readonly args: Arguments }
  | { readonly kind: 'flaw'; readonly text: string }

/** The action's description for a model. */
export function toolOf({ name, doc, params }: Action): ToolSpec {
  const required = params.filter((param) => param.required === 'yes').map((param) => param.name)
  const properties = Object.fromEntries(params.map((param) => [param.name, schemaOf(param)]))
  return {
    name,
    description: doc,
    schema: { type: 'object', properties, required, additionalProperties: false },
  }
}

function schemaOf({ type, of, doc: description }: Param): JsonObject {
  switch (type) {
    case 'line':
    case 'text':
      return { type: 'string', description }
    case 'texts':
      return { type: 'array', items: { type: 'string' }, description }
    case 'count':
      return { type: 'integer', minimum: 1, description }
    case 'choice':
      return { type: 'string', enum: [...(of ?? [])], description }
    case 'object':
      return { type: 'object', description }
  }
}

/** Checks what a model sent. The flaw says what is wanted, in one line. */
export function checkArguments({ name, params }: Action, input: JsonObject): Checked {
  const args: Record<string, Arguments[string]> = {}
  for (const [key, value] of Object.entries(input)) {
    if (value === null) continue
    const param = paramOf(params, key)
    if (param === null)
      return flaw(
        `${name} has no argument "${key.slice(0, 60)}"; its arguments are ${params.map((one) => one.name).join(', ')}`,
      )
    if (args[param.name] !== undefined) return flaw(`"${param.name}" was given twice`)
    const read = readValue(param, value)
    if (read === null) return flaw(`"${param.name}" is ${shown(value)}; expected ${wanted(param)}`)
    if (read !== '') args[param.name] = read
  }
  const lacks = params.find((param) => param.required === 'yes' && args[param.name] === undefined)
  if (lacks !== undefined) return flaw(`"${lacks.name}" is missing; expected ${wanted(lacks)}`)
  return { kind: 'ok', args }
}

function flaw(text: string): Checked {
  return { kind: 'flaw', text }
}

function paramOf(params: readonly Param[], key: string): Param | null {
  const plain = key
    .trim()
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase()
  return params.find((param) => param.name === plain || param.aliases?.includes(plain) === true) ?? null
}

/** Null if the value is not understood; '' counts as not given. */
function readValue(param: Param, value: Json): Arguments[string] | null {
  switch (param.type) {
    case 'line':
      return lineOf(value)
    case 'text':
      return scalarOf(value)?.trim() ?? null
    case 'texts':
      return textsOf(value)
    case 'count':
      return countOf(value)
    case 'choice':
      return choiceOf(param.of ?? [], value)
    case 'object':
      return objectOf(value)
  }
}

function scalarOf(value: Json): string | null {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null
}

function lineOf(value: Json): string | null {
  return scalarOf(value)?.replaceAll(/\s+/g, ' ').trim() ?? null
}

function textsOf(value: Json): readonly string[] | null {
  if (typeof value === 'string') return splitList(value)
  if (!Array.isArray(value)) return null
  const items = (value as readonly Json[]).map(lineOf)
  return items.includes(null) ? null : items.filter((item): item is string => item !== null && item !== '')
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

function countOf(value: Json): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isInteger(number) && number >= 1 ? number : null
}

function choiceOf(of: readonly string[], value: Json): string | null {
  const said = lineOf(value)?.toLowerCase()
  return of.find((one) => one === said) ?? null
}

function objectOf(value: Json): JsonObject | null {
  if (typeof value === 'string') return parsedObject(value)
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as JsonObject) : null
}

function parsedObject(text: string): JsonObject | null {
  try {
    const value = JSON.parse(text) as Json
    return typeof value === 'string' ? null : objectOf(value)
  } catch {
    return null
  }
}

function wanted({ type, of }: Param): string {
  const words = {
    line: 'a string',
    text: 'a string',
    texts: 'a list of strings',
    count: 'an integer of 1 or more',
    object: 'an object',
  }
  return type === 'choice' ? `one of ${(of ?? []).join(', ')}` : words[type]
}

function shown(value: Json): string {
  const text = JSON.stringify(value)
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`
}
