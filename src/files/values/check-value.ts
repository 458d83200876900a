/** Checks the data of a document against a shape. Invariant 1: the zod schema of the shape has the same verdict. */
import { isMap } from '../../domain/text/is-map.ts'
import type { Problem, Severity } from '../../domain/home/problem.ts'
import { placeOf } from '../header/read-header.ts'
import { locate, type Path } from '../header/yaml.ts'
import type { Shape } from './shape.ts'
import { nearest } from './suggest.ts'

/** Keys that other tools write into markdown files, without a warning. */
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

export interface CheckContext {
  readonly file: string
  /** The whole text of the file; `source` is its YAML, which starts at `from`. */
  readonly text: string
  readonly source: string
  readonly from: number
  readonly problems: Problem[]
  /** The environment variable that set the value at a path; see config-env.ts. */
  readonly isFromEnvironment?: (path: Path) => string | null
}

interface At {
  readonly on: CheckContext
  readonly path: Path
}

/** The value as its shape describes it; undefined if absent, or if invalid, which adds a problem. */
export function check<T>(on: CheckContext, shape: Shape<T>, value: unknown): T | undefined {
  return checkAt({ on, path: [] }, shape, value) as T | undefined
}

/** Adds a problem with the value at a path. */
export function addProblem(
  on: CheckContext,
  path: Path,
  problem: { code: string; message: string; hint: string; severity?: Severity },
): void {
  const variable = on.isFromEnvironment?.(path) ?? null
  // An unknown key is marked itself, otherwise its value.
  const mark = problem.code === 'unknown-key' ? 'key' : 'offset'
  const offset = variable === null ? locate(on.source, path)[mark] : null
  const place = offset === null ? { line: null, column: null } : placeOf(on.text, on.from + offset)
  const message = variable === null ? problem.message : `${problem.message} (from ${variable})`
  on.problems.push({ file: on.file, ...place, severity: 'error', ...problem, message })
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
  const read = typeof value === 'string' ? value : (locate(on.source, path).source ?? String(value))
  return shape.accepts === undefined || shape.accepts(read) ? read : wrong({ on, path }, shape, read)
}

function asNumber({ on, path }: At, shape: Shape<unknown> & { kind: 'number' }, value: unknown): unknown {
  const isNumber = typeof value === 'number' && value >= shape.min && value <= shape.max
  if (isNumber && (!shape.isInteger || Number.isSafeInteger(value))) return value
  return wrong({ on, path }, shape, value)
}

const places = new WeakMap<object, number>()

/** The index in the file of an item that was read: empty and invalid items before it are left out. */
export function placeInList(item: object): number {
  return places.get(item) ?? 0
}

function asList({ on, path }: At, shape: Shape<unknown> & { kind: 'list' }, value: unknown): unknown {
  if (Array.isArray(value))
    return value.flatMap((item, at) => {
      const read = checkAt({ on, path: [...path, at] }, shape.of, item)
      if (isMap(read)) places.set(read, at)
      return read ?? []
    })
  if (!shape.acceptsSingle || !fits(shape.of, value)) return wrong({ on, path }, shape, value)
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

/** The fast path for most values; false means that the value needs the full check. */
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

function unknownKey({ on, path }: At, { keys, harmless, unused }: Shape<unknown> & { kind: 'keys' }): void {
  const key = String(path.at(-1))
  if (harmless?.includes(key) === true) return
  if (unused?.includes(key) === true) {
    noteUnused(on, path)
    return
  }
  if (harmless === undefined && path.length === 1 && isForeign(key, on.file)) return
  const known = Object.keys(keys)
  const meant = nearest(key, known)
  addProblem(on, path, {
    code: 'unknown-key',
    severity: harmless === undefined ? 'warning' : 'error',
    message: `unknown key "${nameOf(path)}"`,
    hint: meant === null ? knownHint(known, harmless !== undefined) : `Did you mean "${meant}"?`,
  })
}

/** Adds a warning that a value is accepted and has no effect. */
function noteUnused(on: CheckContext, path: Path): void {
  addProblem(on, path, {
    code: 'unused',
    severity: 'warning',
    message: `"${nameOf(path)}" has no effect in this version`,
    hint: 'Remove it, or keep it for a later version',
  })
}

/** Longest list in a message. */
const LONGEST_LIST = 80

function knownHint(known: readonly string[], isStrict: boolean): string {
  const list = known.join(', ')
  if (isStrict) return `Correct or remove it; known keys are ${list}`
  return list.length > LONGEST_LIST ? 'Remove it, or keep it: Neo ignores it' : `Known keys are ${list}`
}

function wrongChoice(
  { on, path }: At,
  shape: Shape<unknown> & { kind: 'choice' },
  value: unknown,
): undefined {
  const meant = nearest(String(value), shape.of)
  addProblem(on, path, {
    code: 'type',
    message: invalid(path, value),
    // No default suggestion: the first value may be the one that removes a safeguard.
    hint: meant === null ? `Use ${wanted(shape)}` : `Did you mean "${meant}"?`,
  })
}

/** No hint to remove the line: it may be a limit. */
function wrong({ on, path }: At, shape: Shape<unknown>, value: unknown): undefined {
  addProblem(on, path, { code: 'type', message: invalid(path, value), hint: `Use ${wanted(shape)}` })
}

function invalid(path: Path, value: unknown): string {
  if (Array.isArray(value)) return `${nameOf(path)}: unexpected list`
  if (typeof value === 'object') return `${nameOf(path)}: unexpected keys and values`
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return `${nameOf(path)}: invalid value ${text.length > 60 ? `${text.slice(0, 59)}…` : text}`
}

/** True if a value has the type that a shape describes, valid or not. */
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
      return Array.isArray(value) || (shape.acceptsSingle && fits(shape.of, value))
    case 'map':
    case 'keys':
      return isMap(value)
    case 'either':
      return shape.of.some((one) => fits(one, value))
  }
}

function wanted(shape: Shape<unknown>): string {
  switch (shape.kind) {
    case 'any':
      return 'a value'
    case 'text':
      return shape.expected
    case 'choice':
      return `one of ${shape.of.join(', ')}`
    case 'number':
      return `a ${shape.isInteger ? 'whole ' : ''}number ${range(shape.min, shape.max)}`
    case 'flag':
      return 'true or false'
    case 'list':
      return 'a list such as [a, b]'
    case 'map':
      return 'keys and values such as { name: value }'
    case 'keys':
      return keysText(Object.keys(shape.keys).join(', '))
    case 'either':
      return shape.of.map(wanted).join(', or ')
  }
}

function keysText(list: string): string {
  return list.length > LONGEST_LIST ? 'a map of keys and values' : `the keys ${list}`
}

function range(min: number, max: number): string {
  return max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
}

/** `agent.contexts[0].type` */
export function nameOf(path: Path): string {
  return path.reduce<string>((name, step) => {
    if (typeof step === 'number') return `${name}[${step}]`
    return name === '' ? step : `${name}.${step}`
  }, '')
}
