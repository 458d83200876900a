/**
 * Holds a document's data against a shape. Invariant 1: its verdict is that of the zod schema of the same shape (a
 * property).
 */
import type { Problem, Severity } from '../../domain/home/problem.ts'
import { placeOf } from '../header/fence.ts'
import type { Shape } from './shape.ts'
import { nearest } from './suggest.ts'
import { locate, locateKey, type Path } from '../header/yaml.ts'

const FOREIGN: ReadonlySet<string> = new Set(
  `
    aliases alias author authors banner category categories cover created created_at cssclass
    cssclasses date icon id kanban-plugin lang last_modified layout lastmod modified permalink
    publish published slug source tag tags uid updated updated_at url uuid version weight assignee
    assignees reporter sprint epic created_date updated_date date_created date_modified ordinal
    milestone references project component estimate points owner parent type keywords comments
    scheduled start start_date completed completed_at color pinned
  `
    .trim()
    .split(/\s+/),
)

function isForeign(key: string, file: string): boolean {
  return file.endsWith('.md') && FOREIGN.has(key.toLowerCase())
}

/** What a check works on. */
export interface Checked {
  readonly file: string
  /** The whole text of the file, and the part of it that is YAML. */
  readonly text: string
  readonly source: string
  readonly from: number
  readonly problems: Problem[]
  /** Values from the environment are text wherever they go; see config-env.ts. */
  readonly isFromEnvironment?: (path: Path) => string | null
}

/** A place in the data that is checked. */
interface At {
  readonly on: Checked
  readonly path: Path
}

/** The value in the form that the shape gives; undefined where it is absent or does not fit (a problem is noted). */
export function check<T>(on: Checked, shape: Shape<T>, value: unknown): T | undefined {
  return checkAt({ on, path: [] }, shape, value) as T | undefined
}

/** Notes a problem with the value at a path. */
export function note(
  on: Checked,
  path: Path,
  said: { code: string; message: string; hint: string; severity?: Severity },
): void {
  const variable = on.isFromEnvironment?.(path) ?? null
  const offset = variable === null ? offsetOf(on, path, said.code) : null
  const place = offset === null ? { line: null, column: null } : placeOf(on.text, on.from + offset)
  const message = variable === null ? said.message : `${said.message} (from ${variable})`
  on.problems.push({ file: on.file, ...place, severity: 'error', ...said, message })
}

/** An unknown key is wrong itself; else the value is. */
function offsetOf(on: Checked, path: Path, code: string): number | null {
  return code === 'unknown-key' ? locateKey(on.source, path) : (locate(on.source, path)?.offset ?? null)
}

function checkAt({ on, path }: At, shape: Shape<unknown>, value: unknown): unknown {
  if (value === null || value === undefined) return undefined
  switch (shape.kind) {
    case 'any':
      return value
    case 'text':
      return asText({ on, path }, shape, value)
    case 'choice':
      return typeof value === 'string' && shape.of.includes(value)
        ? value
        : wrongChoice({ on, path }, shape, value)
    case 'number':
      return asNumber({ on, path }, shape, value)
    case 'flag':
      return typeof value === 'boolean' ? value : wrong({ on, path }, shape, value)
    case 'list':
      return asList({ on, path }, shape, value)
    case 'map':
      return isMap(value) ? asMap({ on, path }, shape, value) : wrong({ on, path }, shape, value)
    case 'keys':
      return isMap(value) ? asKeys({ on, path }, shape, value) : wrong({ on, path }, shape, value)
    case 'either': {
      const fitting = shape.of.find((one) => fits(one, value))
      return fitting === undefined ? wrong({ on, path }, shape, value) : checkAt({ on, path }, fitting, value)
    }
  }
}

function asText({ on, path }: At, shape: Shape<unknown> & { kind: 'text' }, value: unknown): unknown {
  const plain = typeof value === 'number' || typeof value === 'boolean'
  if (typeof value !== 'string' && !plain) return wrong({ on, path }, shape, value)
  const read = typeof value === 'string' ? value : (locate(on.source, path)?.source ?? String(value))
  return shape.accepts === undefined || shape.accepts(read) ? read : wrong({ on, path }, shape, read)
}

function asNumber({ on, path }: At, shape: Shape<unknown> & { kind: 'number' }, value: unknown): unknown {
  const isNumber = typeof value === 'number' && value >= shape.min && value <= shape.max
  if (isNumber && (shape.whole === 'no' || Number.isSafeInteger(value))) return value
  return wrong({ on, path }, shape, value)
}

function asList({ on, path }: At, shape: Shape<unknown> & { kind: 'list' }, value: unknown): unknown {
  if (Array.isArray(value))
    return value.flatMap((item, at) => checkAt({ on, path: [...path, at] }, shape.of, item) ?? [])
  if (shape.one === 'no' || !fits(shape.of, value)) return wrong({ on, path }, shape, value)
  const only = checkAt({ on, path }, shape.of, value)
  return only === undefined ? undefined : [only]
}

function asMap({ on, path }: At, shape: Shape<unknown> & { kind: 'map' }, value: object): unknown {
  const entries = Object.entries(value).map(([key, item]) => [
    key,
    checkAt({ on, path: [...path, key] }, shape.of, item),
  ])
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined))
}

function asKeys({ on, path }: At, shape: Shape<unknown> & { kind: 'keys' }, value: object): unknown {
  const read: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value)) {
    const known = Object.hasOwn(shape.keys, key) ? shape.keys[key] : undefined
    if (known === undefined) unknownKey({ on, path: [...path, key] }, shape)
    else if (isRight(known, item)) read[key] = item
    else if (item !== null) read[key] = checkAt({ on, path: [...path, key] }, known, item)
  }
  return read
}

/** True for a value that is right as it is; the short way for most values. A false means: look closer. */
function isRight(shape: Shape<unknown>, value: unknown): boolean {
  switch (shape.kind) {
    case 'text':
      return typeof value === 'string' && (shape.accepts === undefined || shape.accepts(value))
    case 'choice':
      return typeof value === 'string' && shape.of.includes(value)
    case 'list':
      return Array.isArray(value) && value.every((item) => isRight(shape.of, item))
    default:
      return false
  }
}

function unknownKey({ on, path }: At, { keys, harmless }: Shape<unknown> & { kind: 'keys' }): void {
  const key = String(path.at(-1))
  if (harmless?.includes(key) === true) return
  if (harmless === undefined && path.length === 1 && isForeign(key, on.file)) return
  const known = Object.keys(keys)
  const meant = nearest(key, known)
  const leave =
    harmless === undefined ? 'Remove it, or leave it: Neo keeps it and does nothing with it' : null
  note(on, path, {
    code: 'unknown-key',
    severity: harmless === undefined ? 'warning' : 'error',
    message: `${nameOf(path)} is not a known key${meant === null ? once(on, `; known keys: ${known.join(', ')}`) : `; did you mean ${meant}?`}`,
    hint:
      meant === null
        ? (leave ?? 'Remove it: it may have been meant to limit who is heard')
        : `Write ${meant}:`,
  })
}

/** A list that a problem of this file has told already is not told again. */
function once({ problems }: Checked, list: string): string {
  return problems.some(({ message }) => message.endsWith(list)) ? '' : list
}

function wrongChoice(
  { on, path }: At,
  shape: Shape<unknown> & { kind: 'choice' },
  value: unknown,
): undefined {
  const meant = nearest(String(value), shape.of)
  note(on, path, {
    code: 'type',
    message: `${nameOf(path)} is ${shown(value)}, want one of ${shape.of.join(', ')}`,
    // The first of them may be the one without a safeguard: whoever meant something else chooses.
    hint: meant === null ? `Write one of ${shape.of.join(', ')}` : `Write ${keyOf(path)}: ${meant}`,
  })
}

function wrong({ on, path }: At, shape: Shape<unknown>, value: unknown): undefined {
  note(on, path, {
    code: 'type',
    message: `${nameOf(path)} is ${shown(value)}, want ${wanted(shape)}`,
    hint: `Give ${keyOf(path)} ${wanted(shape)}, or remove the line`,
  })
}

/** Whether a value is of the type that a shape is about, right or not. */
function fits(shape: Shape<unknown>, value: unknown): boolean {
  switch (shape.kind) {
    case 'any':
      return true
    case 'text':
    case 'choice':
      return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    case 'number':
      return typeof value === 'number'
    case 'flag':
      return typeof value === 'boolean'
    case 'list':
      return Array.isArray(value) || (shape.one === 'yes' && fits(shape.of, value))
    case 'map':
    case 'keys':
      return isMap(value)
    case 'either':
      return shape.of.some((one) => fits(one, value))
  }
}

/** What a shape wants, for messages. */
function wanted(shape: Shape<unknown>): string {
  switch (shape.kind) {
    case 'any':
      return 'a value'
    case 'text':
      return shape.want
    case 'choice':
      return `one of ${shape.of.join(', ')}`
    case 'number':
      return `a ${shape.whole === 'yes' ? 'whole ' : ''}number ${range(shape.min, shape.max)}`
    case 'flag':
      return 'true or false'
    case 'list':
      return 'a list such as [a, b]'
    case 'map':
      return 'keys and values such as { name: value }'
    case 'keys':
      return `keys of ${Object.keys(shape.keys).join(', ')}`
    case 'either':
      return shape.of.map(wanted).join(', or ')
  }
}

function range(min: number, max: number): string {
  return max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a map'
  const said = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return said.length > 60 ? `${said.slice(0, 59)}…` : said
}

function nameOf(path: Path): string {
  return path.reduce<string>((name, step) => {
    if (typeof step === 'number') return `${name}[${step}]`
    return name === '' ? step : `${name}.${step}`
  }, '')
}

function keyOf(path: Path): string {
  return String(path.findLast((step) => typeof step === 'string') ?? 'it')
}

function isMap(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
