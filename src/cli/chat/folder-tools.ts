/**
 * The tools of a chat in one folder, for its model and for lines that start with `!`. Invariant 1: nothing outside the folder is read or written, git's own files are not
 * written, and no key is in a command's environment. Invariant 2: without a sandbox no command runs, and the user is
 * told why.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Services, Tool, ToolContext } from '../../agent/tools/tool.ts'
import { TOOLS, toolNamed } from '../../agent/tools/tool-table.ts'
import { parseTyped } from '../../agent/tools/typed.ts'
import { HOME_OWN } from '../../domain/agent/confinement.ts'
import { DEFAULT_WORKSPACE } from '../../domain/task/task-settings.ts'
import type { Files } from '../../ports/files-port.ts'
import type { AgentWorld, World } from '../../ports/world.ts'
import { INTERRUPTED } from '../cli-failure.ts'
import { roomOf } from '../room/open-rooms.ts'
import type { Call, Env } from '../spec.ts'
import type { Lines } from './chat-lines.ts'
import type { Chat } from './chat-loop.ts'

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

/** For a table: how each tool is typed, and what it does, with an example. */
export function toolRows(): string[][] {
  return toolsOfChat().map(({ name, summary, examples: [first = name] }) => [
    `!${name}`,
    `${summary} !${first}`,
  ])
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

type Where = Folder | { readonly wrong: string }

/** Returns the exit code for the line. */
export async function runTool(chat: Chat, line: string): Promise<number> {
  return await runTyped(chat, line, () => workspaceOf(chat))
}

/** @param where called only if the line is a valid tool call */
export async function runTyped(
  { call, lines }: { readonly call: Call; readonly lines: Lines },
  line: string,
  where: () => Promise<Where>,
): Promise<number> {
  const [, name = ''] = /^!\s*(\S*)/.exec(line) ?? []
  const tool = toolNamed(name, toolsOfChat())
  if ('wrong' in tool) return refuse(call, tool.wrong)
  const typed = parseTyped(tool, line)
  if ('wrong' in typed) return refuse(call, typed.wrong)
  const folder = await where()
  if ('wrong' in folder) return refuse(call, folder.wrong)
  const why = tool.name === 'shell' ? await whyNoShell(folder.world) : null
  if (why !== null) return refuse(call, `Cannot run a command here: ${why}`)
  const interrupted = lines.interrupts()
  try {
    const context = contextOf(folder, `typed-${folder.world.clock.now()}`, interrupted.signal)
    const { text, isError } = await tool.run(typed.args, context)
    if (interrupted.signal.aborted) return refuse(call, text, INTERRUPTED)
    if (isError) return refuse(call, text, 1)
    call.out.block(text)
    return 0
  } finally {
    interrupted.release()
  }
}

function refuse({ out }: Call, text: string, code = 2): number {
  out.error('neo', text)
  return code
}

/** The folder of the room's workspace. */
async function workspaceOf({ at, call, room }: Chat): Promise<Where> {
  const { workspace, permissions } = roomOf({ home: at.home, files: at.world.files }, room).room
  const place = await at.world.git.place(workspace ?? DEFAULT_WORKSPACE, null)
  if ('wrong' in place) return { wrong: `Cannot use the workspace: ${place.wrong}; ${place.hint}` }
  const { agent } = at.world
  if (agent === undefined) return { wrong: 'Tools are not available: this program was built without them' }
  return {
    world: { ...at.world, agent },
    root: join(place.repository, place.folder),
    repository: place.folder === '' && place.repository !== at.home ? place.repository : null,
    env: call.around.env,
    network: permissions['network'] === 'allow' ? 'allow' : 'deny',
  }
}
