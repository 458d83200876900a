/**
 * What a running daemon says about itself in `.neo/daemon.json`: its address for clients, and its troubles. Invariants:
 * 1. troubles are in memory first, for `status.global`, because the file may not be writable; 2. pid, start time and boot
 * id show whether the file is stale; only the lock proves that a daemon runs.
 */
import { realpathSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { homeBranch, whyStopped } from '../domain/plan/needs.ts'
import type { Facts, Snapshot } from '../domain/plan/snapshot.ts'
import { isoSecond } from '../files/values/times.ts'
import type { Files } from '../ports/files-port.ts'
import type { Context } from './context.ts'

/** `session <task>`: a session's runner, which retries; `neo <room>`: Neo takes no turns there until a time. */
export type Part =
  | 'watcher'
  | 'round'
  | 'sync'
  | 'node'
  | 'signing'
  | 'care'
  | 'server'
  | `session ${string}`
  | `channel ${string}`
  | `neo ${string}`

/** Where clients find the hub, and their token. */
export interface Served {
  readonly url: string
  readonly token: string
}

export interface ModelHealth {
  readonly ref: string
  /** Null: it can be used. */
  readonly error: string | null
}

export interface Health {
  /** Something doesn't work; shown in `neo status` until `well`. `person`: only a person ends it. */
  trouble(part: Part, why: string, needs?: 'person'): void
  /** A part works again. */
  well(part: Part): void
  /** Whether the daemon, which may have its own key, can use the home's model. */
  model(of: ModelHealth): void
  /** Where the hub is served; null: nowhere. */
  served(at: Served | null): void
  close(): void
}

export function openHealth(context: Context, version: string): Health {
  const path = join(context.home, '.neo', 'daemon.json')
  const { files, processes, clock } = context.world
  const { troubles } = context
  const now = () => new Date(clock.now()).toISOString()
  // A copy of the home's folder has this file too.
  const who = { ...processes.self(), startedAt: now(), home: realpathSync(context.home) }
  const own: { at: Served | null; model: ModelHealth | null } = { at: null, model: null }
  let closed = false
  write()

  function write(news: Partial<typeof own> = {}): void {
    Object.assign(own, news)
    if (closed) return
    const { model, at } = own
    const { url, token } = at ?? { url: null, token: null }
    const said = [...troubles].map(([part, of]) => ({ part, ...of }))
    for (const hear of context.troubled) hear()
    try {
      files.writeJson(path, { ...who, url, token, version, model, troubles: said })
    } catch {
      const why = "Neo can't write to the disk of this home; it may be full"
      troubles.set('disk', { why, since: now(), needs: 'person' })
    }
  }

  return {
    trouble(part, why, needs) {
      const known = troubles.get(part)
      if (known?.why === why) return
      troubles.set(part, { why, since: known?.since ?? now(), needs })
      write()
    },
    well(part) {
      const gone = troubles.delete(part)
      if ((part === 'round' && troubles.delete('disk')) || gone) write()
    },
    model(of) {
      if (own.model?.ref !== of.ref || own.model.error !== of.error) write({ model: of })
    },
    served(served) {
      write({ at: served })
    },
    close() {
      closed = true
      const said = files.readJson(path) as { readonly pid?: unknown; readonly startedAt?: unknown } | null
      if (said?.pid === who.pid && said.startedAt === who.startedAt) files.removeTree(path)
    },
  }
}

/** What a round that worked says about the daemon. */
export function reportRound(
  health: Health,
  context: Context,
  { snapshot, facts }: { readonly snapshot: Snapshot; readonly facts: Facts },
): void {
  const { agent } = facts
  health.well('round')
  health.model({ ref: snapshot.config.model, error: agent.kind === 'ready' ? null : agent.error })
  reportBranch(context, snapshot)
  reportSigning(health, context)
  reportHeldTurns(health, { snapshot, facts }, context.world.clock.now())
}

/** Homes whose HEAD is not on their branch. */
const away = new WeakSet<Context>()

/** Said once when HEAD has left the home's branch, and once when it is back. */
function reportBranch(context: Context, snapshot: Snapshot): void {
  const { kind } = snapshot.git
  if (kind === 'busy' || (kind === 'away') === away.has(context)) return
  if (kind === 'away') {
    away.add(context)
    context.emit({ kind: 'wait', text: whyStopped(snapshot) ?? '' })
  } else {
    away.delete(context)
    context.emit({ kind: 'notice', text: `HEAD is on ${homeBranch(snapshot)} again; Neo continues` })
  }
}

/** Commits that are not signed although the user's git settings ask for it. */
export function reportSigning(health: Pick<Health, 'trouble' | 'well'>, context: Context): void {
  const trouble = context.world.signing?.trouble() ?? null
  if (trouble === null) {
    health.well('signing')
    return
  }
  const why = `${trouble}; unlock the key, or set git.sign in neo.yaml`
  if (context.troubles.get('signing')?.why !== why) context.emit({ kind: 'trouble', text: why })
  health.trouble('signing', why, 'person')
}

/** Rooms where Neo takes no turns until a time: nothing else shows why a message is not answered. */
export function reportHeldTurns(
  health: Pick<Health, 'trouble' | 'well'>,
  { snapshot, facts }: { readonly snapshot: Snapshot; readonly facts: Facts },
  now: number,
): void {
  for (const room of snapshot.rooms.keys()) {
    const turn = facts.neo.turns.get(room)
    if (turn?.kind === 'waits' && turn.at > now)
      health.trouble(`neo ${room}`, `${turn.why}; resumes at ${isoSecond(turn.at)}`)
    else health.well(`neo ${room}`)
  }
}

/** Of the disk that holds this folder; null if the system doesn't say. */
export function freeBytes(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return null
  }
}

/** The model of the running daemon with this process id; null if unknown. */
export function modelOfDaemon(files: Pick<Files, 'readJson'>, home: string, pid: number): ModelHealth | null {
  const said = files.readJson(join(home, '.neo', 'daemon.json')) as {
    readonly pid?: unknown
    readonly model?: { readonly ref?: unknown; readonly error?: unknown } | null
  } | null
  const { ref, error } = said?.model ?? {}
  if (said?.pid !== pid || typeof ref !== 'string') return null
  return { ref, error: typeof error === 'string' ? error : null }
}
