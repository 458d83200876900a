/**
 * A durable log of JSON lines about keys. An entry is open until its key is finished; a finished key is remembered, so
 * that it counts once, also after a restart. The format decides what a line means.
 * Invariant 1: a line is on the disk when `write` returns; a `later` line when the next line is, or `Files.sync` resolves.
 * If `write` throws, the line does not count.
 * Invariant 2: a torn or unknown line is counted in `broken` and skipped; the lines around it count.
 * Invariant 3: compaction replaces the file whole, keeps every open entry and the newest `keptKeys` finished keys. If
 * the disk refuses, the file stays as it was and says the same.
 */
import { NeoError } from '../domain/home/error.ts'
import type { Files } from '../ports/files-port.ts'

/** Both oldest first. */
export interface LogState<Entry> {
  readonly open: Map<string, Entry>
  readonly finished: Set<string>
}

export interface LogFormat<Line extends object, Entry> {
  /** `null`: the value is not a line of this log. */
  read(value: unknown): Line | null
  apply(state: LogState<Entry>, line: Line): void
  /** The fewest lines that give the state again. */
  lines(state: LogState<Entry>): readonly Line[]
}

export interface LogLimits {
  /** Finished keys that a compaction keeps. */
  readonly keptKeys: number
  /** Size at which the file is compacted; a file that stays larger is compacted again when it has doubled. */
  readonly compactBytes: number
}

interface LogOptions<Line extends object, Entry> extends LogLimits {
  readonly format: LogFormat<Line, Entry>
  /** Called after the n-th line (from 1) is in the file; crash tests stop there. */
  readonly onAppend?: ((n: number) => void) | undefined
}

export type LogFiles = Pick<Files, 'read' | 'append' | 'save' | 'stat'>

/** Opens it or begins one. Throws `NeoError('disk')` if it exists and can't be read. */
export class KeyedLog<Line extends object, Entry> {
  /** Lines that could not be read at the start. */
  readonly broken: number
  readonly #files: LogFiles
  readonly #path: string
  readonly #options: LogOptions<Line, Entry>
  readonly #state: LogState<Entry> = { open: new Map(), finished: new Set() }
  #bytes: number
  #compactAt: number
  #appended = 0

  constructor(files: LogFiles, path: string, options: LogOptions<Line, Entry>) {
    this.#files = files
    this.#path = path
    this.#options = options
    const found = readLines(files, path)
    const { format } = options
    const lines = found.values.flatMap((value): Line[] => {
      const line = format.read(value)
      return line === null ? [] : [line]
    })
    for (const line of lines) format.apply(this.#state, line)
    this.broken = found.broken + found.values.length - lines.length
    this.#bytes = found.bytes
    this.#compactAt = options.compactBytes
  }

  /** Open entries, oldest first. */
  get open(): ReadonlyMap<string, Entry> {
    return this.#state.open
  }

  /** Size of the file, as far as this log wrote or read it. */
  get bytes(): number {
    return this.#bytes
  }

  has(key: string): boolean {
    return this.#state.open.has(key) || this.#state.finished.has(key)
  }

  write(line: Line, sync?: 'now' | 'later'): void {
    const text = JSON.stringify(line)
    this.#files.append(this.#path, text, sync)
    this.#bytes += Buffer.byteLength(text) + 1
    this.#options.format.apply(this.#state, line)
    this.#appended += 1
    this.#options.onAppend?.(this.#appended)
    if (this.#bytes >= this.#compactAt) this.compact()
  }

  /** Also drops the text of everything that is finished. False if the disk refuses. */
  compact(): boolean {
    if (this.#bytes === 0) return true
    const { finished } = this.#state
    const { keptKeys, compactBytes, format } = this.#options
    const oldest = [...finished].slice(0, Math.max(0, finished.size - keptKeys))
    for (const key of oldest) finished.delete(key)
    const bytes = replaceLines(this.#files, this.#path, format.lines(this.#state))
    this.#bytes = bytes ?? this.#bytes
    this.#compactAt = Math.max(compactBytes, this.#bytes * 2)
    return bytes !== null
  }
}

/** Moves a key from open to finished. */
export function finish(state: LogState<unknown>, key: string): void {
  state.open.delete(key)
  state.finished.add(key)
}

/** Compaction keeps these files near 1 MiB; one that is far larger is not read into memory. */
const MOST_BYTES = 512 * 1024 * 1024

interface Lines {
  readonly values: readonly unknown[]
  readonly broken: number
  readonly bytes: number
}

/** Empty if the file is missing; throws `NeoError('disk')` if it can't be read. */
export function readLines(files: Pick<Files, 'read'>, path: string): Lines {
  const found = files.read(path, MOST_BYTES)
  if (found.kind === 'missing') return { values: [], broken: 0, bytes: 0 }
  if (found.kind === 'refused') throw new NeoError('disk', `Cannot read "${path}": it ${found.why}`)
  return { ...parseLines(found.bytes.toString('utf8')), bytes: found.bytes.length }
}

/** Each whole line's value; only `\n` ends a line. */
export function parseLines(text: string): { readonly values: readonly unknown[]; readonly broken: number } {
  const values: unknown[] = []
  let broken = 0
  for (const line of text.split('\n')) {
    if (line === '') continue
    try {
      values.push(JSON.parse(line))
    } catch {
      broken += 1
    }
  }
  return { values, broken }
}

/** Replaces the whole file by these values. Returns its size; null if the disk refuses: then the file is as it was. */
function replaceLines(files: Pick<Files, 'save'>, path: string, values: readonly unknown[]): number | null {
  const bytes = Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''))
  try {
    // The port returns the present hash of a file that is not as expected. Only this process writes this one.
    const first = files.save(path, bytes, 'unknown')
    const result = first.kind === 'changed' ? files.save(path, bytes, first.hash) : first
    return result.kind === 'saved' ? bytes.length : null
  } catch (error) {
    if (error instanceof NeoError && error.code === 'disk') return null
    throw error
  }
}
