/**
 * `neo watch` and `neo run`: the daemon with its events on the terminal, one line each.
 */
import { composeFiles, composeWorld } from '../../compose.ts'
import type { Event } from '../../engine/context.ts'
import { runDaemon } from '../../engine/daemon.ts'
import { readHomeConfig } from '../config/read-config-file.ts'
import { durationOption } from '../duration-option.ts'
import { INTERRUPTED } from '../cli-failure.ts'
import { findHome } from '../find-home.ts'
import type { Style } from '../output.ts'
import { findRoom } from '../room/open-rooms.ts'
import { onInterrupt } from '../signals.ts'
import type { World } from '../../ports/world.ts'
import type { Call } from '../spec.ts'
import { ensureTrusted, whyNotTrusted } from '../trust/trust-check.ts'
import { openTaskLookup } from '../task/task-lookup.ts'
import { clockText } from '../time.ts'
import { openDoors } from './doors.ts'
import { lateMind } from './late-mind.ts'

export function watch(call: Call): Promise<number> {
  return watchHome(call, findHome(call, composeFiles()))
}

/** The daemon on a home that was found or made before; `tips` are said once it is ready. */
export async function watchHome(call: Call, home: string, tips: readonly string[] = []): Promise<number> {
  const interrupt = onInterrupt(
    call,
    'Ending; what runs goes on under its supervisor. Once more ends at once.',
  )
  const doors = openDoors(call)
  const print = sayer(call, home)
  try {
    const world = await composeWorld(home)
    const trusted = await gate(call, home, world)
    const { exitCode } = await runDaemon({
      home,
      world,
      trusted,
      mode: 'watch',
      openOrchestrator: doors.openOrchestrator,
      serve: doors.serve,
      print: (event) => {
        print(event)
        if (event.kind !== 'ready') return
        sayHowToGoOn(call, tips)
        doors.ready()
      },
      signal: interrupt.signal,
      version: call.around.version,
    })
    return exitCode
  } finally {
    interrupt.release()
  }
}

export async function run(call: Call): Promise<number> {
  const lookup = await openTaskLookup(call)
  const room = call.text('room')
  const task = call.text('task')
  const timeoutMs = durationOption(call, 'timeout')
  const only = {
    ...(room === null ? {} : { room: findRoom(lookup, room) }),
    ...(task === null ? {} : { task: await lookup.find(task) }),
  }
  const interrupt = onInterrupt(
    call,
    'Ending; what runs goes on under its supervisor. Once more ends at once.',
  )
  try {
    const world = await composeWorld(lookup.home)
    const trusted = await gate(call, lookup.home, world)
    const { exitCode } = await runDaemon({
      home: lookup.home,
      world,
      trusted,
      mode: 'run',
      openOrchestrator: (context, wake) =>
        lateMind(async () => (await import('../../compose-orchestrator.ts')).openMind(context, wake)),
      only,
      ...(timeoutMs === null ? {} : { timeoutMs }),
      print: sayer(call, lookup.home),
      signal: interrupt.signal,
      version: call.around.version,
    })
    return interrupt.signal.aborted ? INTERRUPTED : exitCode
  } finally {
    interrupt.release()
  }
}

/** Refuses a home that this user does not trust; gives what says later that its files have changed meanwhile. */
async function gate(call: Call, home: string, world: World): Promise<() => string | null> {
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

/** Kinds of events by how much somebody has to want to know: a level shows its own and those before it. */
const BY_LEVEL = [
  ['silent', []],
  ['fatal', []],
  ['error', ['fail', 'trouble', 'problem']],
  ['warn', ['ask', 'block', 'notice', 'review', 'wait']],
  ['info', null],
] as const

/** `--quiet` shows what went wrong; `log.level` in neo.yaml says how much else, from the next start. */
function shownKinds(call: Call, home: string): ReadonlySet<string> | null {
  const config = readHomeConfig(home, composeFiles(), call.around.env)
  const level = config.kind === 'ok' ? config.value.log.level : 'info'
  const wanted = call.out.isQuiet && level !== 'silent' ? 'error' : level
  const at = BY_LEVEL.findIndex(([name]) => name === wanted)
  const kinds = BY_LEVEL.slice(0, at + 1).map(([, own]) => own)
  return at < 0 || kinds.includes(null) ? null : new Set(kinds.flatMap((own) => own ?? []))
}

/** Prints the events that the person wants to see; programs that read `--json` get them all. */
function sayer(call: Call, home: string): (event: Event) => void {
  const shown = shownKinds(call, home)
  return (event) => {
    if (call.out.mode === 'json' || shown === null || shown.has(event.kind)) say(call, event)
  }
}

function say({ out }: Call, event: Event): void {
  if (out.mode === 'json') {
    out.event({ schemaVersion: 1, kind: 'event', data: event })
    return
  }
  const style = STYLES[event.kind]
  const room = event.room ?? 'neo'
  out.line(
    { text: clockText(event.at), style: 'dim' },
    { text: room.padEnd(ROOM_COLUMNS), style: 'dim' },
    style === undefined ? event.text : { text: event.text, style },
  )
}

function sayHowToGoOn({ out }: Call, tips: readonly string[]): void {
  out.note({
    text: 'Save a task file under rooms/, and it runs. In another terminal: neo status, neo task list, neo log. Ctrl-C ends.',
    style: 'dim',
  })
  for (const text of tips) out.note({ text, style: 'dim' })
}
