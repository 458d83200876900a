/**
 * `neo memory delete`: deletes a memory's file, in a commit.
 */
import type { HubClient } from '../../client/hub-client.ts'
import { withHub } from '../rpc/with-hub.ts'
import { type Call, firstOf } from '../spec.ts'

/** The hub lists at most so many of a room. */
const MOST = 1_000

export function deleteMemory(call: Call): Promise<number> {
  return withHub(call, async (hub) => {
    const memoryId = firstOf(call)
    const path = await pathOf(hub, memoryId)
    await hub.call('memory.delete', { memoryId }, 'neo memory list')
    call.out.data('memory.delete', { memoryId })
    call.out.line(path, 'is deleted')
    call.out.note(`To restore it: neo memory restore ${path}`)
    return 0
  })
}

/** Its path, asked before it is deleted; if there is none, the hub says so. */
async function pathOf(hub: HubClient, memoryId: string): Promise<string> {
  for (const { id: roomId } of await hub.call('room.list', { includeArchived: true })) {
    const all = await hub.call('memory.list', { roomId, limit: MOST })
    const found = all.find(({ id, path }) => id === memoryId || path === memoryId)
    if (found !== undefined) return found.path
  }
  return memoryId
}
