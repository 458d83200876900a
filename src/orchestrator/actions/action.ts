/**
 * What an action of Neo is: a tool for its model, and the one call that it becomes. Invariant 1: an action becomes
 * exactly one changing call, or none: it is never half done.
 */
import type { JsonObject } from '../../domain/agent/model-message.ts'

export interface Param {
  /** As in the schema, snake_case; camelCase is read too. */
  readonly name: string
  readonly aliases?: readonly string[]
  /** `line`: one line of text; `texts`: a list; `object`: keys and values. */
  readonly type: 'line' | 'text' | 'texts' | 'count' | 'choice' | 'object'
  readonly of?: readonly string[]
  readonly required: 'yes' | 'no'
  readonly doc: string
}

/** Arguments after the check, by the name of the parameter. */
export type Arguments = Readonly<Record<string, string | number | readonly string[] | JsonObject>>

/** A task that this turn has made. */
export interface CreatedTask {
  readonly title: string
  readonly id: string
  readonly description: string
}

export interface ActionContext {
  readonly room: string
  /** The scope of the conversation; null for the room's own. */
  readonly scope: string | null
  readonly created: readonly CreatedTask[]
  /** A reading call of the hub, as this room's Neo. Throws HubError. */
  see(method: string, params: JsonObject): Promise<unknown>
}

/** What an action comes to. */
export type Step =
  /** A call of the hub, and its result in words for the model. */
  | {
      readonly kind: 'call'
      readonly method: string
      readonly params: JsonObject
      readonly tell: (result: unknown) => string
    }
  /** A word to people: a report, or a question that they answer by a message. */
  | {
      readonly kind: 'say'
      readonly what: 'report' | 'question'
      readonly text: string
      readonly tell: string
    }
  /** Nothing is done: it was done before, or it cannot be. */
  | { readonly kind: 'answer'; readonly text: string; readonly isError: boolean }

export interface Action {
  readonly name: string
  /** In which rooms it is available. */
  readonly who: 'all' | 'lobby' | 'rooms'
  /** `room`: only in the room's own conversation, because others see what it says. `scope`: only in a scope. */
  readonly where?: 'room' | 'scope'
  readonly doc: string
  readonly params: readonly Param[]
  step(args: Arguments, context: ActionContext): Promise<Step>
}

/** The keys that were given, under the hub's names. */
export function given(args: Arguments, names: Readonly<Record<string, string>>): JsonObject {
  const entries = Object.entries(names).flatMap(([name, hubName]) => {
    const value = args[name]
    return value === undefined ? [] : [[hubName, value] as const]
  })
  return Object.fromEntries(entries)
}

export function textOf(args: Arguments, name: string): string {
  const value = args[name]
  return typeof value === 'string' ? value : ''
}

/** A text field of something that the hub gave; '' if it has none. */
export function fieldOf(value: unknown, key: string): string {
  if (typeof value !== 'object' || value === null) return ''
  const found = (value as Readonly<Record<string, unknown>>)[key]
  return typeof found === 'string' ? found : typeof found === 'number' ? String(found) : ''
}
