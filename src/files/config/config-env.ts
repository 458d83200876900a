/**
 * The environment in the configuration: `${NAME}` inside values, `NEO_HTTP__PORT=9000` to override them, and `.env`
 * files.
 * Invariant 1: an unset or empty variable makes the value absent, which is an error only if it is required.
 */

import type { Path } from '../header/yaml.ts'
import { isMap } from '../../domain/text/is-map.ts'
import type { Shape } from '../values/shape.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export interface WithEnvironment {
  readonly data: Record<string, unknown>
  /** The variable that set the value at a path; null if the file did. */
  readonly variableAt: (path: Path) => string | null
}

/** Variables that are not keys of neo.yaml. */
const NO_KEYS = new Set(['NEO_HOME', 'NEO_NODE', 'NEO_TRUST'])
/** `NEO_LOG=debug` is short for the variable of `log.level`. */
const LOG = 'NEO_LOG'
const LOG_LEVEL = 'NEO_LOG__LEVEL'
const NAME = /\$\$\{|\$\{([A-Za-z_]\w*)\}/g

interface Work {
  readonly env: Environment
  readonly from: Map<string, string>
}

/** Fills in `${NAME}` (`$${` is a literal `${`), then lays `NEO_` variables over the data. */
export function withEnvironment(
  data: Record<string, unknown>,
  shape: Shape<unknown>,
  env: Environment,
): WithEnvironment {
  const work: Work = { env, from: new Map() }
  const filled = filledIn(work, { value: data, shape, path: [] }) as Record<string, unknown>
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith('NEO_') || NO_KEYS.has(name) || value === undefined || value === '') continue
    if (name === LOG && (env[LOG_LEVEL] ?? '') !== '') continue
    const path = (name === LOG ? LOG_LEVEL : name).slice(4).split('__')
    override(work, { into: filled, shape, path, name, value, done: [] })
  }
  return { data: filled, variableAt: (path) => work.from.get(keyOf(path)) ?? null }
}

/** The pairs of a `.env` file: `NAME=value`, `export NAME="value"`; other lines are skipped. */
export function parseEnvFile(text: string): Record<string, string> {
  const pairs = text.split(/\r?\n/).flatMap((line) => {
    const [, name, raw] = /^(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*)$/.exec(line.trim()) ?? []
    return name === undefined || raw === undefined ? [] : [[name, unquoted(raw)] as const]
  })
  return Object.fromEntries(pairs)
}

function unquoted(raw: string): string {
  const double = /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/.exec(raw)?.[1]
  if (double !== undefined)
    return double.replaceAll(/\\(.)/g, (_, char: string) =>
      char === 'n' ? '\n' : char === 't' ? '\t' : char,
    )
  const single = /^'([^']*)'\s*(?:#.*)?$/.exec(raw)?.[1]
  return single ?? raw.replace(/(?:^|\s+)#.*$/, '')
}

interface At {
  readonly value: unknown
  readonly shape: Shape<unknown> | undefined
  readonly path: Path
}

function filledIn(work: Work, { value, shape, path }: At): unknown {
  if (typeof value === 'string')
    return value.includes('${') ? filledText(work, { value, shape, path }) : value
  if (Array.isArray(value)) {
    const of = shape?.kind === 'list' ? shape.of : undefined
    return value.map((item, at) => filledIn(work, { value: item, shape: of, path: [...path, at] }))
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      filledIn(work, { value: item, shape: inner(shape, key), path: [...path, key] }),
    ]),
  )
}

function filledText(work: Work, at: At & { readonly value: string }): unknown {
  const names: string[] = []
  let isMissing = false
  const text = at.value.replaceAll(NAME, (whole, name: string | undefined) => {
    if (name === undefined) return whole.slice(1)
    names.push(name)
    const found = work.env[name]
    if (found === undefined || found === '') isMissing = true
    return found ?? ''
  })
  if (isMissing) return null
  const [name] = names
  if (name !== undefined) work.from.set(keyOf(at.path), name)
  return name === undefined ? text : typed(text, at.shape)
}

interface Override {
  readonly into: Record<string, unknown>
  readonly shape: Shape<unknown> | undefined
  /** The rest of the variable's name. */
  readonly path: readonly string[]
  readonly name: string
  readonly value: string
  readonly done: readonly string[]
}

/** Sets one value. A variable whose first part isn't a section of neo.yaml is ignored. */
function override(work: Work, { into, shape, path, name, value, done }: Override): void {
  const [first, ...more] = path
  const key = first === undefined ? undefined : keyFor(first, into, shape)
  if (key === undefined) return
  const below = inner(shape, key)
  if (more.length === 0) {
    into[key] = typed(value, below)
    work.from.set(keyOf([...done, key]), name)
    return
  }
  const present = into[key]
  const next = isMap(present) ? present : {}
  into[key] = next
  override(work, { into: next, shape: below, path: more, name, value, done: [...done, key] })
}

/** The key for a part of a variable's name: a present one, else an allowed one. */
function keyFor(
  part: string,
  into: Record<string, unknown>,
  shape: Shape<unknown> | undefined,
): string | undefined {
  const plain = (key: string): string => key.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')
  const known = shape?.kind === 'keys' ? Object.keys(shape.keys) : []
  const found = [...Object.keys(into), ...known].find((key) => plain(key) === part.toUpperCase())
  return found ?? (shape?.kind === 'map' ? part.toLowerCase() : undefined)
}

/** The text of a variable as the type of its shape. */
function typed(text: string, shape: Shape<unknown> | undefined): unknown {
  switch (shape?.kind) {
    case 'number':
      return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text
    case 'flag':
      return text === 'true' || text === 'false' ? text === 'true' : text
    case 'list':
      return text.split(',').map((item) => typed(item.trim(), shape.of))
    default:
      return text
  }
}

function inner(shape: Shape<unknown> | undefined, key: string): Shape<unknown> | undefined {
  if (shape?.kind === 'map') return shape.of
  return shape?.kind === 'keys' && Object.hasOwn(shape.keys, key) ? shape.keys[key] : undefined
}

function keyOf(path: Path): string {
  return JSON.stringify(path)
}
