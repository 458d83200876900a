/** The keys of a header as rows of a table. */
import { type Worker, workerText } from '../domain/task/task.ts'
import { camelCase } from '../files/values/header-values.ts'

type Rows = readonly (readonly [name: string, value: string | undefined])[]

/**
 * In the order of the file; undefined for what isn't set.
 * @param not keys that are shown otherwise, or only with `--json`
 */
export function headerRows<K extends object>(
  keys: K,
  thing: object,
  not: readonly (keyof K & string)[],
): Rows {
  const shown = Object.keys(keys).filter((key) => !(not as readonly string[]).includes(key))
  return shown.map((key) => [key.replaceAll('_', ' '), textOf(thing, key)])
}

function textOf(thing: object, key: string): string | undefined {
  const value: unknown = thing[camelCase(key) as keyof typeof thing]
  if (value === undefined) return undefined
  if (key === 'worker') return workerText(value as Worker)
  return Array.isArray(value) ? value.join(', ') : String(value)
}
