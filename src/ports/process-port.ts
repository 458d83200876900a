import type { CommandResult } from '../domain/session/session.ts'

export interface StepRequest {
  /** Folder of this step under the git dir: claim, out, exit. The claim makes it start once. */
  readonly dir: string
  readonly argv: readonly [string, ...string[]]
  readonly cwd: string
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>
  /** Marks every process of the session, so that a stop finds all of them. */
  readonly session: string
  /** Epoch ms at which the runner stops it. */
  readonly deadline: number
  /** The runner also stops it when its command has run this long, from the command's own start. */
  readonly limitMs?: number
  readonly outputLimit: number
}

export type StepResult =
  | { readonly kind: 'ended'; readonly result: CommandResult }
  /** Claimed, without an exit code or a living supervisor: what it did is unknown. */
  | { readonly kind: 'unknown' }

export interface Processes {
  /**
   * Starts the step, or attaches to it (running or ended) if `dir` holds its claim. Resolves when it has ended. Aborting `signal` stops the whole tree (≤ 5 s) and resolves with `ended: 'stopped'`. Aborting with the
   * reason `leave` lets it run and resolves never-started or running steps as `unknown` without writing anything.
   */
  step(request: StepRequest, signal: AbortSignal): Promise<StepResult>
  /** Kills every process of a session, by group and by mark; resolves when none is left, or after 5 s, with how many. */
  killSession(session: string, stepDirs: readonly string[]): Promise<number>
  /** pid, start time and boot id of this process. */
  self(): ProcessId
  alive(id: ProcessId): boolean
}

export interface ProcessId {
  readonly pid: number
  /** Opaque text that differs when a pid is reused; '' if the platform doesn't tell. */
  readonly startTime: string
  readonly bootId: string
}
