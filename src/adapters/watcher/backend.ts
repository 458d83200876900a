/**
 * Backend: one way of watching a home. There are two, chokidar for small homes and plain folder watches for large
 * ones; watcher.ts chooses, hands over, and deals with trouble.
 */
export interface BackendEvents {
  /** Something changed at or below this path, relative to the home. */
  hint(path: string): void
  trouble(error: unknown): void
  /** Told once, after everything that is there is watched. */
  ready(): void
}

export interface Backend {
  /** Looks for folders that were removed and made again, or missed, and watches them. Cheap where nothing is. */
  refresh(): void
  close(): Promise<void>
}
