/** A state channel after a change. What a change doesn't touch keeps its identity. */

/** Sections of items by id. */
export type State = Readonly<Record<string, Readonly<Record<string, unknown>>>>

export interface Change {
  readonly set: State
  readonly gone: Readonly<Record<string, readonly string[]>>
}

export function withChange(state: State, { set, gone }: Change): State {
  const next: Record<string, Record<string, unknown>> = { ...state }
  for (const [section, items] of Object.entries(set)) next[section] = { ...next[section], ...items }
  for (const [section, ids] of Object.entries(gone)) {
    const items = { ...next[section] }
    for (const id of ids) delete items[id]
    next[section] = items
  }
  return next
}
