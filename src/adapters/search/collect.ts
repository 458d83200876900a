/**
 * Runs a program that prints lines, until it ends or a limit is reached. Invariant 1: at a limit, and on abort, the
 * program is killed; nothing is waited for longer than `ms` and a second. Invariant 2: at most MOST_BYTES of output are
 * held.
 */
import { spawn } from 'node:child_process'

const MOST_BYTES = 4 * 1024 * 1024
const MOST_ERROR = 4096

export interface Run {
  readonly argv: readonly [string, ...string[]]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly maxLines: number
  readonly ms: number
  readonly signal: AbortSignal
}

export interface Collected {
  readonly lines: readonly string[]
  readonly cut: boolean
  /** Null if it was killed or could not be started. */
  readonly code: number | null
  readonly error: string
}

export function collect({ argv: [program, ...args], ...run }: Run): Promise<Collected> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: run.cwd, env: run.env, stdio: ['ignore', 'pipe', 'pipe'] })
    const chunks: Buffer[] = []
    const state = { bytes: 0, lines: 0, cut: false, error: '' }
    const stop = () => {
      state.cut = true
      child.kill('SIGKILL')
      child.stdout.destroy()
    }
    const timer = setTimeout(stop, run.ms)
    run.signal.addEventListener('abort', stop, { once: true })
    if (run.signal.aborted) stop()
    const end = (code: number | null) => {
      clearTimeout(timer)
      run.signal.removeEventListener('abort', stop)
      resolve({ ...linesOf(chunks, run.maxLines, state.cut), code, error: state.error })
    }
    child.stdout.on('data', (chunk: Buffer) => {
      if (state.cut) return
      chunks.push(chunk)
      state.bytes += chunk.length
      state.lines += newLines(chunk)
      if (state.bytes > MOST_BYTES || state.lines > run.maxLines) stop()
    })
    child.stderr.on('data', (chunk: Buffer) => {
      if (state.error.length < MOST_ERROR) state.error += chunk.toString('utf8').slice(0, MOST_ERROR)
    })
    child.once('error', (error) => {
      state.error = error.message
      end(null)
    })
    child.once('close', (code) => end(code))
  })
}

function newLines(chunk: Buffer): number {
  let count = 0
  for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) count += 1
  return count
}

/** Whole lines; the last, torn one of a killed program is left out. */
function linesOf(
  chunks: readonly Buffer[],
  most: number,
  killed: boolean,
): { readonly lines: readonly string[]; readonly cut: boolean } {
  const lines = Buffer.concat(chunks).toString('utf8').split('\n')
  const last = lines.pop()
  if (!killed && last !== undefined && last !== '') lines.push(last)
  return { lines: lines.slice(0, most), cut: killed || lines.length > most }
}
