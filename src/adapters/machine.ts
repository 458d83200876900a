/**
 * What the machine itself gives: the time and timers of any length, random ids, and the user who runs this process, also
 * without an account, as in containers that are started with `--user 12345`. Node's own timers end at 24.8 days (a longer
 * one fires at once) and stop while a laptop sleeps. Invariants: 1. a timer never waits longer than MAX_WAIT in one piece,
 * and never less than 1 ms: it can't spin; 2. a timer is due when either the wall clock or the monotonic one says so:
 * after sleep it fires within MAX_WAIT, and a wall clock set back does not delay it.
 */

import { randomInt } from 'node:crypto'
import { homedir, tmpdir, userInfo } from 'node:os'
import type { Clock, Random } from '../ports/world.ts'

/** Long enough to cost nothing, short enough to notice that the machine slept. */
const MAX_WAIT_MS = 60_000

/** What the clock needs; tests pass their own. */
export interface Timers {
  wall(): number
  monotonic(): number
  set(call: () => void, ms: number): () => void
}

export function systemClock(timers: Timers = nodeTimers): Clock {
  return {
    now: () => timers.wall(),
    after: (ms, call) => after(timers, ms, call),
  }
}

const nodeTimers: Timers = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  set(call, ms) {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
}

function after(timers: Timers, ms: number, call: () => void): () => void {
  const wanted = Number.isNaN(ms) ? 0 : Math.max(0, ms)
  const from = { wall: timers.wall(), monotonic: timers.monotonic() }
  let cancel = () => {}
  const wait = () => {
    const passed = Math.max(timers.wall() - from.wall, timers.monotonic() - from.monotonic)
    const left = wanted - passed
    cancel = timers.set(left <= MAX_WAIT_MS ? finish : wait, Math.max(1, Math.min(left, MAX_WAIT_MS)))
  }
  const finish = () => {
    // A timer of node's may fire up to 1 ms early; what is left is not worth another round.
    cancel = () => {}
    call()
  }
  wait()
  return () => cancel()
}

/** Whether the work ends within so many milliseconds. Its timer keeps a command alive that waits for nothing else. */
export async function inTime(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  try {
    return await Promise.race([work.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}

const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz'

/** Two machines may make the same id (36^6 are 2 thousand million): callers check whether it is taken. */
export function systemRandom(): Random {
  return {
    id(prefix) {
      const digits = Array.from({ length: 6 }, () => DIGITS[randomInt(DIGITS.length)] ?? '0')
      return `${prefix}-${digits.join('')}`
    },
  }
}

/** The account's name; `user-<id>` if there isn't one. */
export function accountName(): string {
  const named = process.env['USER'] || process.env['LOGNAME']
  if (named) return named
  try {
    return userInfo().username
  } catch {
    return `user-${process.getuid?.() ?? 0}`
  }
}

/** `$HOME`, else the account's; the folder of temporary files if there is neither. */
export function homeFolder(): string {
  return ownHome() ?? tmpdir()
}

/** `$HOME`, else the account's; null if there is neither. */
export function ownHome(): string | null {
  try {
    return homedir()
  } catch {
    return null
  }
}
