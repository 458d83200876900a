/**
 * Measuring: runs candidates in turn, so that what else the machine does hits all alike, and gives medians in ms.
 */
import { spawnSync } from 'node:child_process'

export interface Timed {
  readonly p50: number
  readonly p90: number
  readonly all: readonly number[]
}

export type Candidate = () => number | Promise<number>

/** Runs every candidate once to warm up, then `rounds` times in turn. A candidate gives its own time in ms. */
export async function inTurn<Name extends string>(
  candidates: Readonly<Record<Name, Candidate>>,
  rounds: number,
): Promise<Record<Name, Timed>> {
  const names = Object.keys(candidates) as Name[]
  const times = new Map<Name, number[]>(names.map((name) => [name, []]))
  for (const name of names) await candidates[name]()
  for (let round = 0; round < rounds; round++) {
    for (const name of names) times.get(name)?.push(await candidates[name]())
  }
  return Object.fromEntries(names.map((name) => [name, timed(times.get(name) ?? [])])) as Record<Name, Timed>
}

export function timed(all: readonly number[]): Timed {
  const sorted = [...all].sort((a, b) => a - b)
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { p50: at(0.5), p90: at(0.9), all }
}

/** Time of a whole process in ms, its output read and thrown away. Throws with its output where it fails. */
export function processTime(argv: readonly [string, ...string[]], options: { cwd?: string } = {}): number {
  const [program, ...args] = argv
  const started = performance.now()
  const run = spawnSync(program, args, { ...options, encoding: 'utf8', maxBuffer: 1 << 28 })
  const ms = performance.now() - started
  if (run.status !== 0)
    throw new Error(`${argv.join(' ')}: exit ${run.status}\n${run.stderr ?? ''}${run.error ?? ''}`)
  return ms
}

export function callTime(call: () => void): number {
  const started = performance.now()
  call()
  return performance.now() - started
}

/** Waits until `look` gives something, looking every 5 ms, for at most `ms`. */
export async function until<T>(what: string, look: () => T | null, ms = 60_000): Promise<T> {
  const end = performance.now() + ms
  for (;;) {
    const found = look()
    if (found !== null) return found
    if (performance.now() > end) throw new Error(`Waited ${ms} ms in vain: ${what}`)
    await pause(5)
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms))
}
