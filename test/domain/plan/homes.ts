/**
 * Homes of every kind for properties: any statuses, standings, workers, dependencies, sessions, asks and branches
 * together, such as hands, crashes and merges can leave them; and acts that may follow.
 */
import fc from 'fast-check'
import type { SessionFact, TaskFile } from '../../../src/domain/plan/snapshot.ts'
import type { RoomStatus } from '../../../src/domain/room/room.ts'
import {
  BLOCKED_BY,
  ON_INTERRUPT,
  PRIORITIES,
  REVIEWS,
  TASK_STATUSES,
} from '../../../src/domain/task/task.ts'
import {
  AFTER,
  askFile,
  BEFORE,
  config,
  done,
  failed,
  NOW,
  roomFile,
  session,
  taskFile,
} from '../../builders.ts'
import type { Act } from './acts.ts'
import type { NeoPatch } from './neo-patch.ts'
import { put, type World } from './world.ts'

const one = fc.constantFrom
/** A hindrance that most tasks do not have, so that homes are not all at a standstill. */
const rarely = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value })
const mostly = <T>(usual: T, others: readonly T[]) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: one(...others) })

const OUTCOME = one(
  done(),
  done({ changed: 'no' }),
  failed(),
  failed({ why: 'place' }),
  { kind: 'unknown', step: 'a', error: 'nobody knows', endedAt: AFTER } as const,
  { kind: 'stopped', why: 'stop', endedAt: AFTER } as const,
)

const FACT = fc.record({
  state: one('live', 'dormant', 'ended'),
  outcome: OUTCOME,
  stopping: one(false, false, true),
})

const ASK = fc.record({
  tool: one('run_task', 'retry_task'),
  decision: one('pending', 'approved', 'denied'),
  expiresAt: one(BEFORE, AFTER),
  handledAt: rarely(one(BEFORE)),
  sha: one('sha', 'sha', 'other'),
})

const BRANCH = one({ kind: 'open', ahead: 1 }, { kind: 'merged', commit: 'c2' }, { kind: 'gone' } as const)

const TASK = fc.record({
  room: one('shop', 'press', 'attic'),
  status: fc.oneof(one(...TASK_STATUSES), one('pending', 'in_progress', 'review', 'blocked')),
  priority: one(...PRIORITIES),
  on: rarely(fc.array(fc.nat(7), { maxLength: 2 })),
  worker: one('shell', 'shell', 'shell', 'human', 'agent'),
  createdBy: one('human', 'human', 'session:s-0', 'neo'),
  gitStatus: one('same', 'same', 'same', 'bare', 'new', 'edited', 'stale'),
  before: one(...TASK_STATUSES),
  id: fc.oneof({ weight: 6, arbitrary: fc.constant(-1) }, fc.nat(9)),
  names: one('own', 'own', 'own', 'none', 'other'),
  fact: rarely(FACT),
  stray: rarely(FACT),
  ask: rarely(ASK),
  branch: rarely(BRANCH),
  blocked: rarely(one(...BLOCKED_BY)),
  retryAt: rarely(one(BEFORE, AFTER)),
  max: fc.nat(2),
  onInterrupt: one(...ON_INTERRUPT),
  review: rarely(one(...REVIEWS)),
})
type Of<A> = A extends fc.Arbitrary<infer T> ? T : never
type Drawn = Of<typeof TASK>
type Fact = Of<typeof FACT>
type Asked = Of<typeof ASK>
type Branch = Of<typeof BRANCH>

const IN_ORDER = {
  gitStatus: 'same',
  id: -1,
  stray: undefined,
  createdBy: 'human',
  retryAt: undefined,
  worker: 'shell',
} as const
/** A task in order that is to start, is at work, waits for an ask or for review: else most homes would hold none. */
const USUAL = fc
  .tuple(TASK, one('starts', 'starts', 'starts', 'works', 'asks', 'review'), FACT, ASK, BRANCH)
  .map(usual)

function usual([drawn, kind, fact, ask, branch]: readonly [Drawn, string, Fact, Asked, Branch]): Drawn {
  const rest = { ...drawn, ...IN_ORDER, fact: undefined, names: 'none' } as const
  switch (kind) {
    case 'works':
      return { ...rest, status: 'in_progress', names: 'own', fact }
    case 'asks':
      return {
        ...rest,
        status: drawn.max === 0 ? 'pending' : 'blocked',
        blocked: 'ask',
        createdBy: 'neo',
        ask,
      }
    case 'review':
      return { ...rest, status: 'review', branch }
    default:
      return { ...rest, status: 'pending' }
  }
}

const HOME = fc.record({
  tasks: fc.array(fc.oneof(TASK, USUAL, USUAL), { maxLength: 8, size: 'max' }),
  concurrency: fc.integer({ min: 1, max: 6 }),
  inShop: rarely(fc.integer({ min: 1, max: 2 })),
  paused: mostly<RoomStatus>('active', ['paused', 'archived']),
  barred: mostly<boolean>(false, [true]),
  elsewhere: mostly<string | null>(null, ['attic']),
  diskFull: mostly<boolean>(false, [true]),
  agent: one({ kind: 'ready' } as const, { kind: 'none', error: 'no model' } as const),
})

/** A home in any state, on its branch. */
export const anyHome: fc.Arbitrary<World> = HOME.map(({ tasks, concurrency, inShop, paused, ...rest }) => {
  const limit = inShop === undefined ? {} : { concurrency: inShop }
  const { neo: _neo, ...bare } = roomFile('press').room
  const rooms = [
    roomFile('shop', { status: paused, ...limit }),
    { ...roomFile('press'), room: { ...bare, neo: {} } },
  ]
  const world = emptyWorld({ rest, concurrency, rooms })
  for (const [index, drawn] of tasks.entries()) addTask(world, drawn, index)
  return world
})

/** A home in which nothing hinders and nobody needs to be asked: every task can run. */
export const workingHome: fc.Arbitrary<World> = anyHome.map((world) => {
  const rest = { barred: false, elsewhere: null, diskFull: false, agent: { kind: 'ready' } } as const
  const rooms = [...world.rooms.values()].map(
    (file) => ({ ...file, room: { ...file.room, status: 'active' } }) as const,
  )
  return { ...world, rest, rooms: new Map(rooms.map((file) => [file.name, file])) }
})

function emptyWorld(of: {
  readonly rest: World['rest']
  readonly concurrency: number
  readonly rooms: World['rooms'] extends Map<string, infer R> ? readonly R[] : never
}): World {
  return {
    now: NOW,
    made: 0,
    config: config({ concurrency: of.concurrency }),
    rooms: new Map(of.rooms.map((file) => [file.name, file])),
    tasks: new Map(),
    committed: new Map(),
    versions: new Map(),
    attempts: new Map(),
    asks: new Map(),
    askHashes: new Map(),
    sessions: new Map(),
    branches: new Map(),
    pulls: new Map(),
    deleted: [],
    rest: of.rest,
    git: { kind: 'home', branch: 'main', commit: 'c0' },
    moves: [],
  }
}

function addTask(world: World, drawn: Drawn, index: number): void {
  const name = `n${index}`
  const id = `t-n${drawn.id < 0 ? index : drawn.id}`
  const named = { own: `s-n${index}`, other: 's-n0', none: undefined }[drawn.names]
  const keys = { blocked: drawn.blocked, retryAt: drawn.retryAt, session: named, branch: `neo/${name}` }
  const neo = definedNeo({ id, createdBy: drawn.createdBy, ...keys })
  const file = taskFile(name, {
    room: drawn.room,
    status: drawn.status,
    priority: drawn.priority,
    dependsOn: (drawn.on ?? []).map((on) => `n${on}`),
    worker: { kind: drawn.worker },
    retry: { max: drawn.max, backoffMs: 1000 },
    onInterrupt: drawn.onInterrupt,
    ...(drawn.review === undefined ? {} : { review: drawn.review }),
    neo,
  })
  put(world, stood(world, file, drawn))
  addSessions(world, file, drawn)
  addAsk(world, id, drawn)
  if (drawn.branch !== undefined) world.branches.set(id, drawn.branch)
}

function definedNeo(neo: NeoPatch): TaskFile['task']['neo'] {
  return Object.fromEntries(Object.entries(neo).filter(([, value]) => value !== undefined))
}

function stood(world: World, file: TaskFile, { gitStatus, before }: Drawn): TaskFile {
  switch (gitStatus) {
    case 'same':
    case 'new':
      return { ...file, gitStatus }
    case 'bare':
      return { ...file, gitStatus: 'new', task: { ...file.task, neo: {} } }
    case 'edited':
      return { ...file, gitStatus, committedStatus: before }
    case 'stale':
      world.committed.set(file.path, file.task.neo)
      return { ...file, gitStatus, committedStatus: before, task: { ...file.task, neo: {} } }
  }
}

function addSessions(world: World, file: TaskFile, { fact, stray, review = 'none' }: Drawn): void {
  const { room, name, path: taskPath } = file
  const taskId = file.task.neo.id ?? ''
  for (const [letter, drawn] of [['s', fact] as const, ['x', stray] as const]) {
    if (drawn === undefined) continue
    const outcome = drawn.state === 'ended' ? drawn.outcome : null
    const own: SessionFact = session(name, {
      ...drawn,
      outcome,
      record: { id: `${letter}-${name}`, room, taskPath, taskId, review },
    })
    world.sessions.set(own.record.id, own)
  }
}

function addAsk(world: World, task: string, { ask }: Drawn): void {
  if (ask === undefined) return
  const { tool, decision, expiresAt, handledAt, sha } = ask
  const handled = handledAt === undefined ? {} : { handledAt }
  const file = askFile(`a-${task}`, { task, decision, expiresAt, ...handled }, tool)
  world.asks.set(file.path, file)
  world.askHashes.set(file.ask.id, sha)
}

/** What may happen between two looks. */
export const anyAct: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ kind: one('set-status' as const), at: fc.nat(9), status: one(...TASK_STATUSES) }),
  fc.record({ kind: one('save-old', 'copy', 'move', 'delete'), at: fc.nat(9) }),
  fc.record({ kind: one('answer' as const), at: fc.nat(9), decision: one('approved', 'denied') }),
  fc.record({ kind: one('end' as const), at: fc.nat(9), outcome: OUTCOME }),
  fc.record({ kind: one('go-back' as const), at: fc.nat(9), back: fc.nat(4) }),
  fc.constant<Act>({ kind: 'crash' }),
)
