/** The laws of plan(), over homes in every state and whatever may happen to them. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Decision, Plan } from '../../../src/domain/plan/decision.ts'
import { plan } from '../../../src/domain/plan/plan.ts'
import { mayMove } from '../../../src/domain/task/task.ts'
import { act, applyHalf, crash, live, passTime } from './acts.ts'
import { anyAct, anyHome, workingHome } from './homes.ts'
import { apply, pictureOf, planOf, type World } from './world.ts'

const RUNS = { numRuns: 600 }
/** Rounds without any event from outside: old buffer, adoption, end, ask, start, and one for each that follows. */
const MOST_ROUNDS = 12
/** Steps of time: each task's attempts, asks and reviews of a small home. */
const MOST_STEPS = 500

const ACTS = fc.array(anyAct, { maxLength: 20 })

const subjectOf = (decision: Decision) =>
  'path' in decision ? decision.path : 'session' in decision ? decision.session : decision.room
const isLive = ({ state }: { state: string }) => state !== 'ended'

/** One look and what follows from it. Gives how many decisions there were. */
function round(world: World): number {
  const { decisions } = planOf(world)
  for (const decision of decisions) apply(world, decision)
  return decisions.length
}

/** Rounds until nothing is decided. */
function settle(world: World): void {
  for (let rounds = 0; round(world) > 0; rounds++) expect(rounds).toBeLessThan(MOST_ROUNDS)
}

/** Lets time pass until nothing happens any more. */
function runDown(world: World): Plan {
  for (let step = 0; step < MOST_STEPS; step++) {
    settle(world)
    const made = planOf(world)
    if (passTime(world, made.wakeAt) === 'nothing') return made
  }
  throw new Error(`The home has not come to rest after ${MOST_STEPS} steps`)
}

const KINDS: readonly Decision['kind'][] = [
  'adopt',
  'adopt-room',
  'block',
  'close-ask',
  'discard',
  'finish',
  'forget',
  'hand-over',
  'lost',
  'merge',
  'merged',
  'open-ask',
  'publish',
  'reconcile',
  'record',
  'requeue',
  'resume',
  'start',
  'stop',
  'unblock',
  'withdraw',
]

test('the homes of these properties lead to every kind of decision, and to several starts at once', () => {
  const worlds = fc.sample(fc.tuple(anyHome, ACTS), { numRuns: 500 })
  const looks: Decision['kind'][][] = worlds.map(([world, acts]) => {
    for (const what of acts) act(world, what)
    return planOf(world).decisions.map(({ kind }) => kind)
  })
  expect([...new Set(looks.flat())].sort()).toEqual(KINDS)
  expect(looks.filter((kinds) => kinds.filter((kind) => kind === 'start').length > 2).length).toBeGreaterThan(
    5,
  )
})

test('plan() gives the same when it is asked twice, and changes nothing that it was given', () => {
  fc.assert(
    fc.property(anyHome, (world) => {
      const { snapshot, facts } = pictureOf(world)
      const before = structuredClone({ snapshot, facts })
      expect(plan(snapshot, facts, world.now)).toEqual(plan(snapshot, facts, world.now))
      expect({ snapshot, facts }).toEqual(before)
    }),
    { numRuns: 200 },
  )
})

test('plan() decides nothing when git is not on the home’s branch', () => {
  fc.assert(
    fc.property(anyHome, fc.constantFrom('away' as const, 'busy' as const), (world, kind) => {
      const { decisions, waiting, wakeAt } = planOf({ ...world, git: { kind, why: 'rebase' } })
      expect([decisions, waiting, wakeAt]).toEqual([[], [], null])
    }),
    { numRuns: 200 },
  )
})

test('plan() makes one decision at most for each subject, or says what it waits for', () => {
  fc.assert(
    fc.property(anyHome, (world) => {
      const { decisions, waiting } = planOf(world)
      const subjects = [...decisions.map(subjectOf), ...waiting.map(({ path }) => path)]
      expect(subjects).toEqual([...new Set(subjects)])
    }),
    RUNS,
  )
})

test('plan() decides nothing again that was carried out', () => {
  fc.assert(
    fc.property(anyHome, (world) => {
      const done = planOf(world).decisions
      for (const decision of done) apply(world, decision)
      const said = new Set(done.map((decision) => JSON.stringify(decision)))
      expect(planOf(world).decisions.filter((decision) => said.has(JSON.stringify(decision)))).toEqual([])
    }),
    RUNS,
  )
})

test('plan() comes to rest in a few rounds from every state', () => {
  fc.assert(
    fc.property(anyHome, (world) => settle(world)),
    RUNS,
  )
})

test('plan() wakes only at a time that is still to come', () => {
  fc.assert(
    fc.property(anyHome, (world) => {
      const { wakeAt } = planOf(world)
      expect(wakeAt === null || wakeAt > world.now).toBe(true)
    }),
    RUNS,
  )
})

/** Sessions beyond the limits of home and rooms, after starts were added. */
function tooMany(world: World, starts: readonly Decision[]): readonly string[] {
  const rooms = starts.flatMap((start) => ('path' in start ? [world.tasks.get(start.path)?.room ?? ''] : []))
  const running = [...world.sessions.values()].filter(isLive).map(({ record }) => record.room)
  const all = [...running, ...rooms]
  const limitOf = (name: string) => world.rooms.get(name)?.room.concurrency ?? world.config.daemon.concurrency
  const over = rooms.filter((name) => all.filter((other) => other === name).length > limitOf(name))
  return rooms.length > 0 && all.length > world.config.daemon.concurrency ? ['home', ...over] : over
}

test('plan() starts no more sessions than home and room allow', () => {
  fc.assert(
    fc.property(anyHome, (world) => {
      const starts = planOf(world).decisions.filter(({ kind }) => kind === 'start')
      expect(tooMany(world, starts)).toEqual([])
    }),
    RUNS,
  )
})

test('plan() starts no task that has a session, whatever happens', () => {
  fc.assert(
    fc.property(anyHome, ACTS, (world, acts) => {
      live(world, acts, (decision) => {
        if (decision.kind !== 'start') return
        const id = world.tasks.get(decision.path)?.task.neo.id
        expect([...world.sessions.values()].filter(({ record }) => record.taskId === id)).toEqual([])
      })
    }),
    RUNS,
  )
})

test('plan() starts no commands that a model wrote without an approval of what it is now', () => {
  fc.assert(
    fc.property(anyHome, ACTS, (world, acts) => {
      live(world, acts, (decision) => {
        const task = decision.kind === 'start' ? world.tasks.get(decision.path)?.task : undefined
        if (task?.worker?.kind !== 'shell' || task.neo.createdBy === 'human') return
        const yes = [...world.asks.values()].filter(
          ({ ask }) => ask.task === task.neo.id && ask.decision === 'approved',
        )
        expect(yes.map(({ ask }) => world.askHashes.get(ask.id))).toContain('sha')
      })
    }),
    RUNS,
  )
})

test('plan() moves a task only where mayMove() allows, whatever happens', () => {
  fc.assert(
    fc.property(anyHome, ACTS, (world, acts) => {
      live(world, acts, () => {})
      expect(world.moves.filter(({ from, to }) => !mayMove(from, to))).toEqual([])
    }),
    RUNS,
  )
})

test('plan() keeps to one session a task and comes to rest when the daemon dies in every second effect', () => {
  fc.assert(
    fc.property(anyHome, ACTS, (world, acts) => {
      for (const what of acts) {
        const [first, ...rest] = planOf(world).decisions
        if (first !== undefined) applyHalf(world, first)
        if (rest.length === 0) act(world, what)
      }
      crash(world)
      settle(world)
      const tasks = [...world.sessions.values()].map(({ record }) => record.taskId)
      expect(tasks).toEqual([...new Set(tasks)])
    }),
    RUNS,
  )
})

test('plan() lets every task that can run start, and leaves no session behind', () => {
  fc.assert(
    fc.property(workingHome, ACTS, (world, acts) => {
      live(world, acts, () => {})
      const { waiting } = runDown(world)
      expect(waiting.filter(({ on }) => on === 'a free slot' || on.startsWith('the '))).toEqual([])
      expect([...world.sessions.values()].filter(({ stopping }) => !stopping)).toEqual([])
    }),
    RUNS,
  )
})

test('plan() says of every pending task at rest what it waits for', () => {
  fc.assert(
    fc.property(anyHome, (world) => {
      const { waiting } = runDown(world)
      const { tasks, invalid } = pictureOf(world).snapshot
      const pending = [...tasks.values()].filter(
        ({ path, task }) => task.status === 'pending' && !invalid.has(path),
      )
      expect(waiting.map(({ path }) => path).sort()).toEqual(pending.map(({ path }) => path).sort())
    }),
    RUNS,
  )
})

test('plan() leaves no file new, stale or unrecorded when it has come to rest', () => {
  fc.assert(
    fc.property(anyHome, ACTS, (world, acts) => {
      live(world, acts, () => {})
      runDown(world)
      const ids = [...world.tasks.values()].map(({ task }) => task.neo.id)
      expect(ids).toEqual([...new Set(ids)])
      expect(
        [...world.tasks.values()].filter(({ gitStatus }) => gitStatus === 'new' || gitStatus === 'stale'),
      ).toEqual([])
      expect([world.deleted, settled(world)]).toEqual([[], []])
    }),
    RUNS,
  )
})

/** Statuses that a person changed and nobody has committed; invalid files wait for their mending. */
function settled(world: World): readonly string[] {
  const { tasks, invalid } = pictureOf(world).snapshot
  return [...tasks.values()]
    .filter(
      ({ gitStatus, committedStatus, task, path }) =>
        gitStatus === 'edited' &&
        committedStatus !== null &&
        committedStatus !== task.status &&
        !invalid.has(path),
    )
    .map(({ path }) => path)
}
