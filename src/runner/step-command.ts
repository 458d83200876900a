/**
 * The commands of a session, each with a fixed key: setup-0, step-0, verify-0, cleanup-0, … Pure. Invariant 1: the same
 * record gives the same keys and texts, so that a replay finds its own step folders.
 */
import type { SessionRecord } from '../domain/session/session.ts'

export type CommandKind = 'setup' | 'step' | 'hook' | 'verify' | 'cleanup'

export interface Command {
  readonly key: string
  readonly kind: CommandKind
  readonly index: number
  readonly of: number
  /** A step's name, or the command line. */
  readonly name: string
  /** For messages: `Step "build" (line 12)`. */
  readonly title: string
  readonly text: string
  readonly shell: 'sh' | 'bash' | 'line'
  readonly timeoutMs: number | null
  readonly continueOnError: 'yes' | 'no'
  /** What confines it; absent for what a person wrote. */
  readonly confine?: Confine
  /** Its time limit starts with it: it was approved first, which took time. */
  readonly ownTime?: 'yes'
}

export interface Confine {
  wrap(argv: readonly [string, ...string[]]): readonly [string, ...string[]]
  readonly env: Readonly<Record<string, string>> | null
}

const TITLES = { setup: 'Setup', verify: 'Check', cleanup: 'Cleanup' } as const

/** How often an agent has called its work finished before, what confines the commands, and whether a person allowed them. */
export interface LineOptions {
  readonly round?: number
  readonly confine?: Confine
  /** A person was asked first: they have time and keys of their own. */
  readonly allowed?: 'yes'
}

/** The blocks of the runbook. */
export function stepCommands(record: SessionRecord, of: LineOptions = {}): readonly Command[] {
  const all = record.steps.map(({ name, line, script, shell, timeoutMs = null, continueOnError }, index) => ({
    ...{ key: `step-${index}`, name, title: `Step "${name}" (line ${line})` },
    ...{ text: script, shell, timeoutMs, continueOnError },
  }))
  return commands('step', all, of)
}

/** The room's and task's command lines of one kind. */
export function lineCommands(
  record: SessionRecord,
  kind: Exclude<CommandKind, 'step' | 'hook'>,
  of: LineOptions = {},
): readonly Command[] {
  const { round = 0, allowed } = of
  const suffix = `${round === 0 ? '' : `-round-${round}`}${allowed === undefined ? '' : '-allowed'}`
  const all = record[kind].map((text, index) => ({
    ...{ key: `${kind}-${index}${suffix}`, name: text, title: `${TITLES[kind]} "${text}"` },
    ...{ text, shell: 'line' as const, timeoutMs: null, continueOnError: 'no' as const },
  }))
  return commands(kind, all, of)
}

function commands(
  kind: CommandKind,
  all: readonly Omit<Command, 'kind' | 'index' | 'of' | 'confine' | 'ownTime'>[],
  { confine, allowed }: LineOptions,
): readonly Command[] {
  return all.map((one, index) => ({
    ...{ ...one, kind, index, of: all.length },
    ...(confine === undefined ? {} : { confine }),
    ...(allowed === undefined ? {} : { ownTime: allowed }),
  }))
}

/**
 * @param script file that holds the text of a block. No argument can hold a NUL: it is dropped, as shells do in files.
 */
export function argvOf(command: Command, script: string): readonly [string, ...string[]] {
  switch (command.shell) {
    case 'sh':
      return ['sh', '-e', script]
    case 'bash':
      return ['bash', '-eo', 'pipefail', script]
    case 'line':
      return ['sh', '-c', command.text.replaceAll('\0', '')]
  }
}
