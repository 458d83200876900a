/** `neo watch` and `neo run`: run the daemon, and print one line for each event. */
import { composeFiles, composeWorld } from '../../compose.ts'
import type { Event } from '../../engine/context.ts'
import { type DaemonOptions, runDaemon } from '../../engine/daemon.ts'
import type { World } from '../../ports/world.ts'
import { INTERRUPTED } from '../cli-failure.ts'
import { readHomeConfig } from '../config/read-config-file.ts'
import { findHome } from '../find-home.ts'
import { durationOption } from '../option-values.ts'
import { dim, type Style } from '../output.ts'
import { roomOption } from '../room/open-rooms.ts'
import { clockText } from '../shown-text.ts'
import { onInterrupt } from '../signals.ts'
import type { Call } from '../spec.ts'
import { openTaskLookup } from '../task/task-lookup.ts'
import { ensureTrusted, whyNotTrusted } from '../trust/trust-store.ts'
import { lazyOrchestrator, openWatchServers } from './watch-servers.ts'

const STOPPING =
  'Stopping; running steps continue under their supervisor. Press Ctrl-C again to stop at once.'

export function watch(call: Call): Promise<number> {
  return watchHome(call, findHome(call, composeFiles()))
}

/** Runs the daemon on a home; prints `tips` when it is ready. */
export async function watchHome(call: Call, home: string, tips: readonly string[] = []): Promise<number> {
  const { openOrchestrator, serve, ready } = openWatchServers(call)
  const print = eventPrinter(call, home)
  const { exitCode } = await daemonOf(call, home, {
    mode: 'watch',
    openOrchestrator,
    serve,
    print: (event) => {
      print(event)
      if (event.kind !== 'ready') return
      printTips(call, tips)
      ready()
    },
  })
  return exitCode
}

export async function run(call: Call): Promise<number> {
  const lookup = await openTaskLookup(call)
  const room = roomOption(call, lookup)
  const task = call.text('task')
  const timeoutMs = durationOption(call, 'timeout')
  const { exitCode, isInterrupted } = await daemonOf(call, lookup.home, {
    mode: 'run',
    openOrchestrator: (context, wake) =>
      lazyOrchestrator(async () => (await import('../../compose-orchestrator.ts')).openMind(context, wake)),
    only: {
      ...(room === null ? {} : { room }),
      ...(task === null ? {} : { task: await lookup.find(task) }),
    },
    ...(timeoutMs === null ? {} : { timeoutMs }),
    print: eventPrinter(call, lookup.home),
  })
  return isInterrupted ? INTERRUPTED : exitCode
}

type Own = Omit<DaemonOptions, 'home' | 'world' | 'trusted' | 'signal' | 'version'>

/** Until it ends by itself, or by a signal. Throws NeoError `refused` if the user doesn't trust the home. */
async function daemonOf(
  call: Call,
  home: string,
  own: Own,
): Promise<{ readonly exitCode: number; readonly isInterrupted: boolean }> {
  const { signal, release } = onInterrupt(call, STOPPING)
  try {
    const world = await composeWorld(home)
    const trusted = await trustGate(call, home, world)
    const { version } = call.around
    const { exitCode } = await runDaemon({ ...own, home, world, trusted, signal, version })
    return { exitCode, isInterrupted: signal.aborted }
  } finally {
    release()
  }
}

/** Refuses a home that this user does not trust. Returns a function that says why a later change of its files is not trusted. */
async function trustGate(call: Call, home: string, world: World): Promise<() => string | null> {
  const of = { home, gitDir: world.git.gitDir, files: world.files }
  try {
    ensureTrusted(call, of)
  } catch (error) {
    await world.git.close()
    throw error
  }
  return () => whyNotTrusted(call, of)
}

const STYLES: Readonly<Record<string, Style>> = {
  complete: 'green',
  ready: 'bold',
  start: 'cyan',
  fail: 'red',
  trouble: 'red',
  problem: 'red',
  review: 'magenta',
  ask: 'yellow',
  notice: 'yellow',
  wait: 'yellow',
  block: 'yellow',
  step: 'dim',
}
const ROOM_COLUMNS = 12

const ERRORS = ['fail', 'trouble', 'problem']
const WARNINGS = ['ask', 'block', 'notice', 'review', 'wait']

/** `--quiet` prints errors only. `log.level` and NEO_LOG count from the next start. */
function isShown(call: Call, home: string): (kind: string) => boolean {
  const config = readHomeConfig(home, composeFiles(), call.around.env)
  const set = config.kind === 'ok' ? config.value.log.level : 'info'
  const level = call.out.isQuiet && set !== 'silent' ? 'error' : set
  if (level === 'debug') return () => true
  if (level === 'info' || call.out.mode === 'json') return (kind) => kind !== 'debug'
  const kinds = level === 'silent' ? [] : level === 'error' ? ERRORS : [...ERRORS, ...WARNINGS]
  return (kind) => kinds.includes(kind)
}

/** Prints events as the log level says; `--json` prints them all. */
function eventPrinter(call: Call, home: string): (event: Event) => void {
  const shown = isShown(call, home)
  return (event) => {
    if (shown(event.kind)) printEvent(call, event)
  }
}

function printEvent({ out }: Call, event: Event): void {
  if (out.mode === 'json') {
    out.event({ schemaVersion: 1, kind: 'event', data: event })
    return
  }
  const style = STYLES[event.kind]
  const room = event.room ?? 'neo'
  out.line(
    dim(clockText(event.at)),
    dim(room.padEnd(ROOM_COLUMNS)),
    style === undefined ? event.text : { text: event.text, style },
  )
}

function printTips({ out }: Call, tips: readonly string[]): void {
  out.note(
    dim(
      'Save a task file under rooms/ to run it. In another terminal: neo status, neo task list, neo log. Press Ctrl-C to stop.',
    ),
  )
  for (const text of tips) out.note({ text, style: 'dim' })
}
