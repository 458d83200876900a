/**
 * Starts git processes: environment, time limit, output as bytes. No shell, no prompt, no pager, no editor.
 * Leaves to run.ts: the guard against a repository's own programs, and what an exit code means.
 */
import { spawn } from 'node:child_process'
import { NeoError } from '../../core/model/error.ts'

export interface GitRun {
  readonly code: number
  readonly out: Buffer
  readonly err: string
}

export interface SpawnOptions {
  readonly input?: Buffer | string
  readonly timeoutMs?: number
  readonly env: Readonly<Record<string, string>>
}

/** Longer than any local git command of ours takes on a large repository. */
const TIMEOUT_MS = 120_000
/** Git exits with this for what it calls fatal. */
const FATAL = 128

/** Splits `-z` output. Each part is a string of its own: a slice keeps all of the output in memory for as long as it lives. */
export function zeroSplit(out: Buffer | string): string[] {
  const bytes = typeof out === 'string' ? Buffer.from(out) : out
  const parts: string[] = []
  for (let from = 0; from < bytes.length; ) {
    const zero = bytes.indexOf(0, from)
    const end = zero < 0 ? bytes.length : zero
    parts.push(bytes.toString('utf8', from, end))
    from = end + 1
  }
  return parts
}

/** The same id as a string of its own, for what is kept longer than the output that it was found in. */
export function ownId(id: string): string {
  return Buffer.from(id, 'latin1').toString('latin1')
}

/** The environment of every git process of ours. */
export function gitEnvironment(more: Readonly<Record<string, string>>): Record<string, string> {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !name.startsWith('GIT_')) env[name] = value
  }
  for (const name of KEPT) if (process.env[name] !== undefined) env[name] = process.env[name]
  return {
    ...env,
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    SSH_ASKPASS: '/bin/false',
    GIT_SSH_COMMAND: 'ssh -o BatchMode=yes',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_EDITOR: 'true',
    GIT_PAGER: 'cat',
    LC_ALL: 'C',
    // Tells our git processes from a person's (persons-git.ts).
    NEO_GIT: '1',
    ...more,
  }
}

/** Names a user may have set on purpose, and that move no location. */
const KEPT = [
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  'GIT_CONFIG_NOSYSTEM',
  'GIT_AUTHOR_NAME',
  'GIT_AUTHOR_EMAIL',
  'GIT_EXEC_PATH',
]

export function spawnGit(cwd: string, args: readonly string[], options: SpawnOptions): Promise<GitRun> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', [...args], {
      cwd,
      env: options.env,
      timeout: options.timeoutMs ?? TIMEOUT_MS,
      killSignal: 'SIGKILL',
    })
    const out: Buffer[] = []
    const err: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
    // A process that ends before it has read its input is judged by its exit code.
    child.stdin.on('error', () => {})
    child.on('error', (cause) => reject(notStarted(cwd, cause)))
    child.on('close', (code, signal) => {
      const text = Buffer.concat(err).toString('utf8')
      resolve({
        code: code ?? FATAL,
        out: Buffer.concat(out),
        err: signal === null ? text : `${text}stopped by ${signal}: it took too long`,
      })
    })
    child.stdin.end(options.input ?? '')
  })
}

function notStarted(cwd: string, cause: Error): NeoError {
  const missing = 'code' in cause && cause.code === 'ENOENT'
  return new NeoError(
    'git',
    `Cannot run git in ${cwd}: ${missing ? 'git or the folder is missing' : cause.message}`,
    {
      next: 'install git 2.39 or newer, and check that the folder exists',
      cause,
    },
  )
}

export function firstLine(text: string): string {
  return text.replace(/^(fatal|error): /, '').split('\n')[0] ?? ''
}
