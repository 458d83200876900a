/**
 * The channel `memory`: a stamp of what each room remembers, which changes when a file of it does. It tells that
 * something is new, not what: `memory.browse` does. Private conversations have none.
 */
import { join } from 'node:path'
import { memoryFolderOf } from '../../domain/memory/memory-context.ts'
import type { Snapshot } from '../../domain/plan/snapshot.ts'
import type { Context } from '../../engine/context.ts'
import { SHARED_SCOPES } from '../../engine/people/scope-store.ts'
import type { HubEnv } from '../env.ts'
import { roomNames } from '../views/find-in-home.ts'
import { scopesSeen } from '../views/scopes-at.ts'

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

/** @param viewer the id of a member; absent: the owner */
export function memoryStamps(
  env: HubEnv,
  snapshot: Snapshot,
  { isSeen, viewer }: { readonly isSeen: (room: string) => boolean; readonly viewer?: string | undefined },
) {
  const { rooms, groups } = stampsOf(env.context, snapshot)
  const principal =
    viewer === undefined ? ({ kind: 'human' } as const) : ({ kind: 'member', id: viewer } as const)
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
