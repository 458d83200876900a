/**
 * The environment in the configuration: `${NAME}` inside values, `NEO_HTTP__PORT=9000` to override them, and `.env`
 * files.
 * Invariant 1: an unset or empty variable makes the value absent (undefined), which is an error only if it is required.
 */

import type { Path } from '../header/yaml.ts'
import { isMap } from '../../domain/text/is-map.ts'
import type { Shape } from '../values/shape.ts'
import { misspelled } from '../values/suggest.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export interface WithEnvironment {
  readonly data: Record<string, unknown>
  /** The variable that set the value at a path; null if the file did. */
  readonly variableAt: (path: Path) => string | null
  /** `NEO_` variables that set nothing although they look so, with the one that was meant. */
  readonly strays: readonly { readonly name: string; readonly meant: string | null }[]
}

/** `NEO_` variables that Neo reads besides those of keys, and those that it gives to programs. */
const READ = 'HOME NODE TRUST LOG PASSPHRASE GITHUB_API GITLAB_API GITEA_API'.split(' ')
const GIVEN = 'SESSION TASK ROOM WORKSPACE SIDE SPEAKER GIT'.split(' ')
/** `NEO_LOG=debug` is short for the variable of `log.level`. */
const LOG = 'NEO_LOG'
const LOG_LEVEL = 'NEO_LOG__LEVEL'
const NAME = /\$\$\{|\$\{([A-Za-z_]\w*)\}/g

interface Work {
  readonly env: Environment
  readonly from: Map<string, string>
  /** Variables that the file inserts. */
  readonly inserted: Set<string>
}

/** Fills in `${NAME}` (`$${` is a literal `${`), then lays `NEO_` variables over the data. */
export function withEnvironment(
  data: Record<string, unknown>,
  shape: Shape<unknown>,
  env: Environment,
): WithEnvironment {
  const work: Work = { env, from: new Map(), inserted: new Set() }
  const filled = filledIn(work, { value: data, shape, path: [] }) as Record<string, unknown>
  const unused: string[] = []
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith('NEO_') || value === undefined || value === '') continue
    if (GIVEN.includes(name.slice(4)) || (name === LOG && (env[LOG_LEVEL] ?? '') !== '')) continue
    const path = (name === LOG ? LOG_LEVEL : name).slice(4).split('__')
    if (!override(work, { into: filled, shape, path, name, value, done: [] })) unused.push(name)
  }
  const strays = straysIn(
    unused.filter((name) => !work.inserted.has(name)),
    shape,
  )
  return { data: filled, variableAt: (path) => work.from.get(keyOf(path)) ?? null, strays }
}

/** Under a word as short as `model`, a wrong or missing letter makes another word: `NEO_MODE` of another program. */
const SHORT = 6

/** Other programs have `NEO_` variables too: only one that is near to a known one, or in a known section, is told. */
function straysIn(unused: readonly string[], shape: Shape<unknown>): WithEnvironment['strays'] {
  const names = unused.map((name) => name.slice(4)).filter((name) => !READ.includes(name))
  return names.flatMap((name) => {
    const known = [...READ, ...settingsIn(shape, name.split('__'))].map((one) => one.toLowerCase())
    const near = misspelled(name, known)
    const meant = near !== null && near.length < SHORT && lettersOf(near) !== lettersOf(name) ? null : near
    const [section = '', ...keys] = name.split('__')
    if (meant === null && (keys.length === 0 || keyFor(section, {}, shape) === undefined)) return []
    return { name: `NEO_${name}`, meant: meant === null ? null : `NEO_${meant.toUpperCase()}` }
  })
}

function lettersOf(word: string): string {
  return [...word.toLowerCase()].toSorted().join('')
}

/** The variables of all keys, `HTTP__PORT`; names that people choose, as of providers, are those of this variable. */
function settingsIn(shape: Shape<unknown>, [part = '', ...rest]: readonly string[]): readonly string[] {
  if (shape.kind !== 'keys' && shape.kind !== 'map') return ['']
  const inside = shape.kind === 'map' ? [[part, shape.of] as const] : Object.entries(shape.keys)
  return inside.flatMap(([key, of]) =>
    settingsIn(of, rest).map((below) => `${plainKey(key)}${below === '' ? '' : '__'}${below}`),
  )
}

function plainKey(key: string): string {
  return key.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')
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
  const text = at.value.replaceAll(NAME, (whole, name: string | undefined) => {
    if (name === undefined) return whole.slice(1)
    names.push(name)
    work.inserted.add(name)
    return work.env[name] ?? ''
  })
  const unset = names.find((name) => (work.env[name] ?? '') === '')
  const name = unset ?? names[0]
  if (name === undefined) return text
  work.from.set(keyOf(at.path), name)
  return unset === undefined ? typed(text, at.shape) : undefined
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

/** Sets one value; false if a part of the name is not a key. */
function override(work: Work, { into, shape, path, name, value, done }: Override): boolean {
  const [first, ...more] = path
  const key = first === undefined ? undefined : keyFor(first, into, shape)
  if (key === undefined) return false
  const below = inner(shape, key)
  if (more.length === 0) {
    into[key] = typed(value, below)
    work.from.set(keyOf([...done, key]), name)
    return true
  }
  const present = into[key]
  const next = isMap(present) ? present : {}
  if (!override(work, { into: next, shape: below, path: more, name, value, done: [...done, key] }))
    return false
  into[key] = next
  return true
}

/** The key for a part of a variable's name: a present one, else an allowed one. */
function keyFor(
  part: string,
  into: Record<string, unknown>,
  shape: Shape<unknown> | undefined,
): string | undefined {
  const known = shape?.kind === 'keys' ? Object.keys(shape.keys) : []
  const found = [...Object.keys(into), ...known].find((key) => plainKey(key) === part.toUpperCase())
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
