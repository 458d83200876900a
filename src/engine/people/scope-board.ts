/**
 * What is known of conversations (scopes) beside their files: where Neo doesn't reply, what controls them, tasks that
 * were started there (`<git dir>/neo/scopes/<scope>/tasks.json`), and how their queued messages are removed. Invariants:
 * 1. a task is noted before its file exists, so that a kill in between loses no report; 2. a purge removes texts, not
 * keys, so that nothing is handled twice.
 */
import { join } from 'node:path'
import { isScopeName } from '../../domain/policy/known-people.ts'
import type { ScopeSpeaker } from '../../domain/policy/scope-types.ts'
import type { Files } from '../../ports/files-port.ts'
import { openQueue } from '../../store/durable-queue.ts'

/** Conversations as the hub controls them. */
export interface ScopeControl {
  /** Closes the conversation after the running turn and starts a new one; the transcript stays. */
  renew(scope: string): Promise<void>
  /** Stops the running turn, drops the conversation from memory, and replies no more until released. */
  hold(scope: string): Promise<{ release(): void }>
  /** Removes its messages from both queues; returns how many waited. */
  forget(scope: OfScope): number
  /** Queues a file to be sent there. */
  send(scope: OfScope, file: { readonly key: string; readonly path: string; readonly name: string }): void
  /** How many messages wait to be sent there. */
  sending(scope: OfScope): number
  /** How many messages wait for a reply. */
  waiting(scope: string): number
}

export interface ScopeBoard {
  /** Why Neo doesn't reply there (unknown or excluded people are inside); null: it does. */
  silence(scope: string, why: string | null): void
  silenced(scope: string): string | null
  /** Returns what detaches it. */
  attach(control: ScopeControl): () => void
  control(): ScopeControl | null
  readonly tasks: ScopeTasks
}

export function openScopeBoard(tasks: ScopeTasks): ScopeBoard {
  const silent = new Map<string, string>()
  let attached: ScopeControl | null = null
  return {
    silence(scope, why) {
      if (why === null) silent.delete(scope)
      else silent.set(scope, why)
    },
    silenced: (scope) => silent.get(scope) ?? null,
    attach(control) {
      attached = control
      return () => {
        if (attached === control) attached = null
      }
    },
    control: () => attached,
    tasks,
  }
}

export interface StartedTask {
  readonly scope: string
  readonly speaker: ScopeSpeaker
  /** The last reported end, as `status@attempt`; '' if none was. */
  readonly told: string
}

interface ScopeTasks {
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

export interface OfScope {
  readonly name: string
  /** The channel's name for it, such as `telegram:7`. */
  readonly key: string
}

/** By its scope, or for an outgoing message by its chat. */
export function isOfScope(item: unknown, { name, key }: OfScope): boolean {
  const { scope, channel, chatId, thread, path } = (item ?? {}) as Readonly<Record<string, unknown>>
  if (typeof scope === 'string') return scope === name
  if (typeof path === 'string') return path.includes(`/scopes/${name}/`)
  const place = [channel, chatId, thread].filter((part) => part !== undefined).join(':')
  return key !== '' && place === key
}

/** Returns how many waited. */
export function forgetQueued(files: Files, dir: string, of: OfScope): number {
  const queues = ['inbound', 'outbound', 'media'].map((name) => join(dir, 'queues', `${name}.jsonl`))
  const forget = (path: string) => openQueue(files, path).forget((item) => isOfScope(item, of))
  return queues.reduce((sum, path) => sum + forget(path), 0)
}
