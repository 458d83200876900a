/** node:fs whose n-th call fails, for the fault tests of the disk adapter. */
import nodeFs from 'node:fs'
import type { DiskFs } from '../../../src/adapters/disk/fs.ts'

/** Gives the code that call number `n` (from 1) fails with, or null where it goes through. */
export type Fault = (n: number, name: string) => string | null

export interface Faulty {
  readonly fs: DiskFs
  /** Names of the calls made so far. */
  readonly calls: string[]
}

export function faultyFs(fault: Fault): Faulty {
  const calls: string[] = []
  const fs = new Proxy(nodeFs, {
    get(target, key: keyof DiskFs) {
      const real = target[key]
      if (typeof real !== 'function') return real
      return (...args: unknown[]) => {
        calls.push(key)
        const code = fault(calls.length, key)
        // The kernel lets go of a handle also where close fails.
        if (code === null || key === 'closeSync') {
          const value = Reflect.apply(real, target, args)
          if (code === null) return value
        }
        throw Object.assign(new Error(`${code}: injected, ${key}`), { code })
      }
    },
  })
  return { fs, calls }
}

export const CODES = ['ENOSPC', 'EACCES', 'EIO', 'EMFILE'] as const

/** How many handles this process has open. */
export function openHandles(): number {
  return nodeFs.readdirSync('/proc/self/fd').length
}
