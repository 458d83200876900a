/**
 * One file of a room's workspace, for people with access. A path or link that leads out of the workspace is refused.
 */
import { basename, join } from 'node:path'
import type { Room } from '../../domain/room/room.ts'
import { DEFAULT_WORKSPACE } from '../../domain/task/task-settings.ts'
import { readInside } from '../../agent/tools/confined-paths.ts'
import type { Context } from '../context.ts'

export async function roomFile(
  { world }: Context,
  { workspace }: Pick<Room, 'workspace'>,
  path: string,
): Promise<{ readonly name: string; readonly bytes: Buffer } | { readonly refused: string }> {
  if (world.agent === undefined) return { refused: 'this build has no support for workspaces' }
  const place = await world.git.place(workspace ?? DEFAULT_WORKSPACE, null)
  if ('wrong' in place) return { refused: `${place.wrong}; ${place.hint}` }
  const root = join(place.repository, place.folder)
  const permissions = { shell: 'deny', network: 'deny', write: [] } as const
  const found = readInside({ root, cwd: root, permissions, home: 'no', tree: world.agent.tree }, path)
  return found.kind === 'file'
    ? { name: basename(found.path), bytes: found.bytes }
    : { refused: found.refused }
}
