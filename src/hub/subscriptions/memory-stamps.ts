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

interface Stamps {
  /** Of the commit and of what people saved since; the same key needs no second look at the files. */
  key: string
  rooms: ReadonlyMap<string, string>
  groups: string
  saved: number
}

const known = new WeakMap<Context, Stamps>()
const REMEMBERED =
  /^(?:rooms(?:\/[^/]+(?:\/memories(?:\/.*)?)?)?|workspace(?:\/(?:memory|scopes)(?:\/.*)?)?)$/

export function memoryStamps(env: HubEnv, snapshot: Snapshot, isSeen: (room: string) => boolean) {
  const { rooms, groups } = stampsOf(env.context, snapshot)
  const own = [...rooms].filter(([room]) => isSeen(room)).map(([room, stamp]) => [room, { stamp }] as const)
  return { rooms: Object.fromEntries(own), groups: { all: { stamp: groups } } }
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
  stamps.groups = names.map((name) => stampOf(context, `${SHARED_SCOPES}/${name}`)).join()
  return stamps
}

function follow(context: Context): Stamps {
  const stamps: Stamps = { key: '', rooms: new Map(), groups: '', saved: 0 }
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
