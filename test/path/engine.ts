/** The built engine (engine-process.mjs) as a child process, so that it can be ended with SIGKILL as a power cut would end it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { resolve } from 'node:path'

export interface Engine {
  readonly child: ChildProcess
  /** What it has said so far. */
  said(): string
}

export interface Ended {
  readonly died: boolean
  readonly exitCode: number | null
  readonly said: string
}

const SCRIPT = resolve('dist/tests/engine-process.js')

/** Starts it over a home. It kills itself after so many lines of the journal; 0: never. */
export function engine(home: string, dieAfter = 0): Engine {
  const child = spawn(process.execPath, [SCRIPT, home, String(dieAfter)])
  const pieces: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => pieces.push(String(piece)))
  return { child, said: () => pieces.join('') }
}

/** Waits for its end. */
export function ended({ child, said }: Engine): Promise<Ended> {
  return new Promise((resolve) => {
    child.on('close', (exitCode, signal) => resolve({ died: signal === 'SIGKILL', exitCode, said: said() }))
  })
}
