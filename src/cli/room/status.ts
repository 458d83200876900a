/**
 * `neo room pause, resume, archive`: one line of ROOM.md. A folder without ROOM.md gets one.
 */
import { join } from 'node:path'
import type { RoomStatus } from '../../core/model/room.ts'
import { editDocument, renderDocument } from '../../formats/edit.ts'
import { createFile, editFile } from '../edit-file.ts'
import { openAct } from '../rpc/act.ts'
import type { Command } from '../spec.ts'
import { type Desk, openDesk } from '../task/open.ts'
import { findRoom, readRoomNamed, roomOf } from './open.ts'

export type RoomVerb = 'pause' | 'resume' | 'archive'

const TO: Readonly<Record<RoomVerb, RoomStatus>> = { pause: 'paused', resume: 'active', archive: 'archived' }

export function setRoomStatus(verb: RoomVerb): Command {
  return async (call) => {
    const desk = await openDesk(call)
    const names = [...new Set(call.args.map((typed) => findRoom(desk, typed)))]
    const status = TO[verb]
    const act = openAct(call, desk)
    const changed: { readonly name: string; readonly written: 'yes' | 'no' }[] = []
    for (const name of names) {
      const isSo = readRoomNamed(desk, name).kind !== 'bare' && roomOf(desk, name).room.status === status
      const isWritten = await act({
        method: `room.${verb}`,
        params: { roomId: name },
        shown: () => !isSo,
        byFiles: () => set(desk, name, status),
      })
      changed.push({ name, written: isWritten ? 'yes' : 'no' })
    }
    call.out.data(
      `room.${verb}`,
      changed.map(({ name }) => ({ name, status })),
    )
    for (const { name, written } of changed)
      call.out.line(name, written === 'yes' ? `is ${status} now` : `is ${status} already`)
    return 0
  }
}

function set(desk: Desk, name: string, status: RoomStatus): boolean {
  const read = readRoomNamed(desk, name)
  if (read.kind === 'bare')
    return createFile(desk.files, desk.home, { path: read.path, text: renderDocument({ name, status }, '') })
  return editFile(desk.files, join(desk.home, read.path), (text) =>
    roomOf(desk, name).room.status === status ? null : editDocument(text, { set: { status } }),
  )
}
