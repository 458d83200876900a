/** The description of a command, for help and parsing, and what the command is called with. */
import type { Output } from './output.ts'

export interface Spec {
  /** As commander writes arguments: `<task>`, `[task...]`. */
  readonly args?: string
  readonly about: string
  readonly options?: readonly Option[]
  /** One line that works if it is typed as it is. */
  readonly example: string
  readonly load: () => Promise<Command>
}

/** One command, or the commands of a group by their last words: `list` in `neo task list`. */
export type Specs = Spec | Readonly<Record<string, Spec>>

export function isCommand(specs: Specs): specs is Spec {
  return typeof specs.load === 'function'
}

export interface Option {
  /** As commander writes it: `--room <room>`. */
  readonly flags: string
  readonly about: string
  readonly choices?: readonly string[]
  /** May be given more than once. */
  readonly many?: true
  /** The parameter of the hub method that it sets; without it, the command reads the option itself. */
  readonly param?: string
}

/** One entry of the first level: a command, or a group of commands. */
export interface Top {
  readonly name: string
  readonly about: string
  readonly section: string
  readonly hidden?: 'hidden' | undefined
  readonly load: () => Promise<Specs>
}

/** Returns the exit code. */
export type Command = (call: Call) => Promise<number> | number

export type Env = Readonly<Record<string, string | undefined>>

/** What main.ts knows of the process; nothing else reads it. */
export interface Surroundings {
  readonly version: string
  readonly env: Env
  readonly cwd: string
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  /** Calls back at each SIGINT, SIGTERM and SIGHUP; returns a function that ends this. */
  onSignal(call: () => void): () => void
  /** Ends the process at once. */
  exit(code: number): void
}

export interface Call {
  readonly around: Surroundings
  readonly out: Output
  /** Arguments in order; the values of a variadic one follow each other. */
  readonly args: readonly string[]
  /** The options of the command, for `paramsOf`. */
  readonly options: readonly Option[]
  /** The value of `--home`; null if it is absent. */
  readonly homeOption: string | null
  /** The value of an option; null if it is absent. */
  text(option: string): string | null
  /** All values of an option that can be repeated. */
  all(option: string): readonly string[]
  isSet(option: string): boolean
}

/** The first argument, for commands that require one. */
export function firstOf(call: Call): string {
  return call.args[0] ?? ''
}
