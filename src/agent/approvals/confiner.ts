/**
 * Confinement of a session's commands: agent tools, command-line agents, runbooks that a model wrote, and checks after a
 * model's edit. Invariant 1: keys and git's own variables are not in the environment of what a model wrote.
 */
import { join } from 'node:path'
import { HOME_OWN } from '../../domain/agent/confinement.ts'
import type { ExecWorker } from '../../domain/home/home-config.ts'
import { learnHandedOut } from '../../domain/secrets/known-secrets.ts'
import type { AgentBrief, Reach } from '../../domain/session/session.ts'
import { programOf } from '../../domain/task/worker-kinds.ts'
import { parseWorker } from '../../files/values/header-values.ts'
import type { Sandbox } from '../../ports/sandbox-port.ts'
import type { Run } from '../../runner/run-step.ts'
import { stepEnvironment } from '../../runner/session-environment.ts'
import type { Confine } from '../../runner/step-command.ts'

export interface Confiner {
  /** `bubblewrap`, or `none` with the reason. */
  readonly kind: string
  readonly why: string
  /** @param own further variables of the command's environment */
  wrap(
    argv: readonly [string, ...string[]],
    own?: Readonly<Record<string, string>>,
  ): readonly [string, ...string[]]
  /** The whole environment of a confined command; null without a sandbox. */
  readonly env: Readonly<Record<string, string>> | null
}

/** A name that a person listed for runbooks may still be a key: models' commands do without. */
const SECRET_NAME = /key|token|secret|passw|credential|auth/i

export async function confinerOf(run: Run, sandbox: Sandbox, brief: AgentBrief): Promise<Confiner> {
  const worker = parseWorker(run.record.worker)
  const program = worker === null ? null : programOf(worker, brief)
  const own: Partial<ExecWorker> = program !== null && 'command' in program ? program : {}
  const prompt = brief.exec?.prompt === 'file' ? [promptDir(run)] : []
  return await confiner(run, sandbox, {
    env: own.env ?? [],
    write: own.write ?? [],
    read: [...brief.read, ...(own.read ?? []), ...prompt],
    network: own.network ?? (brief.permissions.network === 'allow' ? 'allow' : 'deny'),
    ...(brief.limits === undefined ? {} : { limits: brief.limits }),
  })
}

/** What confines a runbook whose record says that it is to be confined; or why nothing does. */
export async function confineRunbook(
  run: Run,
): Promise<{ readonly confine: Confine } | { readonly why: string }> {
  const { confined = { network: 'deny', read: [] } } = run.record
  const sandbox = run.deps.agent?.sandbox
  const scripts = join(run.deps.dirs.session, 'steps')
  const reach = { ...confined, read: [...confined.read, scripts], env: [], write: [] }
  const made = sandbox === undefined ? null : await confiner(run, sandbox, reach)
  if (made !== null && made.kind !== 'none') return { confine: made }
  return { why: made?.why ?? 'there is no sandbox' }
}

/** What confines the hooks of the repository: as `reach` says, and what they need of git beside the worktree. */
export async function confineHooks(
  run: Run,
  of: { readonly git: string; readonly hooks: string },
): Promise<Confine | null> {
  const { agent: brief, confined } = run.record
  const sandbox = run.deps.agent?.sandbox
  if (sandbox === undefined) return null
  const network = brief === undefined ? (confined?.network ?? 'deny') : brief.permissions.network
  const made = await confiner(run, sandbox, {
    env: [],
    write: [of.git],
    read: [...(brief?.read ?? confined?.read ?? []), of.hooks],
    network: network === 'allow' ? 'allow' : 'deny',
  })
  return made.kind === 'none' ? null : made
}

/** `env` are names that the configuration gives, keys included; `write` are folders beside the worktree. */
interface Wide extends Reach {
  readonly env: readonly string[]
  readonly write: readonly string[]
}

async function confiner(run: Run, sandbox: Sandbox, reach: Wide): Promise<Confiner> {
  const available = await sandbox.available()
  if ('wrong' in available)
    return { kind: 'none', why: `${available.wrong}; ${available.next}`, wrap: (argv) => argv, env: null }
  const env = confinedEnvironment(run, reach.env)
  const { worktree } = run.deps.dirs
  const { repository, folder } = run.record.place
  const home = isOfHome(run)
  const confinement = {
    write: [join(worktree, folder), ...reach.write],
    read: reach.read,
    hide: home ? HOME_OWN.map((name) => join(worktree, name)) : [],
    worktree: { top: worktree, repository: home ? null : repository, never: run.deps.world.git.gitDir },
    network: reach.network,
    cwd: run.place.cwd,
    env,
    limits: reach.limits ?? {},
  }
  const wrap: Confiner['wrap'] = (argv, own = {}) =>
    sandbox.wrap(argv, { ...confinement, env: { ...env, ...own } })
  return { kind: available.kind, why: '', wrap, env }
}

/**
 * Whether the session's worktree is one of a home of Neo, whose rooms, people and rules no session sees. The record says
 * so, or the repository as the person has it; nothing in the worktree does.
 */
export function isOfHome({ record, deps }: Pick<Run, 'record' | 'deps'>): boolean {
  const { repository } = record.place
  if (repository === deps.dirs.home) return true
  return deps.world.files.read(join(repository, 'neo.yaml'), 1).kind !== 'missing'
}

/** The folder of a command-line agent's prompts. */
export function promptDir(run: Run): string {
  return join(run.deps.dirs.session, 'prompt')
}

/** @param named names that the configuration gives to this worker, keys included: a command-line agent needs its own */
export function confinedEnvironment(run: Run, named: readonly string[]): Readonly<Record<string, string>> {
  const { env, dirs } = run.deps
  const all = stepEnvironment(run.record, dirs.home, env)
  learnHandedOut(named, env)
  const kept = Object.entries(all).filter(([name]) => !SECRET_NAME.test(name) && !name.startsWith('GIT_'))
  const given = named.flatMap((name) => {
    const value = env[name]
    return value === undefined || name === 'PATH' ? [] : [[name, value] as const]
  })
  return Object.fromEntries([...kept, ...given])
}
