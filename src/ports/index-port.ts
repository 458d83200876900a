/**
 * The port of the search index. Invariants: 1. the index has nothing that files don't have: losing it loses
 * nothing; 2. any query is valid; a damaged file is `IndexDamaged`, never a guess.
 */
import type { MemoryType } from '../domain/memory/recall-texts.ts'

/** The source of a passage: a memory, distilled files, results of tasks and sessions, conversations, workspace files. */
export type PassageKind = 'memory' | 'fact' | 'history' | 'daily' | 'task' | 'session' | 'talk' | 'file'

export interface Passage {
  /** Path relative to the home; `live/<name>` for a transcript under the git dir. */
  readonly source: string
  /** A room, '' for the whole home, or a workspace. */
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

/** A passage with its search keys. */
export interface Indexed extends Passage {
  /** Words from domain/memory/recall-words.ts, separated by spaces. */
  readonly words: string
  /** Embedding; null if no word of it is known. */
  readonly vector: Int8Array | null
}

/** What is known of a source file: with the same stat it is not read again. */
export interface SourceMark {
  readonly path: string
  readonly part: string
  readonly size: number
  readonly mtimeMs: number
  /** -1: it was changed just before it was read, so its stat proves nothing. */
  readonly ctimeMs: number
  readonly ino: number
  readonly hash: string
  /** How much of it is indexed: bytes of a transcript, passages of a file. */
  readonly offset: number
}

export interface Scored {
  readonly id: number
  /** Higher is better; the scale is the query's own. */
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
  /** Loads up to `most` vectors into memory for the first search; returns how many there are. */
  warm(most: number): number
  sources(): ReadonlyMap<string, SourceMark>
  /**
   * One transaction: replaces the passages of these sources, or adds to them if they reach exactly to `after`. False, and
   * no change, if another process was faster.
   */
  put(
    all: readonly { readonly mark: SourceMark; readonly passages: readonly Indexed[] }[],
    how: 'replace' | { readonly after: number },
  ): boolean
  /** New stats of unchanged sources. */
  mark(marks: readonly SourceMark[]): void
  drop(paths: readonly string[]): void
  /** Passages with at least one term, best first. `*` at the end of a term matches any ending. */
  words(terms: readonly string[], filter: IndexFilter, limit: number): readonly Scored[]
  /** False if no passage has a vector: then no query needs one. */
  hasVectors(): boolean
  /** Passages near a vector, nearest first; the score is the cosine. */
  near(vector: Int8Array, filter: IndexFilter, limit: number): readonly Scored[]
  /** How many passages have each word, and how many there are. */
  holders(words: readonly string[]): { readonly all: number; readonly of: readonly number[] }
  passages(ids: readonly number[]): ReadonlyMap<number, Passage>
  counts(): { readonly sources: number; readonly passages: number }
  /** False if the file was deleted or replaced since it was opened. */
  isCurrent(): boolean
  close(): void
}

export interface IndexStores {
  /**
   * Opens the index; makes a new one if it is missing, damaged or of another `version`. `wrong`: which packages are
   * missing; `next`: how to install them.
   */
  open(path: string, version: string): Promise<IndexStore | { readonly wrong: string; readonly next: string }>
  /** Why it can't be used; null if it can. Changes nothing. */
  trouble(path: string): Promise<{ readonly wrong: string; readonly next: string } | null>
  /** Removes the file, so that the next opening makes a new one. */
  remove(path: string): void
  /** Closes those that are still open. A file that is cut short beneath an open index ends the process (SIGBUS). */
  closeAll(): void
}

/** A sentence embedding model, if one is installed. */
export interface SentenceModel {
  /** Cosine of each text with the query; null without a model, or if it takes longer than `ms`. */
  near(query: string, texts: readonly string[], ms: number): Promise<readonly number[] | null>
}

/** The file has to be removed and made again. */
export class IndexDamaged extends Error {
  override readonly name = 'IndexDamaged'
}
