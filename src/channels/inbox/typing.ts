/** Shows in a chat that an answer is being written: while somebody works on it, not while it waits. */
import type { Clock } from '../../ports/world.ts'

export interface Typing {
  readonly clock: Pick<Clock, 'now' | 'after'>
  /** True while a turn may be about this message: false without a model, in a paused room, while Neo holds back. */
  readonly isWorked: () => boolean
  /** Shows it until what it gives is called. */
  readonly show: () => () => void
}

const LOOK_MS = 4_000
/** A turn begins a moment after its message; one that has not begun by then waits for something. */
const BEGINS_MS = 15_000
/** Longer than any answer that somebody sits and waits for. */
const LONGEST_MS = 10 * 60_000

export function showTyping({ clock, isWorked, show }: Typing): () => void {
  const began = clock.now()
  let seen = began
  const idle = show()
  let forget = (): void => {}
  const end = (): void => {
    forget()
    idle()
  }
  const check = (): void => {
    const now = clock.now()
    if (isWorked()) seen = now
    if (now - seen > BEGINS_MS || now - began > LONGEST_MS) end()
    else forget = clock.after(LOOK_MS, check)
  }
  forget = clock.after(LOOK_MS, check)
  return end
}
