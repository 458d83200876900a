/** Checks the data of a document against a shape. */
import { isMap } from '../../domain/text/is-map.ts'
import type { Problem, Severity } from '../../domain/home/problem.ts'
import { placeOf } from '../header/read-header.ts'
import { locate, type Path } from '../header/yaml.ts'
import type { Shape } from './shape.ts'
import { nearestHint } from './suggest.ts'
import {
  FOREIGN,
  gapIn,
  type KeysShape,
  LONGEST_LIST,
  mapAround,
  restrains,
  unknownKey,
} from './unknown-key.ts'

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
  /** The map around this one. */
  readonly around?: KeysShape | undefined
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

function checkAt(at: At, shape: Shape<unknown>, value: unknown): unknown {
  const { on, path } = at
  if (value === null || value === undefined) return undefined
  switch (shape.kind) {
    case 'any':
      return value
    case 'text':
      return asText({ on, path }, shape, value)
    case 'choice':
      return typeof value === 'string' && shape.of.includes(value) ? value : wrong({ on, path }, shape, value)
    case 'number':
      return asNumber({ on, path }, shape, value)
    case 'flag':
      return typeof value === 'boolean' ? value : wrong({ on, path }, shape, value)
    case 'list':
      return asList({ on, path }, shape, value)
    case 'map':
      return isMap(value) ? asMap({ on, path }, shape, value) : wrong({ on, path }, shape, value)
    case 'keys':
      return isMap(value) ? asKeys(at, shape, value) : wrong({ on, path }, shape, value)
    case 'either': {
      const fitting = shape.of.find((one) => fits(one, value))
      return fitting === undefined ? wrong({ on, path }, shape, value) : checkAt(at, fitting, value)
    }
  }
}

function asText({ on, path }: At, shape: Shape<unknown> & { kind: 'text' }, value: unknown): unknown {
  const plain = typeof value === 'number' || (typeof value === 'boolean' && shape.refusesFlags !== true)
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

function asKeys({ on, path, around }: At, shape: KeysShape, value: object): unknown {
  const read: Record<string, unknown> = {}
  const isUnknown = (key: string) => !Object.hasOwn(shape.keys, key)
  for (const key of Object.keys(value).filter(isUnknown))
    noteUnknown({ on, path: [...path, key], around }, shape)
  for (const [key, item] of Object.entries(value)) {
    const known = isUnknown(key) ? undefined : shape.keys[key]
    if (known === undefined) continue
    if (restrains(key, shape) && isUnsaid({ on, path: [...path, key] }, known, item)) continue
    else if (isRight(known, item)) read[key] = item
    else if (item !== null && item !== undefined)
      read[key] = checkAt({ on, path: [...path, key], around: mapAround(key, shape) }, known, item)
  }
  return read
}

function noteUnknown({ on, path, around }: At, shape: KeysShape): void {
  const key = String(path.at(-1))
  const said = unknownKey(key, shape, { name: nameOf(path), around })
  const isSilent = path.length === 1 && on.file.endsWith('.md') && FOREIGN.has(key.toLowerCase())
  if (said !== null && !(isSilent && said.severity === 'warning')) addProblem(on, path, said)
}

/** Errors that say more than that a value is missing. */
const WHY_EMPTY: ReadonlySet<string> = new Set(['comment', 'unknown-key'])

/** Notes what is empty in the value of a key that restrains; true if all of it. Undefined: its variable is not set. */
function isUnsaid({ on, path }: At, shape: Shape<unknown>, value: unknown): boolean {
  const gap = gapIn(value)
  const isNone = Array.isArray(value) && value.length === 0
  const isFilled = shape.kind === 'list' && shape.isFilled === true
  const isError = gap !== null || (isNone && isFilled)
  if (!isError && value !== undefined && !(isNone && shape.restrains === true)) return false
  const place = [...path, ...(gap ?? [])]
  // A comment that takes the value, or a key at the wrong indentation.
  if (!on.problems.some(({ code, severity }) => severity === 'error' && WHY_EMPTY.has(code)))
    addProblem(on, place, {
      code: 'empty',
      severity: isError ? 'error' : 'warning',
      message: `${nameOf(place)}: ${isNone ? 'the list is empty' : 'no value'}`,
      hint: 'Set a value, or remove the key',
    })
  return gap?.length === 0
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

/** No hint to remove the line: it may be a limit. Nor a default: the first choice may remove a safeguard. */
function wrong({ on, path }: At, shape: Shape<unknown>, value: unknown): undefined {
  const hint = nearestHint(String(value), shape.kind === 'choice' ? shape.of : [], `Use ${wanted(shape)}`)
  addProblem(on, path, { code: 'type', message: invalid(path, value), hint })
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
