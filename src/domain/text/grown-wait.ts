export interface Waits {
  /** All times in milliseconds. */
  readonly first: number
  readonly most: number
  /** 2 if absent. */
  readonly factor?: number
}

/** The wait after `tries` failures in a row (1 at the first): each is `factor` times the one before, up to `most`. */
export function grownWait({ first, most, factor = 2 }: Waits, tries: number): number {
  return Math.min(most, first * factor ** Math.min(30, Math.max(0, tries - 1)))
}

/** When (epoch ms) something is due again that was done at `last`: at once, if the clock has gone back since. */
export function dueAgain(last: number, everyMs: number, now: number): number {
  return last > now ? now : last + everyMs
}
