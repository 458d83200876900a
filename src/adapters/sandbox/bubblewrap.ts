/**
 * The port Sandbox, by bubblewrap: a command runs in its own namespaces, and sees little of the disk. Invariants: 1. each
 * part is one argument; no shell reads any of it as text; 2. processes inside can't see, signal or trace processes
 * outside, and end with the process that started them; 3. no capability and no way to gain one, also for root.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { totalmem } from 'node:os'
import { absoluteFolders } from '../../domain/agent/confinement.ts'
import type { Limits } from '../../domain/home/home-config.ts'
import type { Confinement, Sandbox } from '../../ports/sandbox-port.ts'
import { homeFolder } from '../machine.ts'
import { innerArguments, launched } from './launcher.ts'
import type { Machine } from './mount.ts'
import { mountArguments } from './mounts.ts'

/** Names whose values may be on a command line, which other users can read. */
const PUBLIC =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|TZ|TERM|TMPDIR|LC_[A-Z]+|NEO_(SESSION|TASK|ROOM|HOME))$/

function environmentArguments(
  wanted: Readonly<Record<string, string>>,
  daemon: readonly string[],
): readonly string[] {
  const foreign = daemon.filter((name) => !Object.hasOwn(wanted, name) && name !== '' && !name.includes('='))
  const open = Object.entries(wanted).filter(([name]) => PUBLIC.test(name))
  return [
    ...foreign.flatMap((name) => ['--unsetenv', name]),
    ...open.flatMap(([name, value]) => ['--setenv', name, value]),
    // The repository is read-only: git must not try to update its index.
    ...['--setenv', 'GIT_OPTIONAL_LOCKS', '0'],
  ]
}

type Available = Awaited<ReturnType<Sandbox['available']>>

/** Starting namespaces takes about 10 ms, more under load. */
const TRIAL_MS = 10_000
/** Best first, for older versions of bwrap and kernels. */
const VARIANTS: readonly Variant[] = [
  { user: ['--unshare-user', '--disable-userns'], sized: true },
  { user: ['--unshare-user'], sized: true },
  { user: ['--unshare-user'], sized: false },
  { user: [], sized: false },
]
/** Folders in memory: two homes, three temporary ones, /dev/shm. They share the memory limit. */
const MEMORY_FOLDERS = 6
const GB = 1000 ** 3
const MOST_MEMORY = 8 * GB

interface Variant {
  readonly user: readonly string[]
  readonly sized: boolean
}

/** Unless neo.yaml sets others. */
const DEFAULT_LIMITS: Limits = {
  processes: 512,
  memory: Math.min(MOST_MEMORY, Math.floor(totalmem() * 0.75)),
  disk: 10 * GB,
}
const INSTALL = 'apt-get install bubblewrap'
const NAMESPACES =
  'Let users make namespaces (sysctl kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0), or run where containers may'

export interface SandboxOptions {
  readonly home?: string
  /** The daemon's environment: its names are unset for commands. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The bwrap to start; searched on PATH. */
  readonly program?: string
  /** Default: the user of this process. */
  readonly uid?: number
}

/** `available` tries it at the first call in the process; what does not work may be mended, and is tried again. */
export function openSandbox(options: SandboxOptions = {}): Sandbox {
  const { home = homeFolder(), env = process.env, program = 'bwrap', uid = process.getuid?.() } = options
  const machine: Machine = { home, root: uid === 0 }
  let started: Started = {
    ...{ program, machine, daemon: Object.keys(env) },
    variant: VARIANTS[0],
    scoped: false,
  }
  let trial: Promise<Available> | undefined
  const attempted = async (path: string): Promise<Available> => {
    const { variant, scoped, available } = await triedOnce(started, path)
    started = { ...started, variant, scoped }
    return available
  }
  return {
    available: () => {
      trial ??= attempted(absoluteFolders(env['PATH'] ?? '') || '/usr/bin:/bin')
      return trial
    },
    wrap: (argv, confinement) => wrapped(started, argv, confinement),
  }
}

/** What worked, by program, machine and PATH: none of it changes while the process runs. */
const worked = new Map<string, Promise<Trial>>()

function triedOnce(started: Started, path: string): Promise<Trial> {
  const { program, machine } = started
  const key = JSON.stringify([program, machine, path])
  const known = worked.get(key)
  if (known !== undefined) return known
  const trial = attempt(started, path)
  worked.set(key, trial)
  trial.then(
    ({ available }) => 'wrong' in available && worked.delete(key),
    () => worked.delete(key),
  )
  return trial
}

interface Started {
  readonly program: string
  readonly machine: Machine
  readonly daemon: readonly string[]
  readonly variant: Variant | undefined
  /** Abstract sockets can be blocked. */
  readonly scoped: boolean
}

interface Trial extends Pick<Started, 'variant' | 'scoped'> {
  readonly available: Available
}

function wrapped(
  { program, machine, daemon, variant, scoped }: Started,
  argv: readonly [string, ...string[]],
  confinement: Confinement,
): readonly [string, ...string[]] {
  const { network, write } = confinement
  const limits = confinement.limits === undefined ? undefined : { ...DEFAULT_LIMITS, ...confinement.limits }
  const { user = [], sized = false } = variant ?? {}
  const memoryFolder = sized ? (limits ?? DEFAULT_LIMITS).memory / MEMORY_FOLDERS : null
  const { args, data } = mountArguments(confinement.program ?? argv[0], confinement, {
    ...machine,
    memoryFolder,
  })
  const counted = !machine.root && user.includes('--unshare-user')
  return launched({
    argv: [
      program,
      ...user,
      ...isolation(confinement),
      ...args,
      ...environmentArguments(confinement.env, daemon),
      '--chdir',
      confinement.cwd,
      '--',
      ...innerArguments(argv, { limits, network, counted, scoped }),
    ],
    ...{ data, limits, watched: write, counted },
  })
}

async function attempt(started: Started, path: string): Promise<Trial> {
  const failed = (variant: Variant | undefined, wrong: string, next: string): Trial => ({
    ...{ variant, scoped: false },
    available: { wrong, next },
  })
  if (process.platform !== 'linux')
    return failed(
      started.variant,
      'commands can be confined on Linux alone',
      'run Neo on Linux, or approve each command when Neo asks',
    )
  let said = ''
  for (const variant of VARIANTS) {
    const tried = { ...started, variant }
    const failure = await runs(wrapped(tried, ['true'], trialOf('deny', path)), path)
    if (failure === 'missing') return failed(variant, 'bubblewrap (bwrap) is not installed', INSTALL)
    if (failure === null) {
      const walled = { ...tried, scoped: true }
      const scoped = (await runs(wrapped(walled, ['true'], trialOf('allow', path)), path)) === null
      return { variant, scoped, available: { kind: 'bubblewrap', ...whatHolds({ variant, scoped }) } }
    }
    said ||= failure
  }
  return failed(VARIANTS.at(-1), `bubblewrap does not work here: ${said}`, NAMESPACES)
}

function whatHolds({ variant, scoped }: Pick<Started, 'variant' | 'scoped'>): {
  readonly holds: readonly string[]
  readonly lacks: readonly string[]
} {
  const watched = existsSync(`/proc/${process.pid}/task/${process.pid}/children`)
  const lacks = [
    ...(watched ? [] : ['processes and memory (this kernel does not list child processes)']),
    ...(variant?.sized === true
      ? []
      : ['temporary folders (this bubblewrap takes no sizes; want 0.7 or newer)']),
    ...(scoped
      ? []
      : [
          'abstract sockets of this machine where network is allowed (want Linux 6.12 with Landlock, and perl)',
        ]),
  ]
  return { holds: ['disk', ...(watched ? ['processes', 'memory'] : [])], lacks }
}

function trialOf(network: Confinement['network'], path: string): Confinement {
  return { write: [], read: [], network, cwd: '/', env: { PATH: path } }
}

function isolation({ network }: Confinement): readonly string[] {
  return [
    '--die-with-parent',
    '--new-session',
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    ...(network === 'deny' ? ['--unshare-net'] : []),
    '--cap-drop',
    'ALL',
  ]
}

/** Null if it ran; `missing` without such a program; else its error. */
function runs([program, ...args]: readonly [string, ...string[]], path: string): Promise<string | null> {
  return new Promise((done) => {
    execFile(program, args, { env: { PATH: path }, timeout: TRIAL_MS }, (error, _, stderr) => {
      if (error === null) return done(null)
      if (error.code === 'ENOENT') return done('missing')
      const line = stderr.trim().split('\n')[0] ?? ''
      done(line === '' ? (error.message.split('\n')[0] ?? 'it failed') : line.replace(/^bwrap: /, ''))
    })
  })
}
