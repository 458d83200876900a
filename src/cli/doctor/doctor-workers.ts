/**
 * Checks of `neo doctor` on programs that do tasks: those of `workers:`, and MCP servers that a room, a task or
 * `agent.work_ai` names as worker. They are not started.
 */
import { execFile } from 'node:child_process'
import type { Snapshot } from '../../domain/plan/snapshot.ts'
import { missingProgram } from '../../domain/task/missing-program.ts'
import { openTasks } from '../../domain/task/readiness.ts'
import { mcpTarget, type Worker } from '../../domain/task/task.ts'
import { parseWorker } from '../../files/values/header-values.ts'
import type { Sandbox } from '../../ports/sandbox-port.ts'
import { programOnPath } from '../package-folder.ts'
import type { Env } from '../spec.ts'
import type { Opened } from '../with-world.ts'
import { type Finding, ok, wrong } from './finding.ts'

/** For a shell in the sandbox. */
const LIMIT_MS = 10_000

interface Program {
  /** `exec:codex`, or `mcp:codex` with the room. */
  readonly part: string
  readonly command: readonly [string, ...string[]]
  readonly read: readonly string[]
  /** Where to let it read more. */
  readonly setting: string
}

/** Checks that the programs exist, and that the sandbox can see them. */
export async function checkWorkers(
  { world }: Opened,
  snapshot: Snapshot,
  env: Env,
): Promise<readonly Finding[]> {
  const sandbox = world.agent?.sandbox
  const available = (await sandbox?.available()) ?? { wrong: '', next: '' }
  const inside = sandbox !== undefined && 'kind' in available ? sandbox : null
  const all = [...commandLineAgents(snapshot), ...mcpWorkers(snapshot)]
  return Promise.all(
    all.map(async (one) => ('state' in one ? one : await checkProgram(one, { snapshot, inside, env }))),
  )
}

async function checkProgram(
  { part, command, read: own, setting }: Program,
  {
    snapshot,
    inside,
    env,
  }: { readonly snapshot: Snapshot; readonly inside: Sandbox | null; readonly env: Env },
): Promise<Finding> {
  const [program] = command
  if (programOnPath(program, env) === null)
    return wrong(part, `${program} is not on PATH`, `install ${program}`)
  const read = [...snapshot.config.sandboxRead, ...own]
  if (inside !== null && !(await isSeen(inside, { program, read, env })))
    return wrong(part, `${program} can't start: the sandbox does not see it`, `add its folder to ${setting}`)
  return ok(part, command.join(' '))
}

function commandLineAgents({ config }: Snapshot): readonly Program[] {
  return Object.entries(config.workers).map(([name, { command, read, write }]) => ({
    part: `exec:${name}`,
    command,
    read: [...read, ...write],
    setting: `workers.${name}.read in neo.yaml`,
  }))
}

function mcpWorkers(snapshot: Snapshot): readonly (Program | Finding)[] {
  const named = new Map(namedServers(snapshot).map((one) => [`${one.room} ${one.name}`, one]))
  return [...named.values()].map(({ room: roomName, name }) => mcpWorker(snapshot, roomName, name))
}

function mcpWorker(snapshot: Snapshot, roomName: string, name: string): Program | Finding {
  const { server } = mcpTarget(name)
  const room = snapshot.rooms.get(roomName)?.room ?? null
  const part = `mcp:${server} (${roomName})`
  const missing = missingProgram({ kind: 'mcp', name }, { config: snapshot.config, room, roomName })
  if (missing !== null) return wrong(part, missing, "see mcp_servers and permissions in the room's file")
  const config = room?.mcpServers?.[server]
  if (config?.kind !== 'stdio') return ok(part, config?.url ?? '')
  return {
    part,
    // What is inserted at its start isn't known here.
    command: [config.command, ...config.args],
    read: [...(config.read ?? []), ...(config.write ?? [])],
    setting: `mcp_servers.${server}.read in rooms/${roomName}/ROOM.md`,
  }
}

/** Of rooms, of open tasks, and of the rooms where agents of other homes start tasks. */
function namedServers(snapshot: Snapshot): readonly { readonly room: string; readonly name: string }[] {
  const { agent } = snapshot.config
  const workAi = agent?.workAi == null ? null : parseWorker(agent.workAi)
  const places: readonly (readonly [string, Worker | null | undefined])[] = [
    ...[...snapshot.rooms].map(([room, file]) => [room, file.room.worker] as const),
    ...[...openTasks(snapshot)].map(({ room, task }) => [room, task.worker] as const),
    ...(agent?.contexts ?? []).map(({ room }) => [room, workAi] as const),
  ]
  return places.flatMap(([room, worker]) => (worker?.kind === 'mcp' ? [{ room, name: worker.name }] : []))
}

/** Asks a shell inside the sandbox: what it sees depends on links and mounts. */
function isSeen(
  sandbox: Sandbox,
  { program, read, env }: { readonly program: string; readonly read: readonly string[]; readonly env: Env },
): Promise<boolean> {
  const { PATH = '', HOME = '' } = env
  const own = { PATH, HOME }
  const [shell, ...args] = sandbox.wrap(['/bin/sh', '-c', 'command -v -- "$0"', program], {
    ...{ write: [], read, network: 'deny', cwd: '/', program },
    env: own,
  })
  return new Promise((done) => {
    execFile(shell, args, { env: own, timeout: LIMIT_MS }, (error) => done(error === null))
  })
}
