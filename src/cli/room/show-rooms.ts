/** `neo room list` and `neo room show`. A room with an invalid ROOM.md is listed as broken. */
import { whereOf } from '../../domain/home/problem.ts'
import type { Room, RoomStatus } from '../../domain/room/room.ts'
import { TASK_STATUSES, workerText } from '../../domain/task/task.ts'
import { roomKeys } from '../../files/kinds/read-room.ts'
import { headerRows } from '../header-rows.ts'
import { type Cell, fieldRows, printBody, type Style } from '../output.ts'
import { type Call, firstOf } from '../spec.ts'
import { taskSummaries } from '../task/task-list-cache.ts'
import { openTaskLookup } from '../task/task-lookup.ts'
import { partsOf, roomNames } from '../task/task-paths.ts'
import { findRoom, type RoomRead, readRoomNamed, roomOf } from './open-rooms.ts'

type Counts = Readonly<Record<string, number>>

const STYLES: Readonly<Record<RoomStatus, Style>> = { active: 'green', paused: 'yellow', archived: 'dim' }

export async function listRooms(call: Call): Promise<number> {
  const lookup = await openTaskLookup(call)
  const counts = new Map<string, Record<string, number>>()
  for (const summary of taskSummaries(lookup.cache)) {
    const { room } = partsOf(summary.path)
    const of = counts.get(room) ?? {}
    const status = summary.kind === 'ok' ? summary.head.status : 'unreadable'
    of[status] = (of[status] ?? 0) + 1
    counts.set(room, of)
  }
  const all = roomNames(lookup.home, lookup.files).map((name) => readRoomNamed(lookup, name))
  const rooms = all.filter(
    (read) => call.isSet('all') || read.kind !== 'ok' || read.room.status !== 'archived',
  )
  call.out.data(
    'room.list',
    rooms.map((read) => roomData(read, counts.get(read.name) ?? {})),
  )
  call.out.table(
    rooms.map((read) => row(read, counts.get(read.name) ?? {})),
    3,
  )
  for (const read of rooms) {
    const [first] = read.kind === 'bad' ? read.problems : []
    if (first !== undefined) call.out.note({ text: whereOf(first), style: 'red' }, first.message)
  }
  if (rooms.length === 0) call.out.note('No rooms yet. Create one: neo room new NAME')
  return 0
}

function roomData(read: RoomRead, tasks: Counts): unknown {
  const { kind, name, path } = read
  const room = kind === 'ok' ? read.room : null
  return {
    name,
    path,
    id: room?.neo.id ?? null,
    title: room?.name ?? name,
    description: room?.description ?? '',
    status: room?.status ?? (kind === 'bare' ? 'active' : null),
    tasks,
    problems: kind === 'bad' ? read.problems : [],
  }
}

function row(read: RoomRead, counts: Counts): Cell[] {
  const said = TASK_STATUSES.filter((status) => counts[status] !== undefined).map(
    (status) => `${counts[status]} ${status}`,
  )
  const broken = counts['unreadable'] === undefined ? [] : [`${counts['unreadable']} unreadable`]
  const tasks = [...said, ...broken].join(', ') || 'no tasks'
  switch (read.kind) {
    case 'ok':
      return [
        read.name,
        { text: read.room.status, style: STYLES[read.room.status] },
        tasks,
        read.room.description,
      ]
    case 'bare':
      return [read.name, { text: 'active', style: 'green' }, tasks, '']
    case 'bad':
      return [read.name, { text: 'broken', style: 'red' }, tasks, '']
  }
}

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
  out.table(fieldRows(fieldsOf(path, room)))
  printBody(out, room.body)
  return 0
}

const NOT_ROWS = ['name', 'description', 'budget', 'permissions', 'hooks', 'mcp_servers', 'neo'] as const

function fieldsOf(path: string, room: Room): (readonly [string, string | undefined])[] {
  return [['path', path], ...headerRows(roomKeys, room, NOT_ROWS), ['id', room.neo.id]]
}
