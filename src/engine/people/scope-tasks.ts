/**
 * Tasks that were started in conversations: where, by whom, and which end was reported there. Stored in
 * `<git dir>/neo/scopes/<scope>/tasks.json`, outside of git. Invariants: 1. a task is noted before its file exists, so
 * that a kill in between loses no report; 2. a purge removes it.
 */
import { join } from 'node:path'
import { isScopeName } from '../../domain/policy/known-people.ts'
import type { ScopeSpeaker } from '../../domain/policy/scope-types.ts'
import type { Files } from '../../ports/files-port.ts'

export interface StartedTask {
  readonly scope: string
  readonly speaker: ScopeSpeaker
  /** The last reported end, as `status@attempt`; '' if none was. */
  readonly told: string
}

export interface ScopeTasks {
  started(task: string, of: Omit<StartedTask, 'told'>): void
  /** By task id. */
  all(): ReadonlyMap<string, StartedTask>
  /** Its end was reported, or there is nobody to report to. */
  ended(task: string, end: string): void
  /** Removes those of a purged scope. */
  forget(scope: string): void
}

/** Older ones are forgotten: their ends are reported in their rooms. */
const MOST = 200
const FILE = 'tasks.json'

export function openScopeTasks(
  files: Pick<Files, 'names' | 'readJson' | 'writeJson'>,
  dir: string,
): ScopeTasks {
  let known: Map<string, StartedTask> | null = null
  const load = (): Map<string, StartedTask> => {
    known ??= new Map(
      files
        .names(join(dir, 'scopes'))
        .filter(isScopeName)
        .flatMap((scope) => begunIn(scope, files.readJson(join(dir, 'scopes', scope, FILE)))),
    )
    return known
  }
  const keep = (scope: string): void => {
    const own = [...load()].filter(([, of]) => of.scope === scope)
    for (const [task] of own.splice(0, Math.max(0, own.length - MOST))) load().delete(task)
    files.writeJson(
      join(dir, 'scopes', scope, FILE),
      own.map(([task, { speaker, told }]) => ({ task, speaker, told })),
    )
  }
  return {
    started(task, of) {
      const { scope, speaker } = of
      load().set(task, { scope, speaker, told: '' })
      keep(scope)
    },
    all: load,
    ended(task, end) {
      const of = load().get(task)
      if (of === undefined) return
      load().set(task, { ...of, told: end })
      keep(of.scope)
    },
    forget(scope) {
      for (const [task, of] of load()) if (of.scope === scope) load().delete(task)
    },
  }
}

function begunIn(scope: string, value: unknown): (readonly [string, StartedTask])[] {
  const rows: readonly unknown[] = Array.isArray(value) ? value : []
  return rows.flatMap((row) => {
    const { task, speaker, told = '' } = (row ?? {}) as Readonly<Record<string, unknown>>
    return typeof task === 'string' && isSpeaker(speaker)
      ? [[task, { scope, speaker, told: String(told) }] as const]
      : []
  })
}

function isSpeaker(value: unknown): value is ScopeSpeaker {
  return value === 'human' || (typeof value === 'string' && value.startsWith('member:'))
}
