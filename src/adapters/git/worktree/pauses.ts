/** Long work of this process in short steps: between two of them, everything else has its turn. */

export interface Pauses {
  /** Resolves at once until a step has lasted long enough, then after whatever else waits. */
  due(): Promise<void>
}

/** A step: nobody notices a wait of this length. */
const STEP_MS = 10

export function openPauses(): Pauses {
  let since = performance.now()
  return {
    async due() {
      if (performance.now() - since < STEP_MS) return
      await new Promise((resolve) => setImmediate(resolve))
      since = performance.now()
    },
  }
}
