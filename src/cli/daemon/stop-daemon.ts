/**
 * `neo stop`: stops sessions and their processes. Invariant 1: the task files change first, so that nothing starts the
 * tasks again. Invariant 2: a running daemon gets the first chance; processes that it has not ended in time are killed
 * here.
 */
import { join } from 'node:path'
import type { HubClient } from '../../client/hub-client.ts'
import { NeoError } from '../../domain/home/error.ts'
import type { SessionFact } from '../../domain/plan/snapshot.ts'
import { openIdleSessions } from '../../engine/agents/idle-sessions.ts'
import { lockOwner } from '../../engine/lock.ts'
import { lookOnce } from '../../engine/look-once.ts'
import { settleHome } from '../../engine/round.ts'
import { counted } from '../../domain/text/counted.ts'
import { usage } from '../cli-failure.ts'
import { roomOption } from '../room/open-rooms.ts'
import type { Call } from '../spec.ts'
import { openTaskLookup } from '../task/task-lookup.ts'
import { labelOf } from '../task/task-paths.ts'
import { withHub } from '../with-hub.ts'
import { type Opened, withWorld } from '../with-world.ts'

/** A daemon needs `daemon.settle` to notice the change, and then time to kill. */
const PATIENCE_MS = 2_500
const LOOK_MS = 100
const ROUNDS = 3

export function stop(call: Call): Promise<number> {
  return withWorld(call, (opened) => stopIn(call, opened))
}

async function stopIn(call: Call, opened: Opened): Promise<number> {
  const { world, home } = opened
  const { facts } = await lookOnce(world, home)
  const open = [...facts.sessions.values()].filter(({ state }) => state !== 'ended')
  const idle = idleSession(call, opened, open)
  if (idle !== null) return await stopIdle(call, idle)
  const chosen = withChildren(await choose(call, opened, open), open)
  if (call.isSet('all')) blockStarts(opened)
  const act = async (hub: HubClient) => {
    for (const { record } of chosen) await hub.call('session.stop', { sessionId: record.id })
  }
  await withHub(call, act, 'any')
  const left = await Promise.all(chosen.map(({ record }) => end(opened, record.id)))
  await settleHome(world, home)
  const stopped = chosen.map(({ record }, index) => ({
    session: record.id,
    task: record.taskPath,
    processesLeft: left[index] ?? 0,
  }))
  call.out.data('stop', { stopped, barred: call.isSet('all') })
  for (const { session, task, processesLeft } of stopped)
    call.out.line(
      session,
      labelOf(task),
      processesLeft === 0
        ? { text: 'stopped', style: 'green' }
        : { text: `still has ${counted(processesLeft, 'process', 'processes')}`, style: 'red' },
    )
  if (stopped.length === 0) call.out.line('Nothing is running.')
  if (call.isSet('all')) call.out.note('Nothing starts until you run neo watch or neo run again.')
  return left.every((count) => count === 0) ? 0 : 1
}

/** The id of a session that waits for its next task; null for everything else. */
function idleSession(call: Call, { world, dir }: Opened, open: readonly SessionFact[]): string | null {
  const [id] = call.args
  if (id === undefined || open.some(({ record }) => record.id === id)) return null
  return openIdleSessions({ world, dir }).get(id) === null ? null : id
}

/** No process runs in it: its worktree is removed, and its file says that it ended. */
async function stopIdle(call: Call, session: string): Promise<number> {
  await withHub(call, (hub) => hub.call('session.stop', { sessionId: session }, 'neo session list'))
  call.out.data('stop', { stopped: [{ session, task: null, processesLeft: 0 }], barred: false })
  call.out.line(session, { text: 'stopped', style: 'green' })
  return 0
}

async function choose(
  call: Call,
  { home, world }: Opened,
  open: readonly SessionFact[],
): Promise<readonly SessionFact[]> {
  const [id] = call.args
  if (call.isSet('all')) return open
  const room = roomOption(call, { home, files: world.files })
  if (room !== null) return open.filter(({ record }) => record.room === room)
  if (id === undefined)
    throw usage(
      `Nothing to stop was named: ${running(open)}`,
      'neo stop SESSION or TASK, --room ROOM or --all',
    )
  const named = open.filter(({ record: { id: own, room: of, taskId, taskPath, taskName } }) =>
    [own, taskId, taskPath, `${of}/${taskName}`, taskName].includes(id),
  )
  const found = named.length > 0 ? named : await ofTask(call, id, open)
  if (found.length > 1) throw usage(`Cannot stop "${id}": ${found.length} sessions match`, running(found))
  if (found.length === 0)
    throw new NeoError('missing', `Cannot stop "${id}": ${running(open)}`, { next: 'neo session list' })
  return found
}

/** By what other commands call the task, such as its name without the id. */
async function ofTask(
  call: Call,
  typed: string,
  open: readonly SessionFact[],
): Promise<readonly SessionFact[]> {
  const lookup = await openTaskLookup(call)
  const path = await lookup.find(typed).catch((error: unknown) => {
    if (error instanceof NeoError && error.code === 'missing') return null
    throw error
  })
  return open.filter(({ record }) => record.taskPath === path)
}

/** The chosen sessions, and all their subagents. */
function withChildren(chosen: readonly SessionFact[], open: readonly SessionFact[]): readonly SessionFact[] {
  const spawned = new Set(chosen.flatMap(({ wants = [] }) => wants.map(({ id }) => id)))
  const more = open.filter((fact) => spawned.has(fact.record.taskId) && !chosen.includes(fact))
  return more.length === 0 ? chosen : withChildren([...chosen, ...more], open)
}

function running(open: readonly SessionFact[]): string {
  if (open.length === 0) return 'no session is running'
  return `running: ${open.map(({ record }) => `${record.id} (${labelOf(record.taskPath)})`).join(', ')}`
}

/** Creates the file that blocks new starts; engine/daemon.ts removes it. */
function blockStarts({ world, dir }: Opened): void {
  world.files.save(join(dir, 'barred'), Buffer.from(`${new Date(world.clock.now()).toISOString()}\n`), null)
}

/** Returns how many processes are left. */
async function end(opened: Opened, session: string): Promise<number> {
  const { world, dir } = opened
  const steps = join(dir, 'sessions', session, 'steps')
  const daemon = () => lockOwner(world.git.gitDir, world)
  const until = world.clock.now() + PATIENCE_MS
  while (daemon() !== null && world.clock.now() < until && !hasEnded(opened, session)) await sleep(opened)
  let left = 0
  // The daemon may start one more step in between.
  for (let round = 0; round < ROUNDS; round++) {
    left = await world.processes.killSession(
      session,
      world.files.names(steps).map((name) => join(steps, name)),
    )
    if (daemon() === null || hasEnded(opened, session)) break
    await sleep(opened)
  }
  return left
}

function hasEnded({ world, dir }: Opened, session: string): boolean {
  const own = join(dir, 'sessions', session)
  return (
    world.files.readJson(join(own, 'outcome.json')) !== null ||
    world.files.readJson(join(own, 'record.json')) === null
  )
}

function sleep({ world }: Opened): Promise<void> {
  return new Promise((resolve) => void world.clock.after(LOOK_MS, resolve))
}
