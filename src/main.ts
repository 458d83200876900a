#!/usr/bin/env node
/**
 * The program: where a process starts. Invariant 1: the environment is read here and handed on; nothing below reads it
 * by itself.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from './cli/package-folder.ts'

const argv = process.argv.slice(2)

const WINDOWS =
  'neo: Cannot run here: Windows has no process groups and no file modes that Neo could rely on\n' +
  'why: the same code runs on Linux and macOS\n' +
  'next: open a shell of WSL (`wsl`), with node and git installed there, and run neo in it\n'
const NO_FOLDER = 'neo: Cannot start: the folder that we are in is gone\nnext: cd to one that is there\n'

void main()

async function main(): Promise<void> {
  if (process.platform === 'win32') return refuse(2, WINDOWS)
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V'))
    return void process.stdout.write(`${version()}\n`)
  if (folder() === null) return refuse(4, NO_FOLDER)
  const { settleZone } = await import('./cli/system-zone.ts')
  const remark = settleZone(process.env)
  if (remark !== null) process.stderr.write(`neo: ${remark}\n`)
  const { explainFault, runProgram } = await import('./cli/program.ts')
  process.on('uncaughtException', (error) => process.exit(explainFault(error, process.stderr)))
  process.exitCode = await runProgram(argv, {
    version: version(),
    env: process.env,
    cwd: folder() ?? '',
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

/** Null where it was deleted under us. */
function folder(): string | null {
  try {
    return process.cwd()
  } catch {
    return null
  }
}

function onSignal(call: () => void): () => void {
  process.on('SIGINT', call)
  process.on('SIGTERM', call)
  return () => {
    process.off('SIGINT', call)
    process.off('SIGTERM', call)
  }
}

function version(): string {
  const text = readFileSync(join(packageFolder(), 'package.json'), 'utf8')
  return (JSON.parse(text) as { readonly version: string }).version
}
