/**
 * The tools of a chat in one folder. Invariant 1: nothing outside the folder is read or written, git's own files are not
 * written, and no key is in a command's environment. Invariant 2: without a sandbox no command runs, and the user is
 * told why.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Services, Tool, ToolContext } from '../../agent/tools/tool.ts'
import { TOOLS } from '../../agent/tools/tool-table.ts'
import { HOME_OWN } from '../../domain/agent/confinement.ts'
import type { Files } from '../../ports/files-port.ts'
import type { AgentWorld, World } from '../../ports/world.ts'
import type { Env } from '../spec.ts'

export type ChatWorld = Pick<World, 'clock' | 'processes'> & {
  readonly files: Files
  readonly agent: AgentWorld
}

export interface Folder {
  readonly world: ChatWorld
  /** Real path: nothing outside of it is touched. */
  readonly root: string
  readonly env: Env
  readonly network: 'allow' | 'deny'
  /** The repository whose top the folder is, for git to read; null: git is not shown. */
  readonly repository: string | null
}

/** The tools that need only a folder. */
const NAMES = new Set(['read_file', 'write_file', 'update_file', 'grep', 'find', 'shell'])

export function toolsOfChat(): readonly Tool[] {
  return TOOLS.filter(({ name }) => NAMES.has(name))
}

/** Null if there is a sandbox; else why not, and what to do. */
export async function whyNoShell({ agent }: Pick<ChatWorld, 'agent'>): Promise<string | null> {
  const available = await agent.sandbox.available()
  return 'wrong' in available ? `${available.wrong}; ${available.next}` : null
}

export function contextOf(folder: Folder, call: string, signal: AbortSignal): ToolContext {
  const { world, root, network } = folder
  const { agent, files } = world
  return {
    root,
    cwd: root,
    call,
    permissions: { shell: 'allow', network, write: [] },
    home: isHome(folder) ? 'yes' : 'no',
    tree: agent.tree,
    files,
    search: agent.search,
    web: agent.web,
    services: NOBODY,
    run: (command) => run(folder, { ...command, call, signal }),
    signal,
  }
}

const OUTPUT_BYTES = 1024 * 1024

interface Command {
  readonly line: string
  readonly timeoutMs: number
  readonly call: string
  readonly signal: AbortSignal
}

async function run(
  folder: Folder,
  { line, timeoutMs, call, signal }: Command,
): ReturnType<ToolContext['run']> {
  const { world, root, env, network, repository } = folder
  const own = environmentOf(env)
  const confinement = {
    ...{ write: [root], read: [], network, cwd: root, env: own, limits: {} },
    hide: isHome(folder) ? HOME_OWN.map((name) => join(root, name)) : [],
    worktree: { top: root, repository: isHome(folder) ? null : repository },
  }
  const dir = mkdtempSync(join(tmpdir(), 'neo-chat-'))
  try {
    const step = await world.processes.step(
      {
        dir: join(dir, 'step'),
        argv: world.agent.sandbox.wrap(['sh', '-c', line.replaceAll('\0', '')], confinement),
        cwd: root,
        env: own,
        session: `chat-${world.processes.self().pid}-${call}`,
        deadline: world.clock.now() + timeoutMs,
        outputLimit: OUTPUT_BYTES,
      },
      signal,
    )
    if (step.kind === 'unknown') return null
    const read = world.files.read(join(dir, 'step', 'out'), OUTPUT_BYTES)
    const output = read.kind === 'file' ? read.bytes.toString('utf8') : step.result.tail
    return { result: { ...step.result, command: line }, output }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** A model could create neo.yaml, but then it would see less. */
function isHome({ world, root }: Folder): boolean {
  return world.files.read(join(root, 'neo.yaml'), 1).kind !== 'missing'
}

/** The variables that commands need; no keys. */
function environmentOf(env: Env): Readonly<Record<string, string>> {
  const passed = Object.entries(env).filter(
    (pair): pair is [string, string] =>
      pair[1] !== undefined && /^(PATH|HOME|USER|LOGNAME|LANG|LC_\w+|TZ)$/.test(pair[0]),
  )
  return { PATH: '/usr/local/bin:/usr/bin:/bin', ...Object.fromEntries(passed), TERM: 'dumb' }
}

const nobody = async (): Promise<never> => {
  throw new Error('This tool is for workers')
}
const NOBODY: Services = {
  remember: nobody,
  recall: nobody,
  report: nobody,
  ask: nobody,
  approve: nobody,
  spawn: nobody,
  skill: nobody,
}
