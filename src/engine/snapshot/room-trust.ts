/**
 * Programs that a room's file names (`mcp_servers`) run as the user, so a change counts only once the user trusts it, as
 * in neo.yaml. Until then the room keeps its old ones, without those that it no longer names. What is there at the start
 * counts as trusted.
 */
import { fileProblem, type Problem } from '../../domain/home/problem.ts'
import type { Room } from '../../domain/room/room.ts'
import type { RoomFile, Snapshot } from '../../domain/plan/snapshot.ts'

export interface RoomTrust {
  trusted(snapshot: Snapshot): Snapshot
}

type Rooms = Snapshot['rooms']
type Servers = Room['mcpServers']

/** @param whyNot why the home's files are not trusted now; null: they are */
export function openRoomTrust(whyNot: () => string | null): RoomTrust {
  let accepted: ReadonlyMap<string, Servers> | null = null
  let last: { readonly seen: Rooms; readonly given: Rooms; readonly problems: readonly Problem[] } | null =
    null

  function judge(rooms: Rooms): typeof last {
    const known = accepted ?? new Map([...rooms].map(([name, { room }]) => [name, room.mcpServers]))
    const changed = [...rooms.values()].filter(({ name, room }) => hasNew(room.mcpServers, known.get(name)))
    const why = changed.length === 0 ? null : whyNot()
    const held = why === null ? [] : changed
    const names = new Set(held.map(({ name }) => name))
    const given = new Map(
      [...rooms].map(([name, file]) => [name, names.has(name) ? withServers(file, known.get(name)) : file]),
    )
    accepted = new Map([...known, ...[...given].map(([name, { room }]) => [name, room.mcpServers] as const)])
    return {
      seen: rooms,
      given: held.length === 0 ? rooms : given,
      problems: held.map(({ path }) => problemOf(path, why ?? '')),
    }
  }

  return {
    trusted(snapshot) {
      if (last === null || last.seen !== snapshot.rooms || last.problems.length > 0) {
        const next = judge(snapshot.rooms)
        const isSame = last?.seen === next?.seen && last?.problems.length === next?.problems.length
        last = isSame ? last : next
      }
      if (last === null || last.problems.length === 0) return snapshot
      return { ...snapshot, rooms: last.given, problems: [...snapshot.problems, ...last.problems] }
    },
  }
}

/** A server more, or another one by its name. */
function hasNew(servers: Servers = {}, known: Servers = {}): boolean {
  return Object.entries(servers).some(([name, one]) => JSON.stringify(one) !== JSON.stringify(known[name]))
}

/** A server that the file turns off or no longer has is off at once. */
function withServers(file: RoomFile, known: Servers = {}): RoomFile {
  const named = Object.keys(file.room.mcpServers ?? {})
  const kept = Object.entries(known).filter(([name]) => named.includes(name))
  return { ...file, room: { ...file.room, mcpServers: Object.fromEntries(kept) } }
}

function problemOf(file: string, why: string): Problem {
  const message = `Changes to mcp_servers ignored: ${why}`
  return fileProblem(file, 'error', { code: 'untrusted', message, hint: 'neo trust' })
}
