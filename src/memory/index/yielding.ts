/**
 * Long work in small steps, so that the daemon's rounds and doors go on in the meantime. Invariant 1: no more than about
 * STEP_MS of work between two rests that give way.
 */
const STEP_MS = 15

export interface Steps {
  /** Yields if the step is over; else returns at once. */
  rest(): Promise<void>
  isOver(): boolean
  /** Yields now: what comes next is a step of its own. */
  next(): Promise<void>
}

export function openSteps(now: () => number = () => performance.now()): Steps {
  let began = now()
  const isOver = () => now() - began >= STEP_MS
  const next = async () => {
    await new Promise<void>((resolve) => setImmediate(resolve))
    began = now()
  }
  return {
    ...{ isOver, next },
    async rest() {
      if (isOver()) await next()
    },
  }
}
