/**
 * The one place that starts git: environment, time limit, output as bytes. No shell, no prompt, no pager, no editor.
 * Invariants: 1. inherited locations (GIT_DIR, …) are removed, so only named repositories are used; 2. no bare
 * repository is ever discovered, and no remote helper program is started; 3. programs come from absolute folders of
 * PATH.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import type { SimpleGit } from 'simple-git'
import { absoluteFolders } from '../../../domain/agent/confinement.ts'
import { NeoError } from '../../../domain/home/error.ts'
import { codeOf } from '../../disk/fs.ts'

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

type Environment = Readonly<Record<string, string | undefined>>

/** Longer than any local git command of Neo takes on a large repository. */
const TIMEOUT_MS = 120_000
/** More than the list of files of a large repository. */
const MOST_SYNC = 64 * 1024 * 1024
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

/** The environment of every git process of Neo. */
export function gitEnvironment(
  more: Readonly<Record<string, string>>,
  from: Environment = process.env,
): Record<string, string> {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(from))
    if (value !== undefined && (!name.startsWith('GIT_') || KEPT.includes(name))) env[name] = value
  return {
    ...env,
    PATH: absoluteFolders(env['PATH'] ?? ''),
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    SSH_ASKPASS: '/bin/false',
    GIT_SSH_COMMAND: 'ssh -o BatchMode=yes',
    // Beats protocol.*.allow and remote.*.vcs of any configuration: no `ext::` and no helper by another name.
    GIT_ALLOW_PROTOCOL: 'file:git:http:https:ssh',
    GIT_OPTIONAL_LOCKS: '0',
    // What is read is what a hash names and what a push sends; neither refs nor a file of a repository hide some of it.
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_GRAFT_FILE: '/dev/null/none',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_EDITOR: 'true',
    GIT_PAGER: 'cat',
    LC_ALL: 'C',
    // Tells our git processes from the user's (persons-git.ts).
    NEO_GIT: '1',
    ...settings(ALWAYS),
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

export type Pair = readonly [key: string, value: string]

/** In force for every command, over all configuration files. */
export const ALWAYS: readonly Pair[] = [
  ['safe.bareRepository', 'explicit'],
  ['core.fsmonitor', 'false'],
]

/** Settings as environment entries, so that no name needs quoting; they replace those of an environment before. */
export function settings(pairs: readonly Pair[]): Record<string, string> {
  const env: Record<string, string> = { GIT_CONFIG_COUNT: String(pairs.length) }
  for (const [index, [key, value]] of pairs.entries()) {
    env[`GIT_CONFIG_KEY_${index}`] = key
    env[`GIT_CONFIG_VALUE_${index}`] = value
  }
  return env
}

/** Names a work tree and its git dirs: git discovers nothing then. */
export function placeIn(tree: { readonly top: string; readonly gitDir: string; readonly commonDir: string }) {
  return { GIT_DIR: tree.gitDir, GIT_COMMON_DIR: tree.commonDir, GIT_WORK_TREE: tree.top }
}

/** Starts git with pipes. `group`: a process group of its own, so that helpers can be ended with it; it gets no input. */
export function startGit(
  cwd: string,
  args: readonly string[],
  of: { readonly env: Readonly<Record<string, string>>; readonly group?: 'own'; readonly timeoutMs?: number },
): ChildProcess {
  return spawn('git', [...args], {
    cwd,
    env: of.env,
    ...(of.group === undefined ? {} : { detached: true, stdio: ['ignore', 'pipe', 'pipe'] }),
    ...(of.timeoutMs === undefined ? {} : { timeout: of.timeoutMs, killSignal: 'SIGKILL' }),
  })
}

export function spawnGit(cwd: string, args: readonly string[], options: SpawnOptions): Promise<GitRun> {
  return new Promise((resolve, reject) => {
    const child = startGit(cwd, args, { env: options.env, timeoutMs: options.timeoutMs ?? TIMEOUT_MS })
    const out: Buffer[] = []
    const err: Buffer[] = []
    child.stdout?.on('data', (chunk: Buffer) => out.push(chunk))
    child.stderr?.on('data', (chunk: Buffer) => err.push(chunk))
    // A process that ends before it has read its input is judged by its exit code.
    child.stdin?.on('error', () => {})
    child.on('error', (cause) => reject(notStarted(cwd, cause)))
    child.on('close', (code, signal) => {
      const text = Buffer.concat(err).toString('utf8')
      resolve({
        code: code ?? FATAL,
        out: Buffer.concat(out),
        err: signal === null ? text : `${text}stopped by ${signal}: it took too long`,
      })
    })
    child.stdin?.end(options.input ?? '')
  })
}

/** What simple-git refuses to pass on unless it is allowed by name. Our own environment sets these, to safe values. */
const ALLOWED = [
  ...['AskPass', 'ConfigEnvCount', 'ConfigPaths', 'Editor', 'Exec', 'FsMonitor', 'HooksPath', 'Pager'],
  ...['ProtocolOverride', 'SshCommand'],
].map((name) => [`allowUnsafe${name}`, true] as const)

/**
 * For reading commands, where its wait of 50 ms after a silent command does not matter. `env` is that of `environmentOf`.
 * A task rejects when git exits with another code than 0.
 */
export async function openSimpleGit(cwd: string, env: Readonly<Record<string, string>>): Promise<SimpleGit> {
  const { simpleGit } = await import('simple-git')
  return simpleGit({
    baseDir: cwd,
    allowEnvironment: Object.keys(env),
    unsafe: Object.fromEntries(ALLOWED),
    timeout: { block: TIMEOUT_MS },
    errors: (error, { exitCode, stdErr }) => error ?? (exitCode === 0 ? undefined : Buffer.concat(stdErr)),
  }).env(env)
}

/** For commands of the CLI, before anything else runs. */
export function spawnGitSync(
  cwd: string,
  args: readonly string[],
  { timeoutMs, ...of }: SpawnOptions & { readonly timeoutMs: number },
): GitRun {
  const ended = spawnSync('git', [...args], { ...of, cwd, timeout: timeoutMs, maxBuffer: MOST_SYNC })
  if (ended.error !== undefined) throw notStarted(cwd, ended.error)
  return { code: ended.status ?? FATAL, out: ended.stdout, err: ended.stderr.toString('utf8') }
}

function notStarted(cwd: string, cause: Error): NeoError {
  const missing = codeOf(cause) === 'ENOENT'
  return new NeoError(
    'git',
    `Cannot run git in ${cwd}: ${missing ? 'git is not installed, or the folder is missing' : cause.message}`,
    {
      next: 'install git 2.39 or newer, and check that the folder exists',
      cause,
    },
  )
}

export function firstLine(text: string): string {
  return text.replace(/^(fatal|error): /, '').split('\n')[0] ?? ''
}
