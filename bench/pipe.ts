/**
 * A named pipe on which a step says that it runs: the reader is told at once, with no clock of the file system between.
 */
import { execFileSync } from 'node:child_process'
import { constants, openSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { temporary } from './home.ts'

export interface Pipe {
  readonly path: string
  /** Resolves with the time (performance.now) at which the next line arrives; fails after `ms`. */
  next(ms?: number): Promise<number>
  close(): void
}

export function openPipe(): Pipe {
  const path = join(temporary(), 'pipe')
  execFileSync('mkfifo', [path])
  const socket = new Socket({ fd: openSync(path, constants.O_RDWR | constants.O_NONBLOCK), writable: false })
  const next = (ms = 30_000) =>
    new Promise<number>((heard, failed) => {
      const late = setTimeout(() => failed(new Error(`Nothing ran within ${ms} ms`)), ms)
      socket.once('data', () => {
        clearTimeout(late)
        heard(performance.now())
      })
    })
  return { path, next, close: () => void socket.destroy() }
}
