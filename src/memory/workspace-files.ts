/**
 * Files of rooms' workspaces: which workspaces there are, and finding files in those of a room.
 * Takes an open Context; tells flow/recall.ts how files are found. Leaves to workspace-sync.ts: the index of them.
 * Invariant 1: a room finds files of its own workspace alone. Invariant 2: finding waits for nothing.
 */
import type { Snapshot } from '../core/model/snapshot.ts'
import { DEFAULT_WORKSPACE } from '../core/rules/settings.ts'
import type { Context } from '../flow/context.ts'
import { attachFiles, type KnownFile } from '../flow/recall.ts'
import { memoryOf } from './memory.ts'
import type { Hit } from './search.ts'
import { type Workspace, workspacePart } from './workspace-sync.ts'

export interface WorkspaceFiles {
  /** Of rooms that are not archived; those that cannot be used are left out. */
  workspaces(snapshot: Snapshot | null): Promise<readonly Workspace[]>
}

/** What lies further away, by itself or beside the best, is about something else. */
const LEAST_SCORE = 0.02
const LEAST_SHARE = 0.4

export function openWorkspaceFiles(context: Context): WorkspaceFiles {
  const { git } = context.world
  let parts: ReadonlyMap<string, string> = new Map()
  attachFiles(context.world, ({ room, query, limit }) => {
    const part = parts.get(room)
    const found = part === undefined ? null : memoryOf(context).find({ query, parts: [part], limit })
    const least = Math.max(LEAST_SCORE, LEAST_SHARE * (found?.hits[0]?.score ?? 0))
    return found?.hits.filter(({ score }) => score >= least).map(known) ?? null
  })
  return {
    async workspaces(snapshot) {
      const rooms = [...(snapshot?.rooms ?? [])].filter(([, { room }]) => room?.status !== 'archived')
      const found = await Promise.all(
        rooms.map(async ([name, { room }]) => {
          const place = await git.place(room?.workspace ?? DEFAULT_WORKSPACE, room?.base ?? null)
          if ('wrong' in place) return null
          return { name, workspace: { part: workspacePart((bytes) => git.blobId(bytes), place), place } }
        }),
      )
      const usable = found.filter((one) => one !== null)
      parts = new Map(usable.map(({ name, workspace }) => [name, workspace.part]))
      return [...new Map(usable.map(({ workspace }) => [workspace.part, workspace])).values()]
    },
  }
}

function known({ passage }: Hit): KnownFile {
  const [path = '', ...about] = passage.text.split('\n')
  return { path, about: about.join(' — ') }
}
