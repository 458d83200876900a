/**
 * Runs the built program inside of the process of the tests: the code of `dist/` with streams in memory.
 * Takes argv, a folder, an environment and what is typed; gives the exit code and both outputs.
 * Invariant 1: the environment is the process's own while something runs, and no longer.
 * Invariant 2: what one run learns, the next of its file knows, such as a secret to mask. A test that something is not
 * printed lets no run before know it, or starts a process.
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import type { Surroundings } from '../../src/cli/spec.ts'
import type { Ended } from './program.ts'

type RunProgram = (argv: readonly string[], around: Surroundings) => Promise<number>

export interface Typed {
  readonly args: readonly string[]
  readonly cwd: string
  readonly input: string
  readonly env: NodeJS.ProcessEnv
}

const PROGRAM = pathToFileURL(resolve('dist/cli/program.js')).href

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string }
const OWN = process.env
let running = 0

export async function run({ args, cwd, input, env }: Typed): Promise<Ended> {
  if (running++ === 0) process.env = env
  try {
    const out = collector()
    const err = collector()
    const code = await ended(args, {
      version,
      env,
      cwd,
      stdin: Readable.from(input === '' ? [] : [Buffer.from(input)]) as unknown as NodeJS.ReadStream,
      stdout: out.stream,
      stderr: err.stream,
      onSignal: () => () => {},
    })
    return { code, out: out.text(), err: err.text() }
  } finally {
    if (--running === 0) process.env = OWN
  }
}

/** What `dist/main.js` does with it, up to the exit code. */
async function ended(args: readonly string[], around: Omit<Surroundings, 'exit'>): Promise<number> {
  const { runProgram } = (await import(PROGRAM)) as { readonly runProgram: RunProgram }
  return await new Promise((end, fail) => {
    runProgram(args, { ...around, exit: end }).then(end, fail)
  })
}

function collector(): { readonly stream: NodeJS.WriteStream; readonly text: () => string } {
  const pieces: Buffer[] = []
  const stream = new Writable({
    write(piece: Buffer, _, done) {
      pieces.push(piece)
      done()
    },
  })
  return {
    stream: stream as unknown as NodeJS.WriteStream,
    text: () => Buffer.concat(pieces).toString('utf8'),
  }
}
