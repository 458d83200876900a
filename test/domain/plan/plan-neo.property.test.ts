/** The laws of when Neo is woken, over rooms with all that may wake him: one turn a room, nothing twice, no news no turn. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Decision, Trigger, TurnFact } from '../../../src/domain/plan/decision.ts'
import { decideNeo, markOf } from '../../../src/domain/plan/plan-neo.ts'
import type {
  AskFile,
  InboxFile,
  RoomFile,
  SessionFact,
  TaskFile,
} from '../../../src/domain/plan/snapshot.ts'
import { TASK_STATUSES } from '../../../src/domain/task/task.ts'
import { askFile, BEFORE, facts, NOW, roomFile, session, snapshot, taskFile } from '../../builders.ts'

const one = fc.constantFrom
const ROOMS = ['shop', 'attic'] as const
const LONG_AGO = '2026-02-20T08:00:00Z'

const HOME = fc.record({
  rooms: fc.tuple(
    ...ROOMS.map(() =>
      fc.record({
        status: one('active', 'active', 'active', 'paused', 'archived'),
        orchestrator: one('auto', 'auto', 'off'),
      }),
    ),
  ),
  messages: fc.array(fc.record({ room: one(...ROOMS), from: one('human', 'session:s-n0') }), {
    maxLength: 3,
  }),
  tasks: fc.array(
    fc.record({
      room: one(...ROOMS),
      status: one(...TASK_STATUSES),
      createdBy: one('human', 'neo', 'session:s-n0'),
      attempt: fc.nat(2),
      completedAt: one(BEFORE, BEFORE, LONG_AGO, undefined),
      worker: one('agent', 'shell', 'human'),
      handled: fc.boolean(),
    }),
    { maxLength: 5 },
  ),
  asks: fc.array(
    fc.record({
      room: one(...ROOMS),
      kind: one('question', 'approval'),
      answered: fc.boolean(),
      state: one('live', 'dormant', 'ended'),
    }),
    { maxLength: 3 },
  ),
})
type Drawn = typeof HOME extends fc.Arbitrary<infer T> ? T : never

class World {
  readonly rooms: RoomFile[]
  inbox: InboxFile[]
  tasks: TaskFile[]
  readonly asks: AskFile[]
  readonly sessions: SessionFact[]
  readonly turns = new Map<string, TurnFact>()
  readonly woken = new Set<string>()
  /** Keys that had a turn. */
  readonly had: string[] = []
  now = NOW

  constructor({ rooms, messages, tasks, asks }: Drawn) {
    this.rooms = rooms.map((over, n) => roomFile(ROOMS[n] ?? '', over))
    this.inbox = messages.map(({ room, from }, n) => {
      const path = `rooms/${room}/inbox/m${n}.md`
      return { path, room, name: `m${n}`, hash: `h${n}`, from, text: 'Hello' }
    })
    this.tasks = tasks.map(({ room, status, createdBy, attempt, completedAt, worker, handled }, n) => {
      const neo = { createdBy, attempt, ...(completedAt === undefined ? {} : { completedAt }) }
      const kind = { kind: worker } as const
      const file = taskFile(`n${n}`, { room, status, worker: kind, neo })
      return handled ? marked(file) : file
    })
    this.asks = asks.map(({ room, kind, answered }, n) => {
      const over = { kind, session: `s-n${n}`, ...(answered ? { answer: 'Blue.' } : {}) }
      return { ...askFile(`a-${n}`, over), path: `rooms/${room}/asks/a-${n}.md`, room }
    })
    this.sessions = asks.map(({ room, state }, n) => session(`n${n}`, { state, record: { room } }))
  }

  decide(ready: 'yes' | 'no' = 'yes'): Decision[] {
    const picture = snapshot({
      rooms: this.rooms,
      tasks: this.tasks,
      asks: this.asks,
      inbox: new Map(this.inbox.map((file) => [file.path, file])),
    })
    const neo = { ready, turns: new Map(this.turns), woken: new Set(this.woken) }
    return decideNeo({
      snapshot: picture,
      facts: facts({ sessions: this.sessions, neo }),
      now: this.now,
      wake: () => {},
    })
  }

  apply(decision: Decision): void {
    if (decision.kind === 'wake') this.turns.set(decision.room, { kind: 'busy' })
    if (decision.kind === 'turned') this.turned(decision.room)
  }

  /** The turn is over; so far nothing of it is written down. */
  end(room: string, triggers: readonly Trigger[]): void {
    this.turns.set(room, { kind: 'done', triggers, reply: 'Done.' })
  }

  private turned(room: string): void {
    const turn = this.turns.get(room)
    if (turn?.kind !== 'done') throw new Error(`no turn of ${room} is over`)
    for (const { key, kind, task } of turn.triggers) {
      this.had.push(key)
      this.inbox = this.inbox.filter(({ path, hash }) => key !== `inbox:${path}@${hash}`)
      if (kind !== 'message') this.woken.add(key)
      this.tasks = this.tasks.map((file) => (file.task.neo.id === task ? marked(file) : file))
    }
    this.turns.delete(room)
  }
}

function marked(file: TaskFile): TaskFile {
  return { ...file, task: { ...file.task, neo: { ...file.task.neo, handled: markOf(file) } } }
}

const anyWorld = HOME.map((drawn) => new World(drawn))
const RUNS = { numRuns: 500 }

function wakesOf(decisions: readonly Decision[]): Extract<Decision, { kind: 'wake' }>[] {
  return decisions.flatMap((decision) => (decision.kind === 'wake' ? [decision] : []))
}

/** Turns until there is no news. */
function runDown(world: World): void {
  for (let rounds = 0; ; rounds++) {
    expect(rounds).toBeLessThan(4)
    const decisions = world.decide()
    if (decisions.length === 0) return
    for (const decision of decisions) world.apply(decision)
    for (const { room, triggers } of wakesOf(decisions)) world.end(room, triggers)
  }
}

test('decideNeo() wakes a room once for all that came, and not while a turn takes place', () => {
  fc.assert(
    fc.property(anyWorld, (world) => {
      const decisions = world.decide()
      const rooms = wakesOf(decisions).map(({ room }) => room)
      expect(rooms).toEqual([...new Set(rooms)])
      for (const decision of decisions) world.apply(decision)
      expect(world.decide()).toEqual([])
    }),
    RUNS,
  )
})

test('decideNeo() has no cause twice in one turn, and none again that had its turn', () => {
  fc.assert(
    fc.property(anyWorld, (world) => {
      runDown(world)
      expect(world.had).toEqual([...new Set(world.had)])
      expect(world.decide()).toEqual([])
    }),
    RUNS,
  )
})

test('decideNeo() wakes for no end again whose mark git has taken back', () => {
  fc.assert(
    fc.property(anyWorld, (world) => {
      const { tasks } = world
      runDown(world)
      world.tasks = tasks
      expect(world.decide()).toEqual([])
    }),
    RUNS,
  )
})

test('decideNeo() decides nothing without news, without a model, and where nobody has said anything', () => {
  fc.assert(
    fc.property(anyWorld, (world) => {
      expect(world.decide('no')).toEqual([])
      runDown(world)
      world.now += 30 * 24 * 3_600_000
      expect(world.decide()).toEqual([])
    }),
    RUNS,
  )
})

test('decideNeo() says the same again after a turn that was lost, so that nothing is', () => {
  fc.assert(
    fc.property(anyWorld, (world) => {
      const first = world.decide()
      for (const decision of first) world.apply(decision)
      // The daemon was killed: what it knew is gone, and the files are as they were.
      world.turns.clear()
      expect(world.decide()).toEqual(first)
    }),
    RUNS,
  )
})

test('decideNeo() wakes no room that is paused, and a room without orchestrator for messages only', () => {
  fc.assert(
    fc.property(anyWorld, (world) => {
      for (const { room, triggers } of wakesOf(world.decide())) {
        const own = world.rooms.find(({ name }) => name === room)?.room
        expect(own?.status).toBe('active')
        if (own?.orchestrator === 'off') expect(triggers.every(({ kind }) => kind === 'message')).toBe(true)
        expect(triggers.every((trigger) => trigger.room === room)).toBe(true)
      }
    }),
    RUNS,
  )
})

test('decideNeo() wakes for no task of a person that went well, and for none that ended long ago', () => {
  fc.assert(
    fc.property(anyWorld, (world) => {
      for (const { triggers } of wakesOf(world.decide()))
        for (const { task, kind } of triggers) {
          const file = world.tasks.find((one) => one.task.neo.id === task)
          if (kind === 'message' || kind === 'question' || file === undefined) continue
          expect(file.task.neo.completedAt).toBe(BEFORE)
          expect(file.task.neo.createdBy === 'neo' || file.task.status === 'failed').toBe(true)
        }
    }),
    RUNS,
  )
})

test('a turn that waits is taken up when its time comes, and not before', () => {
  const world = new World({
    rooms: [
      { status: 'active', orchestrator: 'auto' },
      { status: 'active', orchestrator: 'auto' },
    ],
    messages: [{ room: 'shop', from: 'human' }],
    tasks: [],
    asks: [],
  })
  world.turns.set('shop', { kind: 'waits', at: NOW + 1000, why: 'a pause' })
  expect(world.decide()).toEqual([])
  world.now = NOW + 1000
  expect(world.decide().map(({ kind }) => kind)).toEqual(['wake'])
})
