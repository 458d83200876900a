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
import { buildKind, contextOf, paramNames } from '../values/kind.ts'
import { choice, describe, type Infer, keys, map, text } from '../values/shape.ts'
import { OPEN_FENCE, readTask, titleOf } from './read-task.ts'
import { keysOfRooms, taskKeys } from './task-keys.ts'

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

export const templateShape = keys(
  {
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
  },
  { elsewhere: keysOfRooms },
)
type TemplateGiven = Infer<typeof templateShape>

export function readTemplate(file: string, bytes: Buffer | string): Read<Template> {
  const read = readDocument(file, bytes)
  return read.kind === 'ok' ? templateOf(file, read.value) : read
}

function templateOf(file: string, doc: Doc): Read<Template> {
  const read = buildKind(file, doc, {
    shape: templateShape,
    build: (known, _, on) => buildTemplate(known, doc, { file, on }),
  })
  return read.kind === 'ok' && endsInBlock(doc.body) ? OPEN_FENCE : read
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
  if (read.kind !== 'ok') return notRead(file, read)
  const doc = read.value
  const template = templateOf(file, doc)
  if (template.kind !== 'ok') return notRead(file, template)
  const on = contextOf(file, doc)
  const env = valuesOf(template.value, params, on)
  const fill = (value: string): string => filledText(value, env, on)
  const title = typeof doc.data['title'] === 'string' ? fill(doc.data['title']) : undefined
  const body = filledBody(doc.body, fill, on)
  refuseHoles(doc, on)
  if (on.problems.length > 0) return { kind: 'bad', problems: on.problems }
  const kept = Object.keys(env).length === 0 ? undefined : env
  const set = { params: undefined, ...(title === undefined ? {} : { title }) }
  const text = editDocument(editDocument(source, { set, body }), { set: { params: kept } })
  // Parameters that make the task invalid are reported now, not when it runs.
  const task = readTask(file, text, 'UTC')
  return task.kind === 'ok' ? { kind: 'ok', text, env } : notRead(file, task)
}

function notRead(file: string, read: Exclude<Read<unknown>, { kind: 'ok' }>): Filled {
  if (read.kind === 'bad') return read
  const at = { file, line: null, column: null, severity: 'error', code: 'fence' } as const
  return { kind: 'bad', problems: [{ ...at, message: read.why, hint: 'Close it' }] }
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
