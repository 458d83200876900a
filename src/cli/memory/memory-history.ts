/**
 * `neo memory log` and `neo memory restore`: changes of memories, and how to undo them.
 */
import type { ResultOf } from '../../hub/method-table.ts'
import { countOption } from '../duration-option.ts'
import type { HubClient } from '../../client/hub-client.ts'
import { withHub } from '../rpc/with-hub.ts'
import { type Call, firstOf } from '../spec.ts'
import { dateText } from '../time.ts'

const DEFAULT_LIMIT = 50

type Changes = ResultOf<'memory.log'>

export function memoryHistory(call: Call): Promise<number> {
  return withHub(call, async (hub) => {
    const path = firstOf(call)
    const room = call.text('room')
    const limit = countOption(call, 'limit')
    const params = {
      ...(path === '' ? {} : { path }),
      ...(room === null ? {} : { roomId: room.replace(/^rooms\//, '') }),
      ...(limit === null ? {} : { limit }),
    }
    const changes =
      path === '' && room === null
        ? await everywhere(hub, limit ?? DEFAULT_LIMIT)
        : await hub.call('memory.log', params, 'neo memory log --help')
    call.out.data('memory.log', changes)
    call.out.table(
      changes.map(({ commit, at: when, author, subject }) => [
        { text: commit.slice(0, 8), style: 'cyan' },
        { text: dateText(when), style: 'dim' },
        author,
        subject,
      ]),
      3,
    )
    if (changes.length === 0) call.out.note('No commits: it was never committed.')
    return 0
  })
}

/** Of the home and of every room: one commit may have changed several. */
async function everywhere(hub: HubClient, limit: number): Promise<Changes> {
  const found = new Map<string, Changes[number]>()
  for (const { id: roomId } of await hub.call('room.list', { includeArchived: true }))
    for (const change of await hub.call('memory.log', { roomId, limit })) found.set(change.commit, change)
  return [...found.values()].toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at)).slice(0, limit)
}

export function restoreMemory(call: Call): Promise<number> {
  return withHub(call, async (hub) => {
    const path = firstOf(call)
    const commit = call.text('commit')
    const params = { path, ...(commit === null ? {} : { commit }) }
    const restored = await hub.call('memory.restore', params, `neo memory log ${path}`)
    call.out.data('memory.restore', restored)
    call.out.line(restored.path, `is as in ${restored.commit.slice(0, 8)}`)
    return 0
  })
}
