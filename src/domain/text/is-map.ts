/** What JSON and YAML call an object or map, and JSON in a text. Pure. */

export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Null if it isn't JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Null if it isn't a map in JSON. */
export function mapIn(text: string): Readonly<Record<string, unknown>> | null {
  const value = jsonIn(text)
  return isMap(value) ? value : null
}

export function hasTexts(
  value: unknown,
  ...keys: readonly string[]
): value is Readonly<Record<string, unknown>> {
  return isMap(value) && keys.every((key) => typeof value[key] === 'string')
}
