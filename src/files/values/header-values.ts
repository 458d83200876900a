/** Shapes of fields that several kinds of files share, and their values in the form of the domain. */
import {
  type Budget,
  type Retry,
  WORKER_FORMS,
  type Worker,
  type WorkerKind,
} from '../../domain/task/task.ts'
import { rowOf, WORKER_KINDS } from '../../domain/task/worker-kinds.ts'
import { duration, msOf } from './duration.ts'
import {
  decimal,
  describe,
  either,
  type Infer,
  integer,
  keys,
  matching,
  notFlag,
  onlyKeys,
  type Shape,
  text,
} from './shape.ts'
import { time } from './times.ts'

/** Wait before the first retry by default: long enough for a service to come back. */
const DEFAULT_BACKOFF_MS = 30_000
/** More retries are a typing error. */
const MOST_RETRIES = 100

/** Valid in file names and branch names. */
const ID = /^[A-Za-z0-9](?:[\w-]|\.(?=[\w-])){0,63}$/
const NAME_OF_VARIABLE = /^[A-Za-z_]\w*$/

export const id = matching('an id such as t-7f3k2q', ID)
export const worker = text(WORKER_FORMS, (value) => parseWorker(value) !== null)
export const variable = matching('the name of an environment variable', NAME_OF_VARIABLE)
export const command = notFlag('a command such as npm test')
export const nonEmptyText = text('text', (value) => value.trim() !== '')
export const retry = either(
  integer(0, MOST_RETRIES),
  keys({
    max: describe('Maximum number of retries.', integer(0, MOST_RETRIES)),
    backoff: describe('Wait before the first retry; it doubles each time. Default: 30s.', duration),
  }),
)
export const budget = either(
  decimal(),
  onlyKeys({
    usd: describe('Limit in US dollars.', decimal()),
    tokens: describe('Limit in tokens, including cached ones.', integer()),
    turns: describe('Limit in model calls. Default: 100 in a session.', integer()),
  }),
)

/** The `neo:` block that ends each header: the common keys, and those of one kind of file. */
export function bookkeeping<const K extends Readonly<Record<string, Shape<unknown>>>>(more: K) {
  const common = { id: describe('Id.', id), created_at: describe('Time of creation.', time) }
  return describe('Bookkeeping of Neo, always last. Do not edit it.', keys({ ...common, ...more }))
}
export const createdBy = describe(
  'Author: `human`, `neo`, `editor`, `member:ID`, `session:ID` or `schedule:NAME`.',
  nonEmptyText,
)
export const used = {
  input_tokens: describe('Input tokens without cached ones.', integer()),
  output_tokens: describe('Output tokens.', integer()),
  usd: describe('US dollars. Absent if the price is unknown.', decimal()),
}

/** The worker that a text such as `exec:claude-code` names; null if the text is invalid. */
export function parseWorker(value: string): Worker | null {
  const [kind = '', name] = value.split(/:(.*)/s)
  if (!Object.hasOwn(WORKER_KINDS, kind)) return null
  const { name: form } = rowOf(kind as WorkerKind)
  if (name === undefined) return form === undefined ? ({ kind } as Worker) : null
  return form?.test(name) === true ? ({ kind, name } as Worker) : null
}

/** `none` and `rules` both mean no model; the program uses the older name `rules`. */
export function modelOf(value: string | undefined): string | undefined {
  return value === 'none' ? 'rules' : value
}

/** The name of the provider in `provider/model`; none without a model. */
export function providerOf(model: string): readonly string[] {
  return modelOf(model) === 'rules' ? [] : model.split('/', 1)
}

export function retryOf(value: Infer<typeof retry> | undefined): Retry {
  if (typeof value === 'number') return { max: value, backoffMs: DEFAULT_BACKOFF_MS }
  return { max: value?.max ?? 0, backoffMs: msOf(value?.backoff) ?? DEFAULT_BACKOFF_MS }
}

/** A number alone is US dollars. */
export function budgetOf(value: Infer<typeof budget> | undefined): Budget | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'number') return { usd: value }
  return withoutUndefined<Budget>({ usd: value.usd, tokens: value.tokens, turns: value.turns })
}

/** `on_interrupt` as `onInterrupt`. */
export type Camel<S extends string> = S extends `${infer A}_${infer B}` ? `${A}${Capitalize<Camel<B>>}` : S

export function camelCase(key: string): string {
  return key.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())
}

/** Header keys in camelCase, without those that are undefined. */
export function camelKeys<T extends object>(
  fields: T,
): { readonly [K in keyof T & string as Camel<K>]?: NonNullable<T[K]> } {
  const named = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [camelCase(key), value])
  return Object.fromEntries(named)
}

/** Without undefined fields: optional fields can be absent, but not undefined. */
export function withoutUndefined<T extends object>(fields: { readonly [K in keyof T]: T[K] | undefined }): T {
  const present: Partial<T> = {}
  for (const key in fields) {
    const value = fields[key]
    if (value !== undefined) present[key] = value
  }
  return present as T
}
