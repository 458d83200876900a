/**
 * Checks of `neo doctor` on programs that do tasks: those of `workers:`, and MCP servers that a room, a task or
 * `agent.work_ai` names as worker. They are not started.
 */
import { execFile } from 'node:child_process'
import type { Snapshot } from '../../domain/plan/snapshot.ts'
import { openTasks } from '../../domain/task/readiness.ts'
import type { Worker } from '../../domain/task/task.ts'
import { missingProgram, programOf, setupOf, sourceOf, workersIn } from '../../domain/task/worker-kinds.ts'
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
  const all = new Map(
    namedWorkers(snapshot)
      .map((one) => programIn(snapshot, one))
      .map((one) => [one.part, one]),
  )
  return Promise.all(
    [...all.values()].map(async (one) =>
      'state' in one ? one : await checkProgram(one, { snapshot, inside, env }),
    ),
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

interface Named {
  /** '' for what neo.yaml configures. */
  readonly roomName: string
  readonly worker: Worker
  readonly source: NonNullable<ReturnType<typeof sourceOf>>
}

/** All that neo.yaml configures; of rooms what they, open tasks and agents of other homes name. */
function namedWorkers(snapshot: Snapshot): readonly Named[] {
  const { config } = snapshot
  const workAi = config.agent?.workAi == null ? null : parseWorker(config.agent.workAi)
  const configured = workersIn({ config, room: null, roomName: '' })
  const places: readonly (readonly [string, Worker | null | undefined])[] = [
    ...configured.map((text) => ['', parseWorker(text)] as const),
    ...[...snapshot.rooms].map(([room, file]) => [room, file.room.worker] as const),
    ...[...openTasks(snapshot)].map(({ room, task }) => [room, task.worker] as const),
    ...(config.agent?.contexts ?? []).map(({ room }) => [room, workAi] as const),
  ]
  return places.flatMap(([roomName, worker]) => {
    const source = worker == null ? null : sourceOf(worker, roomName)
    if (worker == null || source === null) return []
    return (source.of === 'home') === (roomName === '') ? [{ roomName, worker, source }] : []
  })
}

function programIn(snapshot: Snapshot, { roomName, worker, source }: Named): Program | Finding {
  const { file, name, section } = source
  const part = `${worker.kind}:${name}${roomName === '' ? '' : ` (${roomName})`}`
  const place = { config: snapshot.config, room: snapshot.rooms.get(roomName)?.room ?? null, roomName }
  const missing = missingProgram(worker, place)
  if (missing !== null) return wrong(part, missing, `see ${section} and permissions in the room's file`)
  const program = programOf(worker, setupOf(worker, place))
  if (program === null || 'url' in program) return ok(part, program?.url ?? '')
  const { command, read = [], write = [] } = program
  // What is inserted at its start isn't known here.
  return { part, command, read: [...read, ...write], setting: `${section}.${name}.read in ${file}` }
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
