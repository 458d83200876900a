/** What a confined command may use, with all its processes together. Sizes in bytes. */
export interface Limits {
  readonly processes: number
  readonly memory: number
  /** The workspace's folder in the worktree; one file, and the temporary folders, are bounded with it. */
  readonly disk: number
}
