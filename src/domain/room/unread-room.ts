/**
 * Rooms whose settings cannot be read, and of which no version that could be is known. Pure.
 * Invariant 1: nothing starts, ends or leaves the machine in such a room: the defaults are for rooms that say nothing.
 */
import type { Snapshot } from '../plan/snapshot.ts'

/** Why nothing continues in the room; null if its settings are known. */
export function unreadRoom(
  { rooms, invalid }: Pick<Snapshot, 'rooms' | 'invalid'>,
  room: string,
): string | null {
  const path = `rooms/${room}/ROOM.md`
  return !rooms.has(room) && invalid.has(path) ? `${path}, which is unreadable or was deleted` : null
}
