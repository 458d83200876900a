/**
 * The ask: something only a human can settle, `rooms/<room>/asks/<id>.md`.
 * Invariant 1: what was shown is what runs: `hash` covers the action and every file it names.
 * Invariant 2: the first valid decision wins; no answer is no.
 */

import { cut, oneLine } from '../text/one-line.ts'

export const ASK_DECISIONS = ['pending', 'approved', 'denied'] as const
export type AskDecision = (typeof ASK_DECISIONS)[number]

export interface Ask {
  readonly id: string
  readonly kind: 'approval' | 'question'
  readonly session?: string
  /** Id of the task that waits. */
  readonly task?: string
  /** What exactly is asked for. `sha256` is over `tool`, `arguments` and the named files' bytes. */
  readonly action: {
    readonly tool: string
    readonly arguments: Readonly<Record<string, unknown>>
    readonly files: readonly string[]
    readonly sha256: string
  }
  readonly reason: string
  readonly expiresAt?: string
  readonly decision: AskDecision
  readonly decidedBy?: string
  readonly decidedAt?: string
  readonly handledAt?: string
  /** Who asked, if it was a call of the hub: `neo:<room>`, `session:<id>`. */
  readonly createdBy?: string
  readonly createdAt?: string
  /** The text under `## Answer`, for a question. */
  readonly answer?: string
  readonly body: string
}

/** A command in a list: what it begins with tells most; all of it is in `neo ask show`. */
const MOST_LETTERS = 100

export function askSays({ reason, action }: Pick<Ask, 'reason' | 'action'>): string {
  const what = ['command', 'url'].map((key) => action.arguments[key]).find((one) => typeof one === 'string')
  const line = typeof what === 'string' ? oneLine(what) : ''
  if (line === '' || reason.includes(line)) return reason
  const short = cut(line, MOST_LETTERS)
  return reason === '' ? short : `${reason}: ${short}`
}
