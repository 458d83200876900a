/**
 * `neo memory add`: a file in the room's `memories/`, committed.
 */
import { MEMORY_TYPES } from '../../files/kinds/read-memory.ts'
import { usage } from '../cli-failure.ts'
import { withHub } from '../rpc/with-hub.ts'
import type { Call } from '../spec.ts'
import { readStdin } from '../stdin.ts'

const IMPORTANCE = ['low', 'normal', 'high'] as const

export async function addMemory(call: Call): Promise<number> {
  const [roomId = '', typed = ''] = call.args
  const content = (typed === '-' ? await readStdin(call.around.stdin) : typed).trim()
  if (content === '')
    throw usage('Cannot save the memory: the text is empty', "neo memory add ROOM 'what to keep'")
  return await withHub(call, async (hub) => {
    const tags = call.all('tag')
    const importance = IMPORTANCE.find((one) => one === call.text('importance'))
    const params = {
      roomId: roomId.replace(/^rooms\//, ''),
      type: MEMORY_TYPES.find((one) => one === call.text('type')) ?? 'note',
      content,
      ...(tags.length === 0 ? {} : { tags: [...tags] }),
      ...(importance === undefined ? {} : { importance }),
    }
    const memory = await hub.call('memory.add', params, 'neo room list')
    call.out.data('memory.add', memory)
    call.out.line(memory.id, { text: memory.path, style: 'dim' })
    if (memory.content.trim() !== content) call.out.note('Text that looks like a secret was masked.')
    return 0
  })
}
