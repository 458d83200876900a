#!/usr/bin/env node
/**
 * Where the process starts. Invariant 1: only this file reads the environment; it is passed on to everything below.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from './cli/package-folder.ts'

const argv = process.argv.slice(2)

const WINDOWS =
  'neo: Cannot run on Windows\n' +
  'why: Neo needs process groups and file modes, as on Linux and macOS\n' +
  'next: use WSL: run `wsl`, install node and git there, and run neo in it\n'
const FOLDER_DELETED = 'neo: Cannot start: the current folder was deleted\nnext: cd to another folder\n'

void main()

async function main(): Promise<void> {
  if (process.platform === 'win32') return refuse(2, WINDOWS)
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V'))
    return void process.stdout.write(`${version()}\n`)
  if (currentFolder() === null) return refuse(4, FOLDER_DELETED)
  const { setTimeZone } = await import('./cli/time-zone.ts')
  const warning = setTimeZone(process.env)
  if (warning !== null) process.stderr.write(`neo: ${warning}\n`)
  // Node's own listener would print its process id, and how to trace the warning.
  process.removeAllListeners('warning')
  process.on('warning', ({ message }) => process.stderr.write(`neo: ${message}\n`))
  for (const signal of IGNORED) process.on(signal, () => {})
  const { explainFault, runProgram } = await import('./cli/program.ts')
  process.on('uncaughtException', (error) => process.exit(explainFault(error, process.stderr)))
  process.exitCode = await runProgram(argv, {
    version: version(),
    env: process.env,
    cwd: currentFolder() ?? '',
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    onSignal,
    exit: (code) => process.exit(code),
  })
}

function refuse(code: number, text: string): void {
  process.stderr.write(text)
  process.exitCode = code
}

/** The current folder; null if it was deleted. */
function currentFolder(): string | null {
  try {
    return process.cwd()
  } catch {
    return null
  }
}

/** SIGHUP comes when the terminal is closed. */
const ENDS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** Without a listener, Node ends at the one without a word, and opens its debugger to this machine at the other. */
const IGNORED = ['SIGUSR1', 'SIGUSR2'] as const

function onSignal(call: () => void): () => void {
  for (const signal of ENDS) process.on(signal, call)
  return () => {
    for (const signal of ENDS) process.off(signal, call)
  }
}

function version(): string {
  const text = readFileSync(join(packageFolder(), 'package.json'), 'utf8')
  return (JSON.parse(text) as { readonly version: string }).version
}
