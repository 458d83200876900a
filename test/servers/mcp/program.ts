/** The built program, as an editor starts it. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

export const NEO_ARGV: readonly [string, ...string[]] = [process.execPath, resolve('dist/main.js')]

/** Memory of a process that is held in RAM, in MB. */
export function residentMb(pid: number): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1] ?? Number.NaN) / 1024
}
