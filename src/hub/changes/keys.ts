/**
 * From the hub's names to the keys of files: camelCase to snake_case, with the few that are called otherwise.
 */
import type { Json, Keys } from '../../files/edit/edit-header.ts'

export function patchOf(
  updates: Readonly<Record<string, unknown>>,
  names: Readonly<Record<string, string>> = {},
): Keys {
  const keys = Object.entries(updates).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    keys.map(([key, value]) => [
      names[key] ?? snake(key),
      value === null ? undefined : ((NESTED.has(key) ? snaked(value) : value) as Json),
    ]),
  )
}

/** Maps with names of Neo in them; what a person named (permissions, servers) stays as it is. */
const NESTED: ReadonlySet<string> = new Set(['budget', 'retry'])

/** Keys that an update sets, for policy. */
export function keysOf(updates: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(updates).filter((key) => updates[key] !== undefined)
}

function snake(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function snaked(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const given = Object.entries(value).filter(([, item]) => item !== undefined && item !== null)
  return Object.fromEntries(given.map(([key, item]) => [snake(key), item]))
}
