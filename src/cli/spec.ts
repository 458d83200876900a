/**
 * What a command is: its words for help and parsing, and the module that carries it out, loaded when it is used.
 */
import type { Output } from './output.ts'

export interface Spec {
  /** The last word of the command: `list` in `neo task list`. */
  readonly name: string
  /** As commander writes arguments: `<task>`, `[task...]`. */
  readonly args?: string
  readonly about: string
  readonly options?: readonly Option[]
  /** One line that can be typed as it is. */
  readonly example: string
  readonly hidden?: 'yes'
  readonly load: () => Promise<Command>
}

export interface Option {
  /** As commander writes it: `--room <room>`. */
  readonly flags: string
  readonly about: string
  readonly choices?: readonly string[]
  /** May be given more than once. */
  readonly many?: 'yes'
}

/** One entry of the first level: a command, or a group of commands. */
export interface Top {
  readonly name: string
  readonly about: string
  readonly kind: 'command' | 'group'
  readonly section: string
  readonly hidden?: 'yes'
  readonly load: () => Promise<readonly Spec[]>
}

/** Gives the exit code. */
export type Command = (call: Call) => Promise<number> | number

export type Env = Readonly<Record<string, string | undefined>>

/** The surroundings of the process, as main.ts hands them in. */
export interface Surroundings {
  readonly version: string
  readonly env: Env
  readonly cwd: string
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  /** Calls at each SIGINT and SIGTERM; returns what stops it. */
  onSignal(call: () => void): () => void
  /** Ends the process at once. */
  exit(code: number): void
}

export interface Call {
  readonly around: Surroundings
  readonly out: Output
  /** Arguments in order; a variadic one is spread. */
  readonly args: readonly string[]
  /** What `--home` said. */
  readonly homeOption: string | null
  /** The value of an option; null where it was not given. */
  text(option: string): string | null
  /** All values of an option that may be given more than once. */
  all(option: string): readonly string[]
  isSet(option: string): boolean
}

/** The first argument of a command whose arguments make sure that there is one. */
export function firstOf(call: Call): string {
  return call.args[0] ?? ''
}
