export interface Fetched {
  readonly url: string
  readonly status: number
  readonly type: string
  readonly text: string
  /** The body was longer than the limit. */
  readonly cut: boolean
}

export interface Web {
  /**
   * GET with every hop checked (public addresses only, pinned), size and time limited.
   * `refused`: not allowed or not reachable, with the reason in one line.
   */
  fetch(
    url: string,
    limits: { readonly bytes: number; readonly ms: number; readonly signal: AbortSignal },
  ): Promise<Fetched | { readonly refused: string }>
}
