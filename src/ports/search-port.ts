export interface SearchRequest {
  /** Absolute folder; links are not followed. */
  readonly root: string
  readonly pattern: string
  readonly fixed: boolean
  readonly ignoreCase: boolean
  readonly globs: readonly string[]
  readonly context: number
  /** Relative to root; '' for all. */
  readonly path: string
  readonly maxLines: number
  readonly ms: number
  readonly signal: AbortSignal
}

export interface Search {
  /** Matching lines as `path:line:text`, limited in time and number. `wrong`: why the pattern is bad. */
  grep(
    request: SearchRequest,
  ): Promise<{ readonly lines: readonly string[]; readonly cut: boolean } | { readonly wrong: string }>
  /** Files that ignore rules keep, relative to root, sorted. */
  files(
    root: string,
    request: {
      readonly globs: readonly string[]
      readonly path: string
      readonly max: number
      readonly signal: AbortSignal
    },
  ): Promise<{ readonly paths: readonly string[]; readonly cut: boolean } | { readonly wrong: string }>
}
