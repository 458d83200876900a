/**
 * Work of many agents, some at a time, one agent after the other. Invariant 1: an agent with much to do delays another by one
 * piece of work at most. Invariant 2: what waits is bounded for each agent.
 */
export interface FairQueue {
  /** Null: too much of this agent waits or runs. Rejects as the work does. */
  run<T>(agentId: string, most: number, work: () => Promise<T>): Promise<T> | null
  /** How many wait or run. */
  load(): number
}

export function openFairQueue(atOnce: () => number): FairQueue {
  /** In the order in which their turn comes. */
  const waiting = new Map<string, (() => void)[]>()
  const counts = new Map<string, number>()
  let running = 0

  function next(): void {
    while (running < atOnce()) {
      const [first] = waiting
      if (first === undefined) return
      const [agentId, [begin, ...others]] = first
      waiting.delete(agentId)
      if (others.length > 0) waiting.set(agentId, others)
      running++
      begin?.()
    }
  }

  function leave(agentId: string): void {
    running--
    const count = (counts.get(agentId) ?? 1) - 1
    if (count === 0) counts.delete(agentId)
    else counts.set(agentId, count)
    next()
  }

  return {
    run(agentId, most, work) {
      const count = counts.get(agentId) ?? 0
      if (count >= most) return null
      counts.set(agentId, count + 1)
      const turn = new Promise<void>((begin) => {
        waiting.set(agentId, [...(waiting.get(agentId) ?? []), begin])
      })
      const done = turn.then(work).finally(() => leave(agentId))
      next()
      return done
    },
    load: () => [...counts.values()].reduce((sum, one) => sum + one, 0),
  }
}
