/**
 * Channels that tell that something is new, not what: `activity`, `task:ID:state` (`task.get` and `task.story` say what)
 * and `memory` (`memory.browse` does). Invariant 1: a member learns of changes in their rooms only: the commit of the home
 * would tell of the others. Private conversations have no stamp.
 */
import { join } from 'node:path'
import { memoryFolderOf } from '../../domain/memory/memory-context.ts'
import type { Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import type { Principal } from '../../domain/policy/policy-acts.ts'
import { indexOf } from '../../domain/task/depends.ts'
import type { Context } from '../../engine/context.ts'
import { SHARED_SCOPES } from '../../engine/people/scope-store.ts'
import type { HubEnv } from '../env.ts'
import { roomNames } from '../views/find-in-home.ts'
import { scopesSeen } from '../views/scopes-at.ts'
import { waitsFor } from '../views/waits-for.ts'
import type { State } from './state-change.ts'

/** That something happened, so that a timeline is read again. @param isSeen null: everything */
export function activityState(snapshot: Snapshot, isSeen: ((room: string) => boolean) | null): State {
  if (isSeen === null)
    return { last: { commit: snapshot.git.kind === 'home' ? snapshot.git.commit : snapshot.git.why } }
  const { tasks, rooms, asks, inbox, schedules } = snapshot
  let [count, sum] = [0, 0]
  for (const files of [tasks, asks, inbox, schedules ?? new Map()])
    for (const { room, hash } of files.values()) {
      if (!isSeen(room)) continue
      count += 1
      sum = (sum + mixed(hash)) % MODULUS
    }
  for (const { name, hash } of rooms.values()) if (isSeen(name)) sum = (sum + mixed(hash)) % MODULUS
  return { last: { files: `${count} ${sum}` } }
}

const MODULUS = 2 ** 48

/** The first 48 bits. */
function mixed(hash: string): number {
  return Number.parseInt(hash.slice(0, 12), 16)
}

/** Changes with the file of a task, its requests, its cost and what it waits for. Empty for a task that is gone. */
export function taskStamp(env: HubEnv, snapshot: Snapshot, id: string) {
  const file = fileOf(snapshot, id)
  if (file === undefined) return { task: {} }
  const { id: own = '' } = file.task.neo
  const asks = [...snapshot.asks.values()].filter(({ ask }) => ask.task === own).map(({ hash }) => hash)
  const waits = waitsFor(file, { env, snapshot, isSeen: () => true })
  const { calls } = env.usage.ofTask(own)
  const bytes = Buffer.from(JSON.stringify([file.path, file.hash, asks, waits, calls]))
  return { task: { [id]: { stamp: env.context.world.git.blobId(bytes) } } }
}

function fileOf({ tasks }: Snapshot, id: string): TaskFile | undefined {
  const { originals, byId } = indexOf(tasks)
  return tasks.get(id) ?? originals.get(id) ?? byId.get(id)?.[0]
}

interface Stamps {
  /** Of the commit and of what people saved since; the same key needs no second look at the files. */
  key: string
  rooms: ReadonlyMap<string, string>
  /** By scope. */
  groups: ReadonlyMap<string, string>
  saved: number
}

const known = new WeakMap<Context, Stamps>()
const REMEMBERED =
  /^(?:rooms(?:\/[^/]+(?:\/memories(?:\/.*)?)?)?|workspace(?:\/(?:memory|scopes)(?:\/.*)?)?)$/

/** Of what each room remembers. */
export function memoryStamps(
  env: HubEnv,
  snapshot: Snapshot,
  { isSeen, principal }: { readonly isSeen: (room: string) => boolean; readonly principal: Principal },
) {
  const { rooms, groups } = stampsOf(env.context, snapshot)
  const seen = groups.size === 0 ? [] : scopesSeen(env, principal).map(({ name }) => groups.get(name) ?? '')
  const stamp = env.context.world.git.blobId(Buffer.from(seen.join()))
  const own = [...rooms].filter(([room]) => isSeen(room)).map(([room, stamp]) => [room, { stamp }] as const)
  return { rooms: Object.fromEntries(own), groups: { all: { stamp } } }
}

function stampsOf(context: Context, snapshot: Snapshot): Stamps {
  const stamps = known.get(context) ?? follow(context)
  const { git } = snapshot
  const key = `${git.kind === 'home' ? git.commit : ''} ${stamps.saved}`
  if (key === stamps.key) return stamps
  stamps.key = key
  stamps.rooms = new Map(
    roomNames(snapshot).map((room) => {
      const folders = [...new Set([memoryFolderOf(room), `rooms/${room}/memories`])]
      return [room, folders.map((folder) => stampOf(context, folder)).join()]
    }),
  )
  const names = context.world.files.names(join(context.home, SHARED_SCOPES))
  stamps.groups = new Map(names.map((name) => [name, stampOf(context, `${SHARED_SCOPES}/${name}`)]))
  return stamps
}

function follow(context: Context): Stamps {
  const stamps: Stamps = { key: '', rooms: new Map(), groups: new Map(), saved: 0 }
  known.set(context, stamps)
  context.hinted.add((path) => {
    if (REMEMBERED.test(path)) stamps.saved += 1
  })
  return stamps
}

/** Number of files, when the last one changed, and their bytes. */
function stampOf({ home, world: { files } }: Context, folder: string): string {
  const root = join(home, folder)
  const stats = files
    .names(root)
    .flatMap((name) => (name.endsWith('.md') ? (files.stat(join(root, name)) ?? []) : []))
  const last = Math.max(0, ...stats.map(({ mtimeMs }) => mtimeMs))
  return `${stats.length}-${last}-${stats.reduce((sum, { size }) => sum + size, 0)}`
}
