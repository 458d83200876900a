/**
 * The hub in this process, over the files of a home. Invariant 1: a reading method and a message to a room take no lock
 * and change nothing but the audit log and the message; everything else holds the home's lock, or runs beside the daemon
 * that does (command-lock.ts). Invariant 2: after a decision, what follows from it is done too, as a daemon would.
 * Invariant 3: a call about a task that is new, has no id or is a link looks at the whole home: it may be a copy of
 * another one; so does a search or a timeline if a room has no ROOM.md. Invariant 4: with subscriptions, calls and
 * looks wait for each other, and files are watched from the first one on.
 */

import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { NeoError } from '../domain/home/error.ts'
import { kindOf } from '../domain/home/home-paths.ts'
import type { Snapshot } from '../domain/plan/snapshot.ts'
import type { Principal } from '../domain/policy/policy-acts.ts'
import type { Context } from '../engine/context.ts'
import { putMessage } from '../engine/effects/wake-orchestrator.ts'
import { lockOwner } from '../engine/lock.ts'
import { openHome } from '../engine/open-engine.ts'
import { AGENTS } from '../engine/people/peer-files.ts'
import type { HubEnv, Method } from '../hub/env.ts'
import { type Hub, type NeoControl, SILENT } from '../hub/hub.ts'
import { methodsWith } from '../hub/load-methods.ts'
import { type OpenedHub, openHub } from '../hub/open-hub.ts'
import type { World } from '../ports/world.ts'
import { withCommandLock } from './command-lock.ts'

export interface OpenedHome {
  readonly home: string
  readonly world: World
  /** `<git dir>/neo` */
  readonly dir: string
}

export interface LocalHubOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly version: string
  /** Opens the home in this process. Throws NeoError `refused` if the user must trust it first. */
  readonly open: () => Promise<OpenedHome>
}

export interface LocalCall {
  readonly method: string
  readonly params: unknown
  /** Whether reading is recorded. */
  readonly audit: HubEnv['looksAudited']
}

export interface LocalHub extends OpenedHome {
  /** The whole home, read at the first use. */
  context(): Promise<Context>
  /** Paths of the messages that were put into inboxes of rooms. */
  readonly messages: readonly string[]
  daemonRuns(): boolean
  /** Throws HubError, or NeoError `disk`. */
  call(principal: Principal, of: LocalCall): Promise<unknown>
  close(): Promise<void>
}

/** Throws NeoError `config` if neo.yaml is invalid, `git` if the home is no repository. */
export async function openLocalHub({ open, env, version }: LocalHubOptions): Promise<LocalHub> {
  const opened = await open()
  const { home, world } = opened
  const messages: string[] = []
  let whole: Promise<Context> | null = null
  const context = (only?: readonly string[]): Promise<Context> =>
    openHome({ home, world, settleMs: 0, env, version, only, away: 'read' })
  const wholeContext = (): Promise<Context> =>
    (whole ??= context().catch((error) => {
      // The next call tries again: neo.yaml may be corrected by then.
      whole = null
      throw error
    }))

  /** A context that sees only what the call is about; `null` if that is not enough. */
  async function narrowContext(of: LocalCall): Promise<Context | null> {
    const only = whole === null ? narrowPaths(home, of) : null
    const narrow = only === null ? null : await context(only)
    return narrow !== null && suffices((await narrow.look.look('all')).snapshot, of) ? narrow : null
  }

  return {
    ...opened,
    context: wholeContext,
    messages,
    daemonRuns: () => lockOwner(world.git.gitDir, world) !== null,
    async call(principal, of) {
      const table = await methodsWith(of.method)
      const changes = changesHome(of, table.get(of.method))
      const asked = { ...of, principal, messages, table, looks: changes ? 'hinted' : 'once' } as const
      const narrow = await narrowContext(of)
      const own = narrow ?? (await wholeContext())
      if (!changes) {
        const result = await through(own, { ...asked, beside: 'nobody' })
        // What was read is kept for the next command.
        if (narrow === null) await own.look.keepReadings()
        return result
      }
      const result = await withCommandLock(own, of.method, (locked, beside) =>
        through(locked, { ...asked, beside }),
      )
      if (DECISIONS.has(of.method)) await settle(world, home)
      return result
    },
    close: () => closeWorld(world),
  }
}

/** What follows from a decision. Few commands decide, so few load the planner. */
async function settle(world: World, home: string): Promise<void> {
  const { settleHome } = await import('../engine/round.ts')
  await settleHome(world, home)
}

async function closeWorld({ index, git }: World): Promise<void> {
  index?.closeAll()
  await git.close()
}

const DECISIONS: ReadonlySet<string> = new Set(['ask.decide', 'review.accept', 'review.reject'])

/** What writes, and what is said to a session. A message to a room is a file of its own, which nobody else writes. */
function changesHome({ params }: LocalCall, method: Method | undefined): boolean {
  const act = method?.act
  if (act === 'talk') return typeof params === 'object' && params !== null && 'sessionId' in params
  return act !== undefined && act !== 'see' && act !== 'see-home'
}

interface Asked extends LocalCall {
  readonly principal: Principal
  readonly messages: string[]
  readonly table: ReadonlyMap<string, Method>
  readonly looks: HubEnv['looks']
  readonly beside: 'daemon' | 'nobody'
}

async function through(context: Context, asked: Asked): Promise<unknown> {
  const { principal, method, params, messages, table, looks, beside, audit } = asked
  const hub = openHub({
    context,
    table,
    usage: context.usage,
    looks,
    beside,
    looksAudited: audit,
    peers: peersOf(context),
  })
  const isConversation = method.startsWith('context.')
  hub.attach(await localOrchestrator(context, { hub, messages, isConversation }))
  try {
    return await hub.call(principal, method, params)
  } finally {
    hub.close()
  }
}

/** Loaded when a call needs it. */
function peersOf(context: Context): HubEnv['peers'] {
  return async () => (await import('../aoi/local-control.ts')).openLocalControl(context)
}

interface NeoOptions {
  readonly hub: Pick<Hub, 'call'>
  /** Takes the paths of the messages that are written. */
  readonly messages: string[]
  /** The call is about Neo's conversation, so its code is loaded. */
  readonly isConversation: boolean
}

/** Neo without a daemon: a message is one new file in the room's inbox, which Neo answers when a daemon with a model runs. */
async function localOrchestrator(context: Context, of: NeoOptions): Promise<NeoControl> {
  const say: NeoControl['say'] = async (room, content, { from }) => {
    of.messages.push(putMessage(context, { room, content, from }))
  }
  const { agent } = context.world
  if (!of.isConversation || agent === undefined)
    return { say, context: () => SILENT, compact: noModels, clear: noModels, stop: () => 'idle' }
  const { openNeo } = await import('../orchestrator/open-orchestrator.ts')
  const { world, dir, home, agents, look } = context
  const neo = openNeo({
    hub: of.hub,
    models: agent.models,
    files: world.files,
    clock: world.clock,
    dir,
    home,
    config: () => look.config(),
    budget: (room) => agents.neoBudget(room),
    keep: say,
    say: async () => {},
    onCall: (estimate, model, room) => agents.neoCalls({ estimate, model, room }),
    onStatus: () => {},
  })
  return { say, context: neo.context, compact: neo.compact, clear: neo.clear, stop: neo.stop }
}

async function noModels(): Promise<void> {
  throw new NeoError('failed', 'Cannot reach Neo: this program was built without models')
}

const OF_ONE_TASK: ReadonlySet<string> = new Set(
  ['update', 'start', 'retry', 'cancel', 'complete', 'fail', 'delete'].map((verb) => `task.${verb}`),
)

const SEARCH = 'memory.search'
const TIMELINE = 'audit.timeline'

export function narrowPaths(
  home: string,
  { method, params }: Pick<LocalCall, 'method' | 'params'>,
): readonly string[] | null {
  const { taskId, sessionId, roomId, updates, dependsOn } = (params ?? {}) as Readonly<
    Record<string, unknown>
  >
  // A task says which agent it was handed over to.
  const isOfRooms = taskId === undefined && sessionId === undefined && !existsSync(join(home, AGENTS))
  if (method === SEARCH || (method === TIMELINE && isOfRooms)) return roomFiles(home)
  const dependencies = dependsOn ?? ((updates ?? {}) as Readonly<Record<string, unknown>>)['dependsOn']
  if (dependencies !== undefined) return null
  const path = OF_ONE_TASK.has(method) && typeof taskId === 'string' ? taskId : null
  const known = path === null ? null : kindOf(path)
  const room = method === 'task.create' && typeof roomId === 'string' ? roomId : known?.room
  if (room === undefined || (path !== null && known?.kind !== 'task')) return null
  const paths = [`rooms/${room}/ROOM.md`, ...(path === null ? [] : [path])]
  return paths.every((one) => isAsNamed(home, one)) ? paths : null
}

function roomFiles(home: string): readonly string[] | null {
  try {
    const folders = readdirSync(join(home, 'rooms'), { withFileTypes: true }).filter((one) => !one.isFile())
    const paths = folders.map(({ name }) => `rooms/${name}/ROOM.md`)
    return paths.every((one) => isAsNamed(home, one)) ? paths : null
  } catch {
    return null
  }
}

/** True if these paths are all that the call needs. */
export function suffices(
  snapshot: Snapshot,
  { method, params }: Pick<LocalCall, 'method' | 'params'>,
): boolean {
  if (method === 'task.create' || method === SEARCH || method === TIMELINE) return true
  const { taskId } = params as { readonly taskId: string }
  const file = snapshot.tasks.get(taskId)
  if (file === undefined || file.task.neo.id === undefined) return false
  const isKnown = file.gitStatus === 'same' || file.gitStatus === 'edited'
  return isKnown && (method !== 'task.update' || file.task.dependsOn.length === 0)
}

/** True if the file is there and no link is on the way to it. */
function isAsNamed(home: string, path: string): boolean {
  try {
    return realpathSync(join(home, path)) === join(realpathSync(home), path)
  } catch {
    return false
  }
}

export interface WatchedLocalHub extends Hub {
  end(): Promise<void>
}

export async function watchedLocalHub(local: LocalHub): Promise<WatchedLocalHub> {
  const { world, home } = local
  const context = await local.context()
  let states: OpenedHub | null = null
  let stop: () => Promise<void> = async () => {}
  const look = () =>
    context.exclusive(async () => {
      states?.changed((await context.look.look('all')).snapshot)
    })

  function open(): OpenedHub {
    if (states !== null) return states
    // It only tells of changes: calls have a hub of their own.
    states = openHub({ context, table: new Map(), peers: peersOf(context) })
    const hint = (): void => void look().catch(() => {})
    stop = world.watcher.watch(home, { hint, trouble: () => {}, ready: () => {} })
    return states
  }

  return {
    async call(principal, method, params) {
      const result = await context.exclusive(() =>
        local.call(principal, { method, params, audit: 'if-writable' }),
      )
      if (states !== null) await look()
      return result
    },
    subscribe: (principal, of, on) => context.exclusive(() => open().subscribe(principal, of, on)),
    async end() {
      states?.close()
      await stop()
    },
  }
}
