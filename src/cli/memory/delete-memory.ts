/**
 * `neo memory delete`: takes a memory's file away, in a commit.
 */
import { asked } from '../rpc/rpc-failure.ts'
import { type AtHub, withHub } from '../rpc/with-hub.ts'
import { type Call, firstOf } from '../spec.ts'

/** The hub gives so many of a room at once. */
const MOST = 1_000

export function deleteMemory(call: Call): Promise<number> {
  return withHub(call, async (at) => {
    const memoryId = firstOf(call)
    const path = await pathOf(at, memoryId)
    await asked('neo memory list', () => at.call('memory.delete', { memoryId }))
    call.out.data('memory.delete', { memoryId })
    call.out.line(path, 'is deleted')
    call.out.note(`To have it back: neo memory restore ${path}`)
    return 0
  })
}

/** While it is there; the hub says what is wrong with one that is not. */
async function pathOf(at: AtHub, memoryId: string): Promise<string> {
  for (const { id: roomId } of await at.call('room.list', { includeArchived: true })) {
    const all = await at.call('memory.list', { roomId, limit: MOST })
    const found = all.find(({ id, path }) => id === memoryId || path === memoryId)
    if (found !== undefined) return found.path
  }
  return memoryId
}
