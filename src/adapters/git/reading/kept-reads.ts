/** Answers about commits, which never change: the latest few are kept, so that the same question starts no git. */

/** @returns gives what is kept under a key, or reads it; a read that failed isn't kept. */
export function keepLatest<T>(most: number): (key: string, read: () => Promise<T>) => Promise<T> {
  const kept = new Map<string, Promise<T>>()
  return (key, read) => {
    const value = kept.get(key) ?? read()
    kept.delete(key)
    kept.set(key, value)
    value.catch(() => kept.get(key) === value && kept.delete(key))
    for (const oldest of kept.keys()) {
      if (kept.size <= most) break
      kept.delete(oldest)
    }
    return value
  }
}
