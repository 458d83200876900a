/**
 * The daemon: holds the home's lock, and runs rounds whenever something may have changed. Invariants: 1. one daemon a
 * home; 2. a failed round is reported and retried with growing waits; the daemon stays; 3. running steps outlive the
 * daemon; 4. `watch` looks once, and clients can reach it, before it carries anything out, so that a first start on many
 * new files is not silent.
 */

import { type NeoError, whyOf } from '../domain/home/error.ts'
import type { Decision } from '../domain/plan/decision.ts'
import type { Snapshot } from '../domain/plan/snapshot.ts'
import { counted } from '../domain/text/counted.ts'
import { dueAgain, grownWait } from '../domain/text/grown-wait.ts'
import type { World } from '../ports/world.ts'
// Sessions load it when they start: an update of the program must not change it under a running daemon.
import '../runner/run-session.ts'
import type { Orchestrator } from './agents/orchestrator.ts'
import { type Bell, openBell, pause } from './bell.ts'
import { openCareKeeper, sweepTemps } from './care/care-keeper.ts'
import { ignoreIfGone, isHomeGone, repairMovedHome, reportMove } from './commit/moved-home.ts'
import type { Context, Event } from './context.ts'
import { type Health, openHealth, reportRound } from './health.ts'
import { type TakenLock, takeHomeLock } from './lock.ts'
import type { Guard } from './lock-guard.ts'
import { openHome } from './open-engine.ts'
import { notifyIdentity } from './people/notices.ts'
import {
  type Chosen,
  isAtRest,
  isChosen,
  type RoundResult,
  runRefusal,
  runRounds,
  waitReason,
} from './round.ts'
import { clearStartBarrier } from './snapshot/facts.ts'
import { SyncKeeper } from './sync/sync.ts'

export interface DaemonOptions {
  readonly home: string
  readonly world: World
  readonly mode: 'watch' | 'run'
  /** Only these start work. */
  readonly only?: Chosen
  /** `run` gives up after this. */
  readonly timeoutMs?: number
  readonly print: (event: Event) => void
  readonly signal: AbortSignal
  readonly version: string
  /** Why a changed neo.yaml is ignored until a person trusts it; null: it counts. */
  readonly trusted?: () => string | null
  /** What proves that a daemon lives; default: the kernel. */
  readonly guard?: Guard
  /** Opens the orchestrator; without it rules alone decide. */
  readonly openOrchestrator?: (context: Context, wake: () => void) => Orchestrator
  /** Opens the servers of `watch`; returns what closes them. Must not throw. */
  readonly serve?: (context: Context, health: Health) => () => Promise<void>
}

/** The first wait after a failed round; doubled each time. */
const ROUND_WAITS = { first: 500, most: 30_000 }
/** When the readings of the start are saved. */
const SOON_MS = 1_000
/** `neo run` gives up after so many failed rounds in a row: about 16 seconds. */
const RUN_GIVES_UP = 5

/**
 * Runs until the signal aborts (`watch`) or nothing is left to do (`run`).
 * Throws NeoError `held` if another daemon is running for the home, `config` if neo.yaml is bad at the start.
 */
export async function runDaemon(options: DaemonOptions): Promise<{ exitCode: number }> {
  const { home, world, version, guard } = options
  const lock = await takeHomeLock(home, { ...world, version, ...(guard === undefined ? {} : { guard }) })
  const bell = openBell(world.clock)
  const run: Run = {
    options,
    bell,
    failures: 0,
    failed: 0,
    health: null,
    greeted: false,
    refused: null,
    waitSaid: '',
  }
  try {
    const context = await openContext(run)
    const health = openHealth(context, version)
    run.health = health
    const sync = new SyncKeeper(context, health)
    const exitCode = await served(run, context, { health, sync, lock })
    if (options.mode === 'watch') await sync.end().catch(() => {})
    await end(context, health).catch(ignoreIfGone(context))
    if (run.refused !== null) throw run.refused
    return { exitCode }
  } finally {
    await world.git.close()
    lock.release()
  }
}

interface Run {
  readonly options: DaemonOptions
  readonly bell: Bell
  /** Failed rounds in a row. */
  failures: number
  /** Tasks that failed. */
  failed: number
  /** Null until the home is open. */
  health: Health | null
  greeted: boolean
  /** Why `neo run` refuses to run here. */
  refused: NeoError | null
  /** The last reported reason for waiting. */
  waitSaid: string
}

async function openContext(run: Run): Promise<Context> {
  const { options, bell } = run
  const was = await repairMovedHome(options.world, options.home)
  const context = await openHome({
    home: options.home,
    world: options.world,
    ...(options.mode === 'run' ? { settleMs: 0 } : { asks: 'yes' as const }),
    version: options.version,
    trusted: options.trusted,
    changed: () => bell.ring(),
    trouble: ({ taskName }, why) => {
      if (why === null) run.health?.well(`session ${taskName}`)
      else run.health?.trouble(`session ${taskName}`, why)
    },
    emit: (event) => {
      if (event.kind === 'fail') run.failed++
      options.print(event)
    },
  })
  reportMove(context, was)
  await context.world.git.mend()
  clearStartBarrier(context)
  if (options.openOrchestrator !== undefined)
    context.turns.attach(options.openOrchestrator(context, () => bell.ringAll()))
  if (options.mode === 'run') sweepTemps(context)
  if (context.person.from === 'system') notifyIdentity(context)
  return context
}

function watch({ options, bell }: Run, context: Context, health: Health): () => Promise<void> {
  return options.world.watcher.watch(context.home, {
    hint: (path) => {
      for (const hear of context.hinted) hear(path)
      bell.ring(path)
    },
    trouble: (why) => {
      health.trouble('watcher', why)
      context.emit({ kind: 'trouble', text: `file watcher: ${why}; Neo rescans the home instead` })
    },
    ready: () => bell.ringAll(),
    well: () => {
      health.well('watcher')
      context.emit({ kind: 'notice', text: 'the file watcher works again' })
      bell.ringAll()
    },
  })
}

interface Parts {
  readonly health: Health
  readonly sync: SyncKeeper
  readonly lock: TakenLock
}

/** With the watcher and the servers of `watch`. */
async function served(run: Run, context: Context, parts: Parts): Promise<number> {
  const { mode, serve } = run.options
  if (mode === 'run') return await loop(run, context, parts)
  const unwatch = watch(run, context, parts.health)
  const shut = serve?.(context, parts.health)
  try {
    return await loop(run, context, parts)
  } finally {
    await Promise.all([unwatch(), shut?.()])
  }
}

async function loop(run: Run, context: Context, { health, sync, lock }: Parts): Promise<number> {
  const { options, bell } = run
  const { clock } = options.world
  const watches = options.mode === 'watch'
  const deadline = options.timeoutMs === undefined ? null : clock.now() + options.timeoutMs
  let hints: 'all' | ReadonlySet<string> = 'all'
  let scanned = clock.now()
  const care = openCareKeeper(context, health)
  while (!options.signal.aborted) {
    if (isHomeGone(context) || isLost(lock, context)) return 1
    const rescanAt = () => dueAgain(scanned, context.look.config().daemon.rescanMs, clock.now())
    if (clock.now() >= rescanAt()) hints = 'all'
    if (hints === 'all') scanned = clock.now()
    const looksOnly = watches && !run.greeted
    const round = await oneRound(run, context, { hints, health, looksOnly })
    if (looksOnly && round !== null) {
      sweepTemps(context)
      hints = new Set()
      continue
    }
    const code = watches ? null : runEnd(run, context, { round, deadline })
    if (code !== null) return code
    if (watches && round !== null) {
      if (await sync.after(round)) bell.ringAll()
      await care.after(round)
    }
    const times = [
      rescanAt(),
      round === null ? clock.now() : round.wakeAt,
      deadline,
      ...(watches ? [sync.next(), care.next()] : []),
    ]
    hints = await bell.wait(Math.min(...times.filter((time) => time !== null)), options.signal)
  }
  return watches ? 0 : 130
}

/** The exit code of `neo run` if it ends after this round. */
function runEnd(
  run: Run,
  context: Context,
  { round, deadline }: { readonly round: RoundResult | null; readonly deadline: number | null },
): number | null {
  const { signal } = run.options
  run.refused = runRefusal(round)
  if (run.refused !== null) return 1
  const isOver = round === null ? run.failures >= RUN_GIVES_UP : isAtRest(round)
  if (!isOver && deadline !== null && context.world.clock.now() >= deadline) {
    context.emit({ kind: 'trouble', text: 'timeout reached; running steps continue in the background' })
    return 1
  }
  const text = round === null ? null : waitReason(round, context.world.clock.now())
  if (text !== null && text !== run.waitSaid) context.emit({ kind: 'wait', text })
  run.waitSaid = text ?? run.waitSaid
  if (!isOver) return null
  return signal.aborted ? 130 : run.failed > 0 || run.failures > 0 ? 1 : 0
}

/** Two daemons must not act on one home. */
function isLost(lock: TakenLock, context: Context): boolean {
  if (lock.check() === 'ours') return false
  context.emit({ kind: 'trouble', text: 'a daemon on another machine has taken over this home; stopping' })
  return true
}

async function oneRound(
  run: Run,
  context: Context,
  of: { hints: 'all' | ReadonlySet<string>; health: Health; looksOnly: boolean },
): Promise<RoundResult | null> {
  try {
    const { only, signal } = run.options
    const allow = (decision: Decision, snapshot: Snapshot) =>
      !of.looksOnly && !signal.aborted && isChosen(only, decision, snapshot)
    const saw = (snapshot: Snapshot) => context.turns.orchestrator()?.saw(snapshot)
    const round = await context.exclusive(() => runRounds(context, of.hints, { allow, saw }))
    greet(run, context, round)
    if (((await context.turns.orchestrator()?.afterRound(round.snapshot)) ?? 0) > 0) run.bell.ringAll()
    await context.world.git.refresh()
    run.failures = 0
    reportRound(of.health, context, round)
    return round
  } catch (error) {
    run.failures++
    const text = whyOf(error)
    of.health.trouble('round', text)
    if (run.failures === 1) context.emit({ kind: 'trouble', text: `${text}; retrying` })
    // Look at everything again.
    run.bell.ringAll()
    await pause(context.world.clock, grownWait(ROUND_WAITS, run.failures), { signal: run.options.signal })
    return null
  }
}

/** Once, before the orchestrator loads. */
function greet(run: Run, context: Context, { snapshot }: RoundResult): void {
  if (run.greeted) return
  run.greeted = true
  const { mode, world } = run.options
  if (mode === 'watch') world.clock.after(SOON_MS, () => void context.look.keepReadings().catch(() => {}))
  const { git, tasks, rooms } = snapshot
  // If HEAD is away, the next line says where: reportBranch.
  const where =
    git.kind === 'home' ? `on branch ${git.branch}` : git.kind === 'away' ? 'waiting' : `waiting: ${git.why}`
  const counts =
    tasks.size === 0 ? 'watching' : `${counted(tasks.size, 'task')} in ${counted(rooms.size, 'room')}`
  context.emit({ kind: 'ready', text: `${counts}, ${where}` })
}

async function end(context: Context, health: Health): Promise<void> {
  await context.turns.leave()
  const going = await context.sessions.leave()
  await context.look.keepReadings()
  const continues = `${counted(going, 'running session')} ${going === 1 ? 'continues' : 'continue'}`
  const text = `${continues} in the background; the next start picks up from there`
  if (going > 0) context.emit({ kind: 'leave', text })
  health.close()
}
