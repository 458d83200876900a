/**
 * The laws of what sessions want, over homes with sessions in every state: each want is put once, answered to the session
 * that has it, and no ask is withdrawn that a session waits for.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Ask } from '../../../src/domain/ask/ask.ts'
import type { Decision } from '../../../src/domain/plan/decision.ts'
import type { Want } from '../../../src/domain/session/session.ts'
import type { AskFile, SessionFact, TaskFile } from '../../../src/domain/plan/snapshot.ts'
import { TASK_STATUSES } from '../../../src/domain/task/task.ts'
import { indexOf } from '../../../src/domain/task/depends.ts'
import { askPath, decideWants } from '../../../src/domain/plan/plan-wants.ts'
import { AFTER, askFile, BEFORE, facts, NOW, session, snapshot, taskFile } from '../../builders.ts'

const one = fc.constantFrom
const KINDS = ['question', 'approval', 'memory', 'spawn'] as const

const WANT = fc.record({
  kind: one(...KINDS),
  /** What there is of it already. */
  file: one('none', 'open', 'approved', 'denied', 'answered', 'expired', 'handled'),
  moved: fc.boolean(),
  task: one(...TASK_STATUSES),
})
const HOME = fc.array(
  fc.record({
    state: one('live', 'dormant', 'ended'),
    room: one('shop', 'attic'),
    wants: fc.array(WANT, { maxLength: 4 }),
  }),
  { maxLength: 4 },
)
type Of<A> = A extends fc.Arbitrary<infer T> ? T : never

/** A home whose decisions can be carried out. */
class World {
  readonly sessions = new Map<string, SessionFact>()
  readonly asks = new Map<string, AskFile>()
  readonly tasks = new Map<string, TaskFile>()
  /** `<session> <key>` of every answer that was handed over. */
  readonly answers: string[] = []
  readonly put: string[] = []
  now = NOW

  decide(): Decision[] {
    const picture = snapshot({ asks: [...this.asks.values()], tasks: [...this.tasks.values()] })
    const known = facts({ sessions: [...this.sessions.values()] })
    const index = indexOf(picture.tasks)
    return decideWants({ snapshot: picture, facts: known, now: this.now, index, wake: () => {} })
  }

  want(id: string, key: string): Want {
    const want = this.sessions.get(id)?.wants?.find((each) => each.key === key)
    if (want === undefined) throw new Error(`${id} has no want ${key}`)
    return want
  }

  close(id: string, key: string): void {
    const fact = this.sessions.get(id)
    if (fact === undefined) throw new Error(`no session ${id}`)
    this.sessions.set(id, { ...fact, wants: (fact.wants ?? []).filter((want) => want.key !== key) })
    this.answers.push(`${id} ${key}`)
  }

  apply(decision: Decision): void {
    switch (decision.kind) {
      case 'want': {
        const want = this.want(decision.session, decision.key)
        this.put.push(want.id)
        const room = this.sessions.get(decision.session)?.record.room ?? ''
        if (want.kind === 'memory') this.close(decision.session, decision.key)
        else if (want.kind === 'spawn') this.addTask(want.id, 'pending')
        else this.addAsk(want, { session: decision.session, room })
        return
      }
      case 'answer':
        this.close(decision.session, decision.key)
        this.handle(decision.path)
        return
      case 'settle':
      case 'withdraw':
        this.handle(decision.path)
        return
      case 'report':
        this.close(decision.session, decision.key)
        return
      default:
        throw new Error(`plan-wants decided ${decision.kind}`)
    }
  }

  addTask(id: string, status: (typeof TASK_STATUSES)[number]): void {
    const file = taskFile(id, { status, neo: { id } })
    this.tasks.set(file.path, file)
  }

  addAsk(want: Want, of: { session: string; room: string }, over: Partial<Ask> = {}): void {
    const kind = want.kind === 'question' ? 'question' : 'approval'
    const file = askFile(want.id, { kind, session: of.session, ...over }, want.tool ?? 'question')
    const path = askPath(of.room, want.id)
    this.asks.set(path, { ...file, path, room: of.room })
  }

  handle(path: string): void {
    const file = this.asks.get(path)
    if (file === undefined) throw new Error(`no ask ${path}`)
    this.asks.set(path, { ...file, hash: `${file.hash}+`, ask: { ...file.ask, handledAt: AFTER } })
  }
}

const STATES: Readonly<Record<string, Partial<Ask>>> = {
  open: {},
  approved: { decision: 'approved' },
  denied: { decision: 'denied' },
  answered: { answer: 'Blue.' },
  expired: { expiresAt: BEFORE },
  handled: { decision: 'approved', answer: 'Blue.', handledAt: BEFORE },
}

function build(home: Of<typeof HOME>): World {
  const world = new World()
  for (const [n, { state, room, wants }] of home.entries()) {
    const id = `s-n${n}`
    const made = wants.map(
      ({ kind }, at): Want => ({ key: `k${at}`, kind, text: 'x', id: `${kind}-${n}-${at}` }),
    )
    // As engine/agents/live-sessions.ts: nobody reads the mailbox of a session that is over.
    const has = state === 'ended' ? {} : { wants: made }
    world.sessions.set(id, session(`n${n}`, { state, record: { id, room }, ...has }))
    for (const [at, { kind, file, moved, task }] of wants.entries()) {
      const want = made[at]
      if (want === undefined || file === 'none' || kind === 'memory') continue
      if (kind === 'spawn') world.addTask(want.id, task)
      else world.addAsk(want, { session: id, room: moved ? 'press' : room }, STATES[file])
    }
  }
  return world
}

const anyWorld = HOME.map(build)

/** Rounds until nothing is decided; `see` looks at each decision before it is carried out. */
function settle(world: World, see: (decision: Decision) => void = () => {}): void {
  for (let rounds = 0; ; rounds++) {
    expect(rounds).toBeLessThan(4)
    const decisions = world.decide()
    if (decisions.length === 0) return
    for (const decision of decisions) {
      see(decision)
      world.apply(decision)
    }
  }
}

test('decideWants() comes to rest in a few rounds, and says the same when it is asked twice', () => {
  fc.assert(
    fc.property(anyWorld, (world) => {
      expect(world.decide()).toEqual(world.decide())
      settle(world)
      expect(world.decide()).toEqual([])
    }),
    { numRuns: 500 },
  )
})

test('decideWants() puts no want twice and hands over no answer twice', () => {
  fc.assert(
    fc.property(anyWorld, (world) => {
      settle(world)
      expect(world.put).toEqual([...new Set(world.put)])
      expect(world.answers).toEqual([...new Set(world.answers)])
    }),
    { numRuns: 500 },
  )
})

test('decideWants() hands an answer to the session whose ask it is, whatever the file says of its session', () => {
  fc.assert(
    fc.property(anyWorld, fc.boolean(), (world, swapped) => {
      if (swapped)
        for (const [path, file] of world.asks)
          world.asks.set(path, { ...file, ask: { ...file.ask, session: 's-n0' } })
      settle(world, (decision) => {
        if (decision.kind !== 'answer') return
        const { id } = world.want(decision.session, decision.key)
        const room = world.sessions.get(decision.session)?.record.room ?? ''
        expect(decision.path).toBe(askPath(room, id))
      })
    }),
    { numRuns: 500 },
  )
})

test('decideWants() withdraws no ask that a session at work waits for', () => {
  fc.assert(
    fc.property(anyWorld, (world) => {
      settle(world, (decision) => {
        if (decision.kind !== 'withdraw') return
        const waited = [...world.sessions.values()].flatMap(({ record, wants = [], state }) =>
          state === 'ended' ? [] : wants.map(({ id }) => askPath(record.room, id)),
        )
        expect(waited).not.toContain(decision.path)
      })
    }),
    { numRuns: 500 },
  )
})

test('decideWants() leaves no ask of a session open that is over', () => {
  fc.assert(
    fc.property(anyWorld, (world) => {
      settle(world)
      for (const { ask } of world.asks.values())
        if (world.sessions.get(ask.session ?? '')?.state === 'ended') expect(ask.handledAt).toBeDefined()
    }),
    { numRuns: 500 },
  )
})

test('a want is put again where its ask was deleted or moved, and the file that was moved counts for nothing', () => {
  const world = build([
    {
      state: 'live',
      room: 'shop',
      wants: [{ kind: 'approval', file: 'approved', moved: true, task: 'pending' }],
    },
  ])
  expect(world.decide().map(({ kind }) => kind)).toEqual(['want', 'withdraw'])
  settle(world)
  expect([world.answers, world.put]).toEqual([[], ['approval-0-0']])
})

test('an ask that nobody answers is looked at again when its time is over', () => {
  const world = build([
    {
      state: 'live',
      room: 'shop',
      wants: [{ kind: 'question', file: 'open', moved: false, task: 'pending' }],
    },
  ])
  const picture = snapshot({ asks: [...world.asks.values()] })
  const known = facts({ sessions: [...world.sessions.values()] })
  const wakes: number[] = []
  const scene = { snapshot: picture, facts: known, index: indexOf(picture.tasks) }
  expect(decideWants({ ...scene, now: NOW, wake: (at) => void wakes.push(at) })).toEqual([])
  expect(wakes).toEqual([Date.parse(AFTER)])
  const late = decideWants({ ...scene, now: Date.parse(AFTER), wake: () => {} })
  expect(late.map(({ kind }) => kind)).toEqual(['answer'])
})

test('a subagent is reported when it has ended, and when its work waits for a person', () => {
  for (const status of ['completed', 'failed', 'cancelled', 'review'] as const) {
    const world = build([
      { state: 'live', room: 'shop', wants: [{ kind: 'spawn', file: 'open', moved: false, task: status }] },
    ])
    expect(world.decide().map(({ kind }) => kind)).toEqual(['report'])
  }
})
