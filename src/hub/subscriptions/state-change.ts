/**
 * A state channel's content, and how it differs from the one before: sections of items by id. Invariant: applying a
 * change to the state before gives the state after.
 */
import { sameData } from '../../files/values/equal.ts'

export type State = Readonly<Record<string, Readonly<Record<string, unknown>>>>

export interface StateChange {
  readonly set: State
  readonly gone: Readonly<Record<string, readonly string[]>>
}

/** Null if nothing differs. */
export function changeBetween(before: State, now: State): StateChange | null {
  const set: Record<string, Record<string, unknown>> = {}
  const gone: Record<string, string[]> = {}
  for (const [section, items] of Object.entries(now)) {
    const old = before[section] ?? {}
    if (old === items) continue
    const changed = Object.entries(items).filter(
      ([id, item]) => !Object.hasOwn(old, id) || !sameData(old[id], item),
    )
    const left = Object.keys(old).filter((id) => !Object.hasOwn(items, id))
    if (changed.length > 0) set[section] = Object.fromEntries(changed)
    if (left.length > 0) gone[section] = left
  }
  return Object.keys(set).length + Object.keys(gone).length === 0 ? null : { set, gone }
}
