/**
 * What follows from a tool's parameters: the schema and the help, and the reading of what a model sent. Invariant 1:
 * Arguments hold only names of the tool's parameters, each of its type and within its limits. Invariant 2: a wrong field
 * is named with what was found and what is allowed.
 */
import type { Json, JsonObject, ToolSpec } from '../../domain/agent/model-message.ts'
import { nearest } from '../../files/values/suggest.ts'
import type { Arguments, Param, Tool } from './tool.ts'

export type Value = Arguments[string]

/** The tool's description for a model. */
export function specOf(tool: Tool): ToolSpec {
  return {
    name: tool.name,
    description: [tool.summary, tool.docs].filter((text) => text !== '').join('\n'),
    schema: tool.schema ?? {
      type: 'object',
      properties: Object.fromEntries(tool.params.map((param) => [param.name, propertyOf(param)])),
      required: tool.params.filter((param) => param.required === 'yes').map((param) => param.name),
      additionalProperties: false,
    },
  }
}

/** Help for people: usage, what each parameter is, examples. */
export function helpOf(tool: Tool): string {
  const wide = Math.max(0, ...tool.params.map((param) => labelOf(param).length))
  const rows = tool.params.map((param) => `  ${labelOf(param).padEnd(wide)}  ${param.doc}${limitsOf(param)}`)
  return [
    `Usage: ${usageOf(tool)}`,
    tool.summary,
    ...(tool.docs === '' ? [] : [tool.docs]),
    ...(rows.length === 0 ? [] : ['', 'Parameters:', ...rows]),
    ...(tool.examples.length === 0 ? [] : ['', 'Examples:', ...tool.examples.map((line) => `  ${line}`)]),
  ].join('\n')
}

/** One line: flags, then what has a place. */
export function usageOf(tool: Tool): string {
  const flags = tool.params.filter((param) => param.typed === 'flag')
  const placed = tool.params.filter((param) => param.typed !== 'flag')
  return [tool.name, ...[...flags, ...placed].map((param) => usagePart(param))].join(' ')
}

/** Reads what a model sent. `null` counts as not given; `"12"` as a number for a numeric parameter. */
export function readArguments(
  tool: Tool,
  input: JsonObject,
): { readonly args: Arguments } | { readonly wrong: string } {
  if (tool.schema !== undefined) return { args: input as unknown as Arguments }
  const names = tool.params.map((param) => param.name)
  const strange = Object.keys(input).find((name) => !names.includes(name))
  if (strange !== undefined) return { wrong: unknownField(tool, strange) }
  const args: Record<string, Value> = {}
  for (const param of tool.params) {
    const given = Object.hasOwn(input, param.name) ? (input[param.name] ?? null) : null
    if (given === null) {
      if (param.required === 'no') continue
      return { wrong: `Cannot call ${tool.name}: "${param.name}" is missing; expected ${wanted(param)}` }
    }
    const value = readValue(param, given)
    if (value === null) {
      return {
        wrong: `Cannot call ${tool.name}: "${param.name}" is ${shown(given)}; expected ${wanted(param)}`,
      }
    }
    args[param.name] = value
  }
  return { args }
}

/** The value as the parameter's type; null if it is not of that type. */
export function readValue(param: Param, given: Json): Value | null {
  switch (param.type) {
    case 'string':
      return typeof given === 'string' && isAllowed(param, given) ? given : null
    case 'integer':
    case 'number':
      return numberOf(param, given)
    case 'boolean':
      return booleanOf(given)
    case 'strings': {
      const list = typeof given === 'string' ? [given] : given
      if (!Array.isArray(list)) return null
      const texts = list.filter((one): one is string => typeof one === 'string' && isAllowed(param, one))
      return texts.length === list.length ? texts : null
    }
  }
}

/** What a parameter takes, for sentences. */
export function wanted(param: Param): string {
  const kinds = {
    string: 'a string',
    integer: 'an integer',
    number: 'a number',
    boolean: 'true or false',
    strings: 'a list of strings',
  }
  return `${kinds[param.type]}${limitsOf(param)}`
}

/** The sentence on a field that the tool does not have. */
export function unknownField(tool: Tool, name: string): string {
  const names = tool.params.map((param) => param.name)
  const near = nearest(name, names)
  const hint = near === null ? '' : ` (did you mean "${near}"?)`
  const known = names.length === 0 ? 'none' : names.join(', ')
  return `Cannot call ${tool.name}: unknown parameter "${clip(name)}"${hint}; its parameters are ${known}`
}

function numberOf(param: Param, given: Json): number | null {
  const text = typeof given === 'string' ? given.trim() : ''
  const value = /^[+-]?\d+(\.\d+)?$/.test(text) ? Number(text) : given
  if (typeof value !== 'number' || !Number.isFinite(value)) return null
  if (param.type === 'integer' && !Number.isSafeInteger(value)) return null
  return value >= (param.least ?? value) && value <= (param.most ?? value) ? value : null
}

function booleanOf(given: Json): boolean | null {
  if (typeof given === 'boolean') return given
  if (given === 'true') return true
  return given === 'false' ? false : null
}

function isAllowed(param: Param, text: string): boolean {
  return param.allowed === undefined || param.allowed.includes(text)
}

function propertyOf(param: Param): JsonObject {
  const description = param.doc
  if (param.type === 'strings') {
    return { type: 'array', items: { type: 'string', ...listed(param) }, description }
  }
  return {
    type: param.type,
    description,
    ...listed(param),
    ...(param.least === undefined ? {} : { minimum: param.least }),
    ...(param.most === undefined ? {} : { maximum: param.most }),
  }
}

function listed(param: Param): JsonObject {
  return param.allowed === undefined ? {} : { enum: param.allowed }
}

function limitsOf(param: Param): string {
  if (param.allowed !== undefined) return ` (one of ${param.allowed.join(', ')})`
  const { least, most } = param
  if (least !== undefined && most !== undefined) return ` (${least} to ${most})`
  if (least !== undefined) return ` (at least ${least})`
  return most === undefined ? '' : ` (at most ${most})`
}

function labelOf(param: Param): string {
  if (param.typed !== 'flag') return placeOf(param)
  const short = param.short === undefined ? '' : `-${param.short}, `
  return `${short}${flagOf(param)}`
}

function usagePart(param: Param): string {
  const part = param.typed === 'flag' ? flagOf(param) : placeOf(param)
  return param.required === 'yes' ? part : `[${part}]`
}

function flagOf(param: Param): string {
  const name = `--${param.name.replaceAll('_', '-')}`
  return param.type === 'boolean' ? name : `${name}=${param.name.toUpperCase()}`
}

function placeOf(param: Param): string {
  const name = param.name.toUpperCase()
  return param.typed === 'rest' || param.type === 'strings' ? `${name}…` : name
}

function shown(given: Json): string {
  return clip(JSON.stringify(given))
}

/** Enough to recognise it by, and no more: a wrong value may be a whole file. */
function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
