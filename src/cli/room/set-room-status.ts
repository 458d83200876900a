/**
 * `neo room pause, resume, archive`: the status in ROOM.md, through the hub. A folder without ROOM.md gets one.
 */
import type { RoomStatus } from '../../domain/room/room.ts'
import { withHub } from '../rpc/with-hub.ts'
import type { Command } from '../spec.ts'
import { openTaskLookup } from '../task/task-lookup.ts'
import { findRoom, readRoomNamed, roomOf } from './open-rooms.ts'

export type RoomVerb = 'pause' | 'resume' | 'archive'

const TO: Readonly<Record<RoomVerb, RoomStatus>> = { pause: 'paused', resume: 'active', archive: 'archived' }

export function setRoomStatus(verb: RoomVerb): Command {
  return async (call) => {
    const lookup = await openTaskLookup(call)
    const names = [...new Set(call.args.map((typed) => findRoom(lookup, typed)))]
    const status = TO[verb]
    const changed: { readonly name: string; readonly isNew: boolean }[] = []
    await withHub(call, async (hub) => {
      for (const name of names) {
        const isSo =
          readRoomNamed(lookup, name).kind !== 'bare' && roomOf(lookup, name).room.status === status
        await hub.call(`room.${verb}`, { roomId: name })
        changed.push({ name, isNew: !isSo })
      }
    })
    call.out.data(
      `room.${verb}`,
      changed.map(({ name }) => ({ name, status })),
    )
    for (const { name, isNew } of changed)
      call.out.line(name, isNew ? `is now ${status}` : `is already ${status}`)
    return 0
  }
}
