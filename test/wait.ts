/** How tests wait and measure, so that what else the machine does changes no outcome. */

/**
 * How long something may take that takes seconds on an idle machine: a bound that shows that it ends, not how fast it is.
 * Two daemons over one remote need 13 s on an idle machine, and were seen to need more than 60 s on a busy one.
 */
export const MOMENT_MS = 300_000

/** Milliseconds of processor time that this process spends on `work`. Other processes do not count. */
export function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
