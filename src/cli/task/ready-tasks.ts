/**
 * The tasks that can start now, judged by files alone: pending, in an active room, all dependencies completed, and past
 * their next try. Only the daemon knows slots and hosts.
 */
import { join } from 'node:path'
import type { Facts, RoomFile, Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import { indexTasks } from '../../domain/task/depends.ts'
import { readiness } from '../../domain/task/readiness.ts'
import { defaultConfig } from '../../files/config/read-config.ts'
import { readRoom } from '../../files/kinds/read-room.ts'
import { MAX_BYTES } from '../edit-file.ts'
import type { Summary } from './task-list-cache.ts'
import type { TaskLookup } from './task-lookup.ts'
import { partsOf, roomNames } from './task-paths.ts'

const NO_FACTS: Facts = {
  sessions: new Map(),
  branches: new Map(),
  barred: false,
  elsewhere: null,
  diskFull: false,
  agent: { kind: 'ready' },
  cannot: new Map(),
  budgets: new Map(),
  pulls: new Map(),
  neo: { ready: 'no', turns: new Map(), woken: new Set() },
  askHashes: new Map(),
}

export function readyPaths(
  lookup: TaskLookup,
  fine: readonly Extract<Summary, { kind: 'ok' }>[],
): ReadonlySet<string> {
  const tasks = new Map(fine.map((summary) => [summary.path, fileOf(summary)]))
  const snapshot = snapshotOf(lookup, tasks)
  const scene = { snapshot, facts: NO_FACTS, index: indexTasks(tasks.values()), now: lookup.cache.now }
  const ready = [...tasks.values()].filter(
    (file) => file.task.status === 'pending' && readiness(file, scene).kind === 'ready',
  )
  return new Set(ready.map(({ path }) => path))
}

/** The fields that readiness depends on. */
function fileOf({ path, head }: Extract<Summary, { kind: 'ok' }>): TaskFile {
  const { title, status, priority, dependsOn, labels, id, retryAt } = head
  const neo = { ...(id === undefined ? {} : { id }), ...(retryAt === undefined ? {} : { retryAt }) }
  const rest = {
    retry: { max: 0, backoffMs: 0 },
    onInterrupt: 'ask',
    env: [],
    body: '',
    bodyLine: 1,
  } as const
  const task = { title, status, priority, dependsOn, labels, neo, ...rest }
  return { path, ...partsOf(path), hash: '', gitStatus: 'same', committedStatus: null, task }
}

function snapshotOf(lookup: TaskLookup, tasks: ReadonlyMap<string, TaskFile>): Snapshot {
  const rooms = roomNames(lookup.home, lookup.files).flatMap((name) => roomFile(lookup, name))
  return {
    config: defaultConfig(),
    rooms: new Map(rooms.map((room) => [room.name, room])),
    tasks,
    asks: new Map(),
    inbox: new Map(),
    deleted: [],
    problems: [],
    invalid: new Set(),
    git: { kind: 'home', branch: '', commit: '' },
  }
}

function roomFile({ home, files }: TaskLookup, name: string): RoomFile[] {
  const path = `rooms/${name}/ROOM.md`
  const found = files.read(join(home, path), MAX_BYTES)
  if (found.kind !== 'file') return []
  const room = readRoom(path, found.bytes, name)
  return room.kind === 'ok' ? [{ path, name, hash: '', gitStatus: 'same', room: room.value }] : []
}
