/** Values that cost more than most commands need, such as patterns of many words: made at the first call. Pure. */

export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
