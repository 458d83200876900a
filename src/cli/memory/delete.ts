/**
 * `neo memory delete`: takes a memory's file away, in a commit. Takes its id or path.
 */
import { asked } from '../rpc/failure.ts'
import { withHub } from '../rpc/with-hub.ts'
import { type Call, firstOf } from '../spec.ts'

export function deleteMemory(call: Call): Promise<number> {
  return withHub(call, async (at) => {
    const memoryId = firstOf(call)
    await asked('neo memory list', () => at.call('memory.delete', { memoryId }))
    call.out.data('memory.delete', { memoryId })
    call.out.line(memoryId, 'is deleted')
    return 0
  })
}
