/** The port of files. Paths are absolute; what a user can cause (missing file, changed file) is a value, not an error. */

export interface Stat {
  readonly size: number
  readonly mtimeMs: number
  readonly ino: number
  readonly ctimeMs?: number
}

export type ReadResult =
  | { readonly kind: 'file'; readonly bytes: Buffer; readonly stat: Stat }
  | { readonly kind: 'missing' }
  /** A folder, FIFO, socket, device, link loop, a link that leads out, a file over `maxBytes`, unreadable. */
  | { readonly kind: 'refused'; readonly why: string }

export type SaveResult =
  | { readonly kind: 'saved'; readonly hash: string }
  /** The file is not what `expect` says; nothing was written. `hash` is null if it is missing. */
  | { readonly kind: 'changed'; readonly hash: string | null }

export interface ScanEntry extends Stat {
  /** Relative to the scanned root, with `/`. */
  readonly path: string
  readonly kind: 'file' | 'link' | 'other'
}

export type Wanted = (path: string, is: 'file' | 'folder', isLink: boolean) => boolean | 'named'

export interface Files {
  /** Never blocks on a FIFO, never reads more than `maxBytes`. `scanned`: a scan has just seen a plain file there. */
  read(path: string, maxBytes: number, kind?: 'scanned'): ReadResult
  /** At most `bytes` of a file; empty at its end, null without such a file. */
  readPart(path: string, offset: number, bytes: number): Buffer | null
  /**
   * Replaces the whole file or nothing: temp file beside it, write, size check, fsync, rename, fsync of the folder.
   * Keeps the mode of an existing file. Makes missing parent folders. `expect`: git blob id of the present bytes, or
   * null for "must not exist". Throws NeoError (code `disk`) on ENOSPC, …; then the old file stays, without a temp file.
   */
  save(path: string, bytes: Buffer, expect: string | null): SaveResult
  /** As `save`, but fsyncs (of a new file, else of the folder) wait for `sync`: a power cut may tear a new file. */
  saveLater(path: string, bytes: Buffer, expect: string | null): SaveResult
  /** As `save`; mode 600, in folders of mode 700. */
  savePrivate(path: string, bytes: Buffer, expect: string | null): SaveResult
  /** Removes a file if it is what `expect` says. */
  remove(path: string, expect: string): SaveResult
  /** Appends one whole line, with fdatasync before it returns (`later`: at `sync`); repairs a torn last line first. */
  append(path: string, line: string, sync?: 'now' | 'later'): void
  /** Entries below `root` for which `wanted` is true; links are not followed. A `named` folder is walked and listed. */
  scan(root: string, wanted: Wanted): readonly ScanEntry[]
  /** JSON, mode 600 in folders of mode 700, under the git dir; durable (`later`: at `sync`). Null if missing or broken. */
  readJson(path: string): unknown
  writeJson(path: string, value: unknown, sync?: 'later'): void
  /** Resolves when `later` writes at or below these paths are on disk, where they also get soon without it. */
  sync(below?: readonly string[]): Promise<void>
  /** Names in a folder; empty if it is missing. */
  names(dir: string): readonly string[]
  /** Of a plain file (or folder); null for anything else, links included. Throws if access is denied. */
  stat(path: string, kind?: 'file' | 'folder'): Stat | null
  /** Removes Neo's temp files that a crash left below `root`, in folders that `enter` allows; returns how many. */
  sweep(root: string, enter?: (folder: string) => boolean): number
  /** Removes a folder or file under the git dir or `.neo/`. */
  removeTree(dir: string): void
}
