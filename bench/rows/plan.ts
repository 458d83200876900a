import { createHash } from 'node:crypto'
import { plan } from '../../src/domain/plan/plan.ts'
import type { Facts, RoomFile, Snapshot, TaskFile } from '../../src/domain/plan/snapshot.ts'
import { isOpen } from '../../src/domain/task/readiness.ts'
import { readConfig } from '../../src/files/config/read-config.ts'
import type { Read } from '../../src/files/header/read-header.ts'
import { readRoom } from '../../src/files/kinds/read-room.ts'
import { readTask } from '../../src/files/kinds/read-task.ts'
import { roomText, taskText } from '../home.ts'
import { inMs, type Row } from '../row.ts'
import { inTurn } from '../time.ts'

const MOST_MS = 10
const NOW = Date.parse('2026-03-02T09:00:00Z')

export const planRow: Row = {
  name: 'plan',
  measures: 'plan() over 10,000 tasks, one of which has changed',
  async run({ quick }) {
    const tasks = quick ? 1000 : 10_000
    const settled = new Map(Array.from({ length: tasks }, (_, index) => entry(index, taskText(index))))
    let count = 0
    const changed = () => {
      const index = (++count * 37) % tasks
      const [path, file] = entry(index, taskText(index).replace(/^status: .*$/m, 'status: pending'))
      return snapshotOf(new Map(settled).set(path, { ...file, gitStatus: 'edited' }))
    }
    const times = await inTurn({ plan: () => planTime(changed()) }, quick ? 10 : 101)
    const ms = times.plan.p50
    const verdict = ms <= MOST_MS ? 'ok' : 'over'
    return [
      { work: 'plan(), one changed file', goal: `≤ ${MOST_MS} ms`, floor: '', measured: inMs(ms), verdict },
    ]
  },
}

function planTime(snapshot: Snapshot): number {
  const started = performance.now()
  const { decisions } = plan(snapshot, FACTS, NOW)
  const ms = performance.now() - started
  if (decisions.length !== 1)
    throw new Error(`plan() gave ${decisions.length} decisions for one changed file`)
  return ms
}

function entry(index: number, text: string): [string, TaskFile] {
  const name = `task-${index}`
  const room = `room-${index % 10}`
  const path = `rooms/${room}/tasks/${name}.md`
  const task = readOk(readTask(path, text, 'UTC'))
  const hash = createHash('sha1').update(text).digest('hex')
  return [path, { path, room, name, hash, gitStatus: 'same', committedStatus: task.status, task }]
}

const CONFIG = readOk(readConfig('neo.yaml', null, {}))

const ROOMS = new Map(Array.from({ length: 10 }, (_, index) => roomEntry(index)))

function roomEntry(index: number): [string, RoomFile] {
  const name = `room-${index}`
  const path = `rooms/${name}/ROOM.md`
  const room = readOk(readRoom(path, roomText(index), name))
  return [name, { path, name, hash: 'a'.repeat(40), gitStatus: 'same', room }]
}

function snapshotOf(tasks: ReadonlyMap<string, TaskFile>): Snapshot {
  return {
    config: CONFIG,
    rooms: ROOMS,
    tasks,
    open: new Map([...tasks].filter(([, file]) => isOpen(file))),
    asks: new Map(),
    inbox: new Map(),
    deleted: [],
    problems: [],
    invalid: new Set(),
    git: { kind: 'home', branch: 'main', commit: '0'.repeat(40) },
  }
}

const FACTS: Facts = {
  sessions: new Map(),
  branches: new Map(),
  barred: false,
  elsewhere: null,
  diskFull: false,
  agent: { kind: 'none', error: 'no model is configured' },
  askHashes: new Map(),
  cannot: new Map(),
  budgets: new Map(),
  pulls: new Map(),
  neo: { ready: 'no', turns: new Map(), woken: new Set() },
}

function readOk<T>(read: Read<T>): T {
  if (read.kind !== 'ok') throw new Error(`A generated text cannot be read: ${JSON.stringify(read)}`)
  return read.value
}
