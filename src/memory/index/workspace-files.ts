/**
 * Files of rooms' workspaces: which workspaces there are, and finding files in those of a room. Invariant 1: a room
 * finds files of its own workspace alone. Invariant 2: finding waits for nothing.
 */

import type { Snapshot } from '../../domain/plan/snapshot.ts'
import type { Place } from '../../domain/session/session.ts'
import { DEFAULT_WORKSPACE } from '../../domain/task/task-settings.ts'
import { attachFiles, type KnownFile } from '../../engine/agents/recall-answers.ts'
import type { Context } from '../../engine/context.ts'
import { syncEveryMs } from '../memory-settings.ts'
import { memoryOf } from '../open-memory.ts'
import type { Hit } from '../search/search-index.ts'
import { type Workspace, workspacePart } from './workspace-sync.ts'

export interface WorkspaceFiles {
  /** Of rooms that are not archived; those that cannot be used are left out. */
  workspaces(snapshot: Snapshot | null): Promise<readonly Workspace[]>
}

/** A hit below this score, or so far below the best, is about something else. */
const LEAST_SCORE = 0.02
const LEAST_SHARE = 0.4
const OUTSIDE_MS = 60_000

export function openWorkspaceFiles(context: Context): WorkspaceFiles {
  const { git, clock } = context.world
  let parts: ReadonlyMap<string, string> = new Map()
  const looked = new Map<string, { readonly place: Place; readonly at: number }>()
  attachFiles(context.world, ({ room, query, limit }) => {
    const part = parts.get(room)
    const found = part === undefined ? null : memoryOf(context).find({ query, parts: [part], limit })
    const least = Math.max(LEAST_SCORE, LEAST_SHARE * (found?.hits[0]?.score ?? 0))
    return found?.hits.filter(({ score }) => score >= least).map(known) ?? null
  })

  /** Outside the home a look costs a process: not at each commit of the home. */
  async function placeOf(path: string, base: string | null): Promise<Omit<Workspace, 'part'> | null> {
    const key = `${path}\0${base ?? ''}`
    const before = looked.get(key)
    const now = clock.now()
    const every = Math.min(OUTSIDE_MS, syncEveryMs(context.look.config()))
    if (before !== undefined && now - before.at < every) return { place: before.place, look: 'kept' }
    const place = await git.place(path, base)
    if ('wrong' in place) return null
    if (place.repository !== context.home) looked.set(key, { place, at: now })
    return { place, look: 'now' }
  }

  return {
    async workspaces(snapshot) {
      const rooms = [...(snapshot?.rooms ?? [])].filter(([, { room }]) => room?.status !== 'archived')
      const usable = new Map<string, Workspace>()
      const byRoom = new Map<string, string>()
      for (const [name, { room }] of rooms) {
        const found = await placeOf(room?.workspace ?? DEFAULT_WORKSPACE, room?.base ?? null)
        if (found === null) continue
        const part = workspacePart((bytes) => git.blobId(bytes), found.place)
        byRoom.set(name, part)
        if (usable.get(part)?.look !== 'now') usable.set(part, { ...found, part })
      }
      parts = byRoom
      return [...usable.values()]
    },
  }
}

function known({ passage }: Hit): KnownFile {
  const [path = '', ...about] = passage.text.split('\n')
  return { path, about: about.join(' — ') }
}
