/**
 * `neo room show`: the settings of one room, without those at their default, and its text.
 */
import type { Room } from '../../domain/room/room.ts'
import { workerText } from '../../domain/task/task.ts'
import { type Call, firstOf } from '../spec.ts'
import { openTaskLookup } from '../task/task-lookup.ts'
import { findRoom, roomOf } from './open-rooms.ts'

export async function showRoom(call: Call): Promise<number> {
  const lookup = await openTaskLookup(call)
  const name = findRoom(lookup, firstOf(call))
  const { path, room } = roomOf(lookup, name)
  const { out } = call
  out.data('room.show', {
    ...room,
    worker: room.worker === undefined ? null : workerText(room.worker),
    title: room.name,
    name,
    path,
  })
  out.heading(room.name)
  if (room.description !== '') out.line(room.description)
  out.table(rows(path, room).map(([key, value]) => [{ text: key, style: 'dim' }, value]))
  if (room.body.trim() !== '') {
    out.line('')
    out.block(room.body)
  }
  return 0
}

function rows(path: string, room: Room): (readonly [string, string])[] {
  const all: (readonly [string, string | undefined])[] = [
    ['path', path],
    ['status', room.status],
    ['workspace', room.workspace],
    ['base', room.base],
    ['worker', room.worker === undefined ? undefined : workerText(room.worker)],
    ['model', room.model],
    ['orchestrator', room.orchestrator],
    ['review', room.review],
    ['verify', listed(room.verify)],
    ['concurrency', room.concurrency === undefined ? undefined : String(room.concurrency)],
    ['setup', listed(room.setup)],
    ['cleanup', listed(room.cleanup)],
    ['env', listed(room.env)],
    ['env files', listed(room.envFiles)],
    ['notify', listed(room.notify)],
    ['approvers', listed(room.approvers)],
    ['keep', String(room.keep)],
    ['id', room.neo.id],
  ]
  return all.flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]))
}

function listed(values: readonly string[]): string | undefined {
  return values.length === 0 ? undefined : values.join(', ')
}
