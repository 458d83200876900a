/**
 * The task template, `templates/tasks/<name>.md`: a task with `params:`; reading it and filling it in. Invariant 1: a
 * parameter never becomes part of a command: shell blocks don't change, and a value that would start or end one is
 * refused.
 * Invariant 2: filling in is strict: each `{{name}}` is a parameter, and each parameter has a value of its type.
 */
import type { Problem } from '../../domain/home/problem.ts'
import { type Block, endsInBlock, scanBody } from '../body/markdown.ts'
import { shellOf } from '../body/runbook.ts'
import { editDocument } from '../edit/edit-header.ts'
import { type Doc, readDocument } from '../header/document.ts'
import type { Read } from '../header/read-header.ts'
import { addProblem, type CheckContext } from '../values/check-value.ts'
import { withoutUndefined } from '../values/header-values.ts'
import { paramNames, readKind } from '../values/kind.ts'
import { choice, describe, type Infer, keys, map, text } from '../values/shape.ts'
import { readTask, titleOf } from './read-task.ts'
import { taskKeys } from './task-keys.ts'

const PARAM_TYPES = ['text', 'string', 'number', 'boolean'] as const

export interface Param {
  readonly name: string
  readonly type: (typeof PARAM_TYPES)[number]
  readonly default?: string
  readonly description: string
}

export interface Template {
  readonly title: string
  readonly params: readonly Param[]
  readonly body: string
}

export type Filled =
  | { readonly kind: 'ok'; readonly text: string; readonly env: Record<string, string> }
  | { readonly kind: 'bad'; readonly problems: readonly Problem[] }

const HOLE = /\{\{([^{}]*)\}\}/g

export const templateShape = keys({
  ...taskKeys,
  params: describe(
    'Parameters by name. `{{name}}` in title and text is replaced; `sh` blocks get parameters as environment variables.',
    map(
      keys({
        type: describe('Type of the value. Default: `text`.', choice(...PARAM_TYPES)),
        default: describe('Default value. A parameter without one is required.', text()),
        description: describe('Purpose of the parameter.', text()),
      }),
    ),
  ),
})
type TemplateGiven = Infer<typeof templateShape>

export function readTemplate(file: string, bytes: Buffer | string): Read<Template> {
  const read = readKind(file, bytes, {
    shape: templateShape,
    build: (known, doc, on) => buildTemplate(known, doc, { file, on }),
  })
  if (read.kind === 'ok' && endsInBlock(read.value.body))
    return { kind: 'unfinished', why: 'A code fence is not closed yet' }
  return read
}

function buildTemplate(known: TemplateGiven, doc: Doc, at: { file: string; on: CheckContext }): Template {
  const names = paramNames(at.on, doc.data['params'])
  const params = names.map((name): Param => {
    const { type = 'text', description = '', default: otherwise } = known.params?.[name] ?? {}
    return { name, type, description, ...withoutUndefined<{ default?: string }>({ default: otherwise }) }
  })
  return { title: titleOf(known.title, doc.body, at.file), params, body: doc.body }
}

/** Fills a template in. Values are given as text; the task keeps them under `params:`. */
export function fillTemplate(source: string, params: Readonly<Record<string, string>>): Filled {
  const file = 'template'
  const read = readDocument(file, source)
  const template = readTemplate(file, source)
  if (template.kind === 'bad') return template
  if (template.kind === 'unfinished') return { kind: 'bad', problems: [unfinished(file, template.why)] }
  if (read.kind !== 'ok') return { kind: 'bad', problems: [] }
  const doc = read.value
  const problems: Problem[] = []
  const on: CheckContext = {
    file,
    text: doc.text,
    source: doc.header?.source ?? '',
    from: doc.header?.from ?? 0,
    problems,
  }
  const env = valuesOf(template.value, params, on)
  const fill = (value: string): string => filledText(value, env, on)
  const title = typeof doc.data['title'] === 'string' ? fill(doc.data['title']) : undefined
  const body = filledBody(doc.body, fill, on)
  refuseHoles(doc, on)
  if (problems.length > 0) return { kind: 'bad', problems }
  const kept = Object.keys(env).length === 0 ? undefined : env
  const set = { params: undefined, ...(title === undefined ? {} : { title }) }
  const text = editDocument(editDocument(source, { set, body }), { set: { params: kept } })
  return checked(file, text, env)
}

/** Reports parameters that make the task invalid now, not when it runs. */
function checked(file: string, text: string, env: Record<string, string>): Filled {
  const task = readTask(file, text, 'UTC')
  if (task.kind === 'bad') return { kind: 'bad', problems: task.problems }
  return task.kind === 'ok'
    ? { kind: 'ok', text, env }
    : { kind: 'bad', problems: [unfinished(file, task.why)] }
}

function unfinished(file: string, why: string): Problem {
  const place = { file, line: null, column: null }
  return { ...place, severity: 'error', code: 'fence', message: why, hint: 'Close it' }
}

function valuesOf(
  template: Template,
  params: Readonly<Record<string, string>>,
  on: CheckContext,
): Record<string, string> {
  const known = template.params.map(({ name }) => name)
  for (const name of Object.keys(params).filter((one) => !known.includes(one)))
    complain(
      on,
      `unknown parameter "${name}"; ${known.length === 0 ? 'the template has none' : `known parameters are ${known.join(', ')}`}`,
    )
  return Object.fromEntries(
    template.params.map(({ name, type, default: otherwise }) => {
      const value = (Object.hasOwn(params, name) ? params[name] : undefined) ?? otherwise
      if (value === undefined) complain(on, `parameter "${name}" (${type}) is missing`)
      else if (!isOf(type, value))
        complain(on, `parameter "${name}": ${JSON.stringify(value)} is not a ${type}`)
      return [name, value ?? '']
    }),
  )
}

function isOf(type: Param['type'], value: string): boolean {
  if (value.includes('\0')) return false
  if (type === 'number') return /^-?\d+(?:\.\d+)?$/.test(value)
  return type !== 'boolean' || value === 'true' || value === 'false'
}

function filledText(value: string, env: Readonly<Record<string, string>>, on: CheckContext): string {
  return value.replaceAll(HOLE, (hole, inner: string) => {
    const name = inner.trim()
    if (Object.hasOwn(env, name)) return env[name] ?? ''
    complain(on, `${hole} is not a parameter of the template`)
    return hole
  })
}

/** Refuses `{{name}}` outside of title and prose, because it would not be filled in. */
function refuseHoles(doc: Doc, on: CheckContext): void {
  for (const [key, value] of Object.entries(doc.data)) {
    const [hole] = key === 'title' || key === 'params' ? [] : (JSON.stringify(value).match(HOLE) ?? [])
    if (hole !== undefined) complain(on, `${key} contains ${hole}; parameters work only in title and text`)
  }
}

/** Fills in the prose and leaves shell blocks as they are. */
function filledBody(body: string, fill: (text: string) => string, on: CheckContext): string {
  const blocks = scanBody(body).blocks.filter((block) => shellOf(block) !== null)
  const lines = body.split('\n')
  const isShell = (at: number): boolean => blocks.some(({ from, to }) => at >= from && at <= to)
  const filled = lines.map((line, at) => (isShell(at) ? line : fill(line))).join('\n')
  if (scriptsOf(scanBody(filled).blocks) !== scriptsOf(blocks))
    complain(on, 'a parameter value changes the shell blocks; use values without code fences and comments')
  return filled
}

function scriptsOf(blocks: readonly Block[]): string {
  return JSON.stringify(
    blocks.filter((block) => shellOf(block) !== null).map(({ info, lines }) => [info, lines]),
  )
}

function complain(on: CheckContext, message: string): void {
  addProblem(on, [], { code: 'type', message, hint: '' })
}
