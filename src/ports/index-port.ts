/**
 * The outside things that memory needs, beside ports.ts: the index file, and files of workspaces. Adapters keep these
 * promises. Invariant 1: the index holds nothing that files do not: losing it loses nothing. Invariant 2: a query of any
 * terms is all right; a damaged file is a value of its own (`IndexDamaged`), never a guess.
 */
import type { MemoryType } from '../domain/memory/memory.ts'
import type { Place } from '../domain/session/session.ts'

/** Where a passage is from: a memory's file, distilled files, what tasks and sessions gave, talk, files of workspaces. */
export type PassageKind = 'memory' | 'fact' | 'history' | 'daily' | 'task' | 'session' | 'talk' | 'file'

export interface Passage {
  /** Path relative to the home; `live/<name>` for a transcript under the git dir. */
  readonly source: string
  /** Room, '' for the whole home, or a workspace. */
  readonly part: string
  readonly kind: PassageKind
  readonly type: MemoryType
  /** Id of the memory, task or session. */
  readonly id: string
  readonly tags: readonly string[]
  /** ISO 8601 UTC, or ''. */
  readonly at: string
  /** 1-based line of its source. */
  readonly line: number
  /** Factor of its rank. */
  readonly weight: number
  readonly text: string
}

/** A passage with what it is found by. */
export interface Indexed extends Passage {
  /** Words, as domain/memory/recall-words.ts makes them, with spaces between. */
  readonly words: string
  /** Null where no word of it is known. */
  readonly vector: Int8Array | null
}

/** What is known of a source file: where stat is the same, it is not read again. */
export interface SourceMark {
  readonly path: string
  readonly part: string
  readonly size: number
  readonly mtimeMs: number
  /** -1: it had only just been changed when it was read, so its stat proves nothing. */
  readonly ctimeMs: number
  readonly ino: number
  readonly hash: string
  /** How much of it is in: bytes of a transcript, passages of a file. */
  readonly offset: number
}

export interface Scored {
  readonly id: number
  /** Higher is better; of its own scale. */
  readonly score: number
}

export interface IndexFilter {
  /** Null: everywhere. */
  readonly parts: readonly string[] | null
  readonly types?: readonly MemoryType[] | undefined
  readonly tags?: readonly string[] | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

export interface IndexStore {
  /** Takes up to `most` vectors into memory, so that the first search need not; gives how many there were. */
  warm(most: number): number
  sources(): ReadonlyMap<string, SourceMark>
  /**
   * One transaction: replaces what is there of these sources, or adds to it where it reaches to `after` exactly; gives
   * false, and changes nothing, where another process was quicker.
   */
  put(
    all: readonly { readonly mark: SourceMark; readonly passages: readonly Indexed[] }[],
    how: 'replace' | { readonly after: number },
  ): boolean
  /** New stats of sources whose content is the same. */
  mark(marks: readonly SourceMark[]): void
  drop(paths: readonly string[]): void
  /** Passages that hold at least one term, best first. A term that ends with `*` is the beginning of a word. */
  words(terms: readonly string[], filter: IndexFilter, limit: number): readonly Scored[]
  /** False where nothing in it has a vector: then no query needs one. */
  hasVectors(): boolean
  /** Passages near a vector, nearest first; the score is the cosine. */
  near(vector: Int8Array, filter: IndexFilter, limit: number): readonly Scored[]
  /** How many passages hold each word, and how many there are. */
  holders(words: readonly string[]): { readonly all: number; readonly of: readonly number[] }
  passages(ids: readonly number[]): ReadonlyMap<number, Passage>
  counts(): { readonly sources: number; readonly passages: number }
  /** False where the file was deleted or replaced since it was opened. */
  isCurrent(): boolean
  close(): void
}

export interface IndexStores {
  /**
   * Opens the index, makes it where it is missing, and begins it anew where it is damaged or of another `version`.
   * `wrong` says which packages are missing, `next` how to install them.
   */
  open(path: string, version: string): Promise<IndexStore | { readonly wrong: string; readonly next: string }>
  /** What keeps it from being used; null where nothing does. Changes nothing. */
  trouble(path: string): Promise<{ readonly wrong: string; readonly next: string } | null>
  /** Takes the file away, so that the next opening begins anew. */
  remove(path: string): void
}

/** A model of sentences, if one is installed. */
export interface SentenceModel {
  /** Cosines of the texts with the query; null if there is no model, or it needs longer than `ms`. */
  near(query: string, texts: readonly string[], ms: number): Promise<readonly number[] | null>
}

export interface TrackedFiles {
  readonly commit: string
  readonly files: ReadonlyMap<string, { readonly id: string; readonly size: number }>
}

/** The part of git that the index of workspaces reads by. */
export interface TrackedReader {
  /** Which of these paths some commit of the home's branch has or had. */
  everHad(paths: readonly string[]): Promise<ReadonlySet<string>>
  /**
   * The files that the base of a place tracks, relative to its folder; null where the base is gone. Where it is at the
   * commit `unless`, the list is empty and nothing was looked at. With `only`: these files and folders (`x/`) alone.
   */
  filesAt(place: Place, unless: string, only?: readonly string[]): Promise<TrackedFiles | null>
  /** What is in one of them; null where it is gone. */
  bytesAt(place: Place, id: string): Promise<Buffer | null>
  /** Ends helpers that reading a workspace outside the home has started; the next reading starts them again. */
  rest(place: Place): Promise<void>
}

/** The file is no whole index any more: it is to be removed and made again. */
export class IndexDamaged extends Error {
  override readonly name = 'IndexDamaged'
}
