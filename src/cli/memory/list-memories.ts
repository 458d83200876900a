/**
 * `neo memory list`: memories of rooms, newest first, one line each.
 */
import { MEMORY_TYPES } from '../../files/kinds/read-memory.ts'
import type { ResultOf } from '../../hub/method-table.ts'
import { countOption } from '../duration-option.ts'
import type { HubClient } from '../../client/hub-client.ts'
import { withHub } from '../rpc/with-hub.ts'
import type { Call } from '../spec.ts'
import { dateText } from '../time.ts'

const DEFAULT_LIMIT = 50
/** The hub lists at most so many of a room. */
const MOST = 1000

type Memories = ResultOf<'memory.list'>

export function listMemories(call: Call): Promise<number> {
  return withHub(call, async (hub) => {
    const limit = countOption(call, 'limit') ?? DEFAULT_LIMIT
    const all = await inRooms(call, hub)
    const shown = all.slice(0, limit)
    call.out.data('memory.list', shown)
    call.out.table(
      shown.map(({ id, roomId, type, createdAt, content }) => [
        id,
        { text: roomId, style: 'cyan' },
        { text: type, style: 'dim' },
        { text: createdAt === null ? '' : dateText(createdAt), style: 'dim' },
        content.trim().split('\n', 1)[0] ?? '',
      ]),
      4,
    )
    if (all.length > shown.length) call.out.note(`${all.length - shown.length} more: --limit ${all.length}`)
    if (shown.length === 0) call.out.note('No memories yet: neo memory add')
    return 0
  })
}

async function inRooms(call: Call, hub: HubClient): Promise<Memories> {
  const room = call.text('room')
  const type = MEMORY_TYPES.find((one) => one === call.text('type'))
  const ofType = type === undefined ? {} : { type }
  const rooms =
    room === null
      ? (await hub.call('room.list', { includeArchived: true })).map(({ id }) => id)
      : [room.replace(/^rooms\//, '')]
  const found: Memories[] = []
  for (const roomId of rooms)
    found.push(await hub.call('memory.list', { roomId, limit: MOST, ...ofType }, 'neo room list'))
  return found.flat().toSorted((a, b) => ((a.createdAt ?? '') < (b.createdAt ?? '') ? 1 : -1))
}
