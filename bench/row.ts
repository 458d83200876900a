/**
 * A row of the table of figures: its name for `--only`, and how to measure it.
 */
export interface Run {
  /** Fewer rounds and smaller homes: to see that a row runs, not to quote its figures. */
  readonly quick: boolean
}

/** One line of the printed table. */
export interface Line {
  readonly work: string
  /** What the goal is, in words: `≤ 2 × node -e 0`. */
  readonly goal: string
  readonly floor: string
  readonly measured: string
  /** `ok` or `over`; `-` where the line is only there to compare. */
  readonly verdict: 'ok' | 'over' | '-'
}

export interface Row {
  readonly name: string
  readonly measures: string
  run(run: Run): Promise<readonly Line[]>
}

export interface Ratio {
  readonly work: string
  readonly most: number
  /** What stands beneath: its name and its time. */
  readonly floor: { readonly name: string; readonly ms: number }
  readonly ms: number
}

/** The line of a goal that is a multiple of a floor. */
export function ratioLine({ work, most, floor, ms }: Ratio): Line {
  const ratio = ms / floor.ms
  return {
    work,
    goal: `≤ ${most} × ${floor.name}`,
    floor: inMs(floor.ms),
    measured: `${inMs(ms)} = ${ratio.toFixed(2)} ×`,
    verdict: ratio <= most ? 'ok' : 'over',
  }
}

/** A line that only shows what something else costs, as a multiple of the same floor. */
export function besideLine(work: string, floorMs: number, ms: number): Line {
  return {
    work,
    goal: '',
    floor: inMs(floorMs),
    measured: `${inMs(ms)} = ${(ms / floorMs).toFixed(2)} ×`,
    verdict: '-',
  }
}

export function inMs(ms: number): string {
  if (ms >= 10_000) return `${(ms / 1000).toFixed(1)} s`
  return `${ms >= 100 ? ms.toFixed(0) : ms.toFixed(ms >= 10 ? 1 : 2)} ms`
}
