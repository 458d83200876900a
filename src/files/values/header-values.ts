/**
 * Shapes of fields that several kinds of files share, and how their values become the model's.
 */
import type { Budget, Retry, Worker } from '../../domain/task/task.ts'
import { type Checked, note } from './check-value.ts'
import { duration, msOf } from './duration.ts'
import { given } from './kind.ts'
import { decimal, either, type Given, keys, matching, said, text, whole } from './shape.ts'
import { time } from './times.ts'

/** Before the first further attempt, where a file names none: long enough for a service to come back. */
const DEFAULT_BACKOFF_MS = 30_000
/** What backs off longer or tries oftener is a slip of the finger. */
const MOST_RETRIES = 100

const WORKER = /^(?:agent|shell|human|(exec|peer):([A-Za-z0-9][\w.-]{0,63}))$/
/** Fit for file names and branch names. */
const ID = /^[A-Za-z0-9](?:[\w-]|\.(?=[\w-])){0,63}$/
/** Lower case, so that no parameter can stand in for PATH, HOME and the like in a step's environment. */
const NAME_OF_PARAM = /^[a-z][a-z0-9_]{0,63}$/
const NAME_OF_VARIABLE = /^[A-Za-z_]\w*$/

export const id = matching('an id such as t-7f3k2q', ID)
export const worker = matching('agent, shell, human, exec:<name> or peer:<agent>', WORKER)
export const variable = matching('the name of an environment variable', NAME_OF_VARIABLE)
export const filled = text('text', (value) => value.trim() !== '')
export const retry = either(
  whole(0, MOST_RETRIES),
  keys({
    max: said('How often.', whole(0, MOST_RETRIES)),
    backoff: said('Before the first retry; then twice as long each time. Default: 30s.', duration),
  }),
)
export const budget = either(
  decimal(),
  keys({
    usd: said('US dollars.', decimal()),
    tokens: said('Tokens, cached ones too.', whole()),
    turns: said('Calls of the model.', whole()),
  }),
)

/** The block of Neo's own that ends every header; more keys where a kind has them. */
export const neoBlock = {
  id: said('The id.', id),
  created_at: said('When it was created.', time),
}
export const createdBy = said(
  'Who created it: `human`, `neo`, `session:ID`, `schedule:NAME` or `member:ID`.',
  filled,
)
export const used = {
  input_tokens: said('Tokens of input that were not cached.', whole()),
  output_tokens: said('Tokens of output.', whole()),
  usd: said('US dollars; absent if the price is not known.', decimal()),
}

/** The worker that a text such as `exec:claude-code` means; null where it is none. */
export function parseWorker(value: string): Worker | null {
  const match = WORKER.exec(value)
  if (match === null) return null
  const [, prefix, name] = match
  if (prefix === 'exec' && name !== undefined) return { kind: 'exec', name }
  if (prefix === 'peer' && name !== undefined) return { kind: 'peer', agent: name }
  return { kind: value as 'agent' | 'shell' | 'human' }
}

export function workerOf(value: string | undefined): Worker | undefined {
  return value === undefined ? undefined : (parseWorker(value) ?? undefined)
}

export function retryOf(value: Given<typeof retry> | undefined): Retry {
  if (typeof value === 'number') return { max: value, backoffMs: DEFAULT_BACKOFF_MS }
  return { max: value?.max ?? 0, backoffMs: msOf(value?.backoff) ?? DEFAULT_BACKOFF_MS }
}

/** A number alone is US dollars. */
export function budgetOf(value: Given<typeof budget> | undefined): Budget | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'number') return { usd: value }
  return given<Budget>({ usd: value.usd, tokens: value.tokens, turns: value.turns })
}

/** The names under `params:`; notes each that cannot be one. */
export function paramNames(on: Checked, params: unknown): readonly string[] {
  const names =
    typeof params === 'object' && params !== null && !Array.isArray(params) ? Object.keys(params) : []
  for (const name of names.filter((one) => !NAME_OF_PARAM.test(one)))
    note(on, ['params', name], {
      code: 'type',
      message: `params has "${name}", want a name of a-z, 0-9 and _`,
      hint: `Write ${name.toLowerCase().replaceAll(/[^a-z0-9_]/g, '_')}`,
    })
  return names
}
