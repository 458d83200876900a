/**
 * The port Search, by ripgrep: the program that @vscode/ripgrep brings, else `rg` on PATH. Invariant 1: a pattern, a
 * glob or a path is one argument and never an option; no shell, no configuration file. Invariant 2: links are not
 * followed; a sandbox, where given, holds rg to the folder even while names are swapped. Invariant 3: `.git` and `.neo`
 * are left out in any spelling, whatever the globs say.
 */

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { absoluteFolders } from '../../domain/agent/confinement.ts'
import { installHint } from '../../domain/text/install-hint.ts'
import type { Sandbox } from '../../ports/sandbox-port.ts'
import type { Search, SearchRequest } from '../../ports/search-port.ts'

const MOST_BYTES = 4 * 1024 * 1024
const MOST_ERROR = 4096

interface Run {
  readonly argv: readonly [string, ...string[]]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly maxLines: number
  readonly ms: number
  readonly signal: AbortSignal
}

interface Collected {
  readonly lines: readonly string[]
  readonly cut: boolean
  /** Null if it was killed or could not be started. */
  readonly code: number | null
  readonly error: string
}

function collect({ argv: [program, ...args], ...run }: Run): Promise<Collected> {
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

/** Letters of a line that is shown; longer ones are cut by rg. */
const COLUMNS = 500
/** Walking files without reading them takes less. */
const LIST_MS = 20_000
const COMMON = [
  '--no-config',
  '--no-messages',
  '--color=never',
  '--no-follow',
  '--hidden',
  '--no-ignore-parent',
  '--no-ignore-global',
  '--no-require-git',
  '--sort=path',
]
const NEVER = ['--iglob=!.git', '--iglob=!.neo']
const INSTALL = `ripgrep is not installed: apt-get install ripgrep, or ${installHint(import.meta.url, ['@vscode/ripgrep'])}`

type Argv = readonly [string, ...string[]]

export interface SearchOptions {
  /** Where rg runs, if it is available. */
  readonly sandbox?: Sandbox
  /** Programs to try instead of our own, in order. */
  readonly programs?: readonly string[]
}

/** Opens the port; rg is looked for at its first use. */
export function openSearch(options: SearchOptions = {}): Search {
  let found: Promise<string | null> | undefined
  const program = () => {
    found ??= findProgram(options.programs)
    return found
  }
  const run = async (root: string, args: readonly string[], limits: Limits): Promise<Collected | null> => {
    const rg = await program()
    if (rg === null) return null
    const argv = await confined([rg, ...args], root, options.sandbox)
    return await collect({ argv, cwd: root, env: {}, ...limits })
  }
  return {
    grep: async (request) => {
      const { maxLines, ms, signal } = request
      const ran = await run(request.root, grepArguments(request), { maxLines, ms, signal })
      if (ran === null) return { wrong: INSTALL }
      const wrong = failure(ran)
      return wrong === null ? { lines: ran.lines.map(plainLine), cut: ran.cut } : { wrong }
    },
    files: async (root, request) => {
      const args = [...COMMON, '--files', ...globs(request.globs), ...NEVER, '--', placeOf(request.path)]
      const limits = { maxLines: request.max, ms: LIST_MS, signal: request.signal }
      const ran = await run(root, args, limits)
      if (ran === null) return { wrong: INSTALL }
      const wrong = failure(ran)
      return wrong === null ? { paths: ran.lines.map(relative), cut: ran.cut } : { wrong }
    },
  }
}

interface Limits {
  readonly maxLines: number
  readonly ms: number
  readonly signal: AbortSignal
}

async function findProgram(programs: readonly string[] | undefined): Promise<string | null> {
  for (const program of programs ?? [await bundled(), 'rg']) {
    if (program === null) continue
    const limits = { maxLines: 1, ms: 5000, signal: new AbortController().signal }
    const env = { PATH: searchPath() }
    const ran = await collect({ argv: [program, '--version'], cwd: '/', env, ...limits })
    if (ran.lines[0]?.startsWith('ripgrep ') === true) return absolute(program)
  }
  return null
}

async function bundled(): Promise<string | null> {
  try {
    return (await import('@vscode/ripgrep')).rgPath
  } catch {
    return null
  }
}

/** rg runs with an empty environment, so a bare name has to be looked up before. */
function absolute(program: string): string {
  if (program.includes('/')) return program
  const files = searchPath().split(':')
  return files.map((folder) => `${folder}/${program}`).find((path) => existsSync(path)) ?? program
}

/** rg runs in folders into which a model writes: none of them is looked in for it. */
function searchPath(): string {
  return absoluteFolders(process.env['PATH'] ?? '')
}

async function confined(argv: Argv, root: string, sandbox: Sandbox | undefined): Promise<Argv> {
  if (sandbox === undefined || 'wrong' in (await sandbox.available())) return argv
  return sandbox.wrap(argv, {
    write: [],
    read: [root, dirname(argv[0])],
    network: 'deny',
    cwd: root,
    env: {},
  })
}

function grepArguments(request: SearchRequest): readonly string[] {
  return [
    ...COMMON,
    '--engine=default',
    '--line-number',
    '--with-filename',
    '--no-heading',
    '--null',
    `--max-columns=${COLUMNS}`,
    '--max-columns-preview',
    `--context=${request.context}`,
    ...(request.fixed ? ['--fixed-strings'] : []),
    ...(request.ignoreCase ? ['--ignore-case'] : []),
    ...globs(request.globs),
    ...NEVER,
    `--regexp=${request.pattern}`,
    '--',
    placeOf(request.path),
  ]
}

function globs(list: readonly string[]): readonly string[] {
  return list.map((glob) => `--glob=${glob}`)
}

function placeOf(path: string): string {
  return path === '' ? '.' : `./${path}`
}

/** rg exits with 1 for no match, and with 2 also where some file could not be read. */
function failure(ran: Collected): string | null {
  if (ran.cut || ran.code === 0 || ran.code === 1 || ran.lines.length > 0) return null
  const said = ran.error.trim().replace(/^rg: /, '')
  return said === '' ? `ripgrep ended with exit code ${ran.code ?? 'unknown'}` : said
}

/** `./a/b␀12:text` as `a/b:12:text`; context lines have `-` in place of `:`. */
function plainLine(line: string): string {
  const at = line.indexOf('\0')
  if (at < 0) return line
  const rest = line.slice(at + 1)
  const mark = /^\d+([:-])/.exec(rest)?.[1] ?? ':'
  return `${relative(line.slice(0, at))}${mark}${rest}`
}

function relative(path: string): string {
  return path.replace(/^\.\//, '')
}
