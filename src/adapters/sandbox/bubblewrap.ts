/**
 * The port Sandbox, by bubblewrap: the command runs in namespaces of its own, over a disk that shows it little.
 * Takes a command line and a Confinement; gives the command line to start instead. Runs nothing but its own trial.
 * Leaves what is mounted to mounts.ts, variables to environment.ts, starting and stopping to adapters/processes.
 * Invariant 1: everything is one argument each; no shell reads any of it.
 * Invariant 2: processes inside see, signal and trace none outside; they end with the process that started them.
 * Invariant 3: no capability and no way to gain one, for root too.
 */
import { execFile } from 'node:child_process'
import { homedir } from 'node:os'
import type { Confinement, Sandbox } from '../../ports-agent.ts'
import { environmentArguments } from './environment.ts'
import { type Machine, mountArguments } from './mounts.ts'

type Available = Awaited<ReturnType<Sandbox['available']>>

/** Starting namespaces takes some 10 ms; a machine under load takes longer. */
const TRIAL_MS = 10_000
/** Best first: older versions of bwrap and some kernels know less. */
const USER_NAMESPACES = [['--unshare-user', '--disable-userns'], ['--unshare-user'], []]
const INSTALL = 'apt-get install bubblewrap'
const NAMESPACES =
  'Let users make namespaces (sysctl kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0), or run where containers may'

export interface SandboxOptions {
  readonly home?: string
  /** The daemon's environment, whose names are taken away. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Program to start, looked for on PATH. */
  readonly program?: string
  /** Who starts it; this process's own user where not given. */
  readonly uid?: number
}

/** Opens the port; whether it works here is tried at the first question, and once. */
export function openSandbox(options: SandboxOptions = {}): Sandbox {
  const { home = homedir(), env = process.env, program = 'bwrap', uid = process.getuid?.() } = options
  const machine: Machine = { home, root: uid === 0 ? 'yes' : 'no' }
  const daemon = Object.keys(env)
  let user: readonly string[] = USER_NAMESPACES[0] ?? []
  let trial: Promise<Available> | undefined
  const wrap: Sandbox['wrap'] = (argv, confinement) => [
    program,
    ...user,
    ...isolation(confinement),
    ...mountArguments(confinement, machine),
    ...environmentArguments(confinement.env, daemon),
    '--chdir',
    confinement.cwd,
    '--',
    ...argv,
  ]
  const attempt = async (): Promise<Available> => {
    if (process.platform !== 'linux') {
      return {
        wrong: 'commands can be confined on Linux alone',
        next: 'Run Neo on Linux, or answer its questions',
      }
    }
    let said = ''
    for (const flags of USER_NAMESPACES) {
      user = flags
      const path = env['PATH'] ?? '/usr/bin:/bin'
      const failure = await runs(wrap(['true'], { ...NOTHING, env: { PATH: path } }), path)
      if (failure === null) return { kind: 'bubblewrap' }
      if (failure === 'missing') return { wrong: 'bubblewrap (bwrap) is not installed', next: INSTALL }
      said ||= failure
    }
    return { wrong: `bubblewrap does not work here: ${said}`, next: NAMESPACES }
  }
  return {
    available: () => {
      trial ??= attempt()
      return trial
    },
    wrap,
  }
}

const NOTHING: Confinement = { write: [], read: [], network: 'deny', cwd: '/', env: {} }

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

/** Null where it ran; `missing` where there is no such program; else what it said. */
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
