/**
 * `neo stop`: ends sessions for real. Invariant 1: the task files change first, so that nothing starts again what is
 * being ended. Invariant 2: a daemon gets the first chance; what it has not ended in time is ended here.
 */
import { join } from 'node:path'
import { NeoError } from '../../domain/home/error.ts'
import type { SessionFact } from '../../domain/plan/snapshot.ts'
import { lockOwner } from '../../engine/lock.ts'
import { lookOnce } from '../../engine/look-once.ts'
import { openIdleSessions } from '../../engine/agents/idle-sessions.ts'
import { settleHome } from '../../engine/settle-home.ts'
import type { HubClient } from '../../client/hub-client.ts'
import { usage } from '../cli-failure.ts'
import { findRoom } from '../room/open-rooms.ts'
import { withHub } from '../rpc/with-hub.ts'
import type { Call } from '../spec.ts'
import { labelOf } from '../task/task-paths.ts'
import { type Opened, withWorld } from '../with-world.ts'

/** A daemon needs `daemon.settle` to notice; then killing takes its own time. */
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
  const idle = idleSeat(call, opened, open)
  if (idle !== null) return await stopSeat(call, idle)
  const chosen = withChildren(choose(call, opened, open), open)
  if (call.isSet('all')) bar(opened)
  const act = async (hub: HubClient) => {
    for (const { record } of chosen) await hub.call('session.stop', { sessionId: record.id })
  }
  await withHub(call, act, { trust: 'any' })
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
        ? { text: 'is stopped', style: 'green' }
        : { text: `has ${processesLeft} processes left`, style: 'red' },
    )
  if (stopped.length === 0) call.out.line('nothing runs')
  if (call.isSet('all')) call.out.note('Nothing starts until neo watch or neo run begins again.')
  return left.every((count) => count === 0) ? 0 : 1
}

/** A session that waits for its next task, named by its id; null for everything else. */
function idleSeat(call: Call, { world, dir }: Opened, open: readonly SessionFact[]): string | null {
  const [id] = call.args
  if (id === undefined || open.some(({ record }) => record.id === id)) return null
  return openIdleSessions({ world, dir }).get(id) === null ? null : id
}

/** Nothing runs in it: its worktree goes, and its file says that it has ended. */
async function stopSeat(call: Call, session: string): Promise<number> {
  await withHub(call, (hub) => hub.call('session.stop', { sessionId: session }, 'neo session list'))
  call.out.data('stop', { stopped: [{ session, task: null, processesLeft: 0 }], barred: false })
  call.out.line(session, { text: 'is stopped', style: 'green' })
  return 0
}

function choose(call: Call, { home, world }: Opened, open: readonly SessionFact[]): readonly SessionFact[] {
  const [id] = call.args
  const room = call.text('room')
  if (call.isSet('all')) return open
  if (room !== null) {
    const name = findRoom({ home, files: world.files }, room)
    return open.filter(({ record }) => record.room === name)
  }
  if (id === undefined)
    throw usage(`Cannot tell what to stop: ${running(open)}`, 'neo stop SESSION, --room ROOM or --all')
  const found = open.filter(({ record }) =>
    [
      record.id,
      record.taskId,
      record.taskPath,
      `${record.room}/${record.taskName}`,
      record.taskName,
    ].includes(id),
  )
  if (found.length > 1)
    throw usage(`Cannot tell what "${id}" is: ${found.length} sessions fit`, running(found))
  if (found.length === 0)
    throw new NeoError('missing', `Cannot stop "${id}": ${running(open)}`, { next: 'neo session list' })
  return found
}

/** With the sessions of their subagents, and theirs. */
function withChildren(chosen: readonly SessionFact[], open: readonly SessionFact[]): readonly SessionFact[] {
  const spawned = new Set(chosen.flatMap(({ wants = [] }) => wants.map(({ id }) => id)))
  const more = open.filter((fact) => spawned.has(fact.record.taskId) && !chosen.includes(fact))
  return more.length === 0 ? chosen : withChildren([...chosen, ...more], open)
}

function running(open: readonly SessionFact[]): string {
  if (open.length === 0) return 'nothing runs'
  return `there run ${open.map(({ record }) => `${record.id} (${labelOf(record.taskPath)})`).join(', ')}`
}

/** The mark that bars new starts; engine/daemon.ts lifts it. */
function bar({ world, dir }: Opened): void {
  world.files.save(join(dir, 'barred'), Buffer.from(`${new Date(world.clock.now()).toISOString()}\n`), null)
}

/** Gives how many processes are left. */
async function end(opened: Opened, session: string): Promise<number> {
  const { world, dir } = opened
  const steps = join(dir, 'sessions', session, 'steps')
  const daemon = () => lockOwner(world.git.gitDir, world)
  const until = world.clock.now() + PATIENCE_MS
  while (daemon() !== null && world.clock.now() < until && !hasEnded(opened, session)) await sleep(opened)
  let left = 0
  // A daemon may start one more step between its own look and ours.
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
