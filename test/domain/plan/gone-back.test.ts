/** Tasks whose file git has in an older version again, after a reset or a revert. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plan } from '../../../src/domain/plan/plan.ts'
import type { Facts, TaskFile } from '../../../src/domain/plan/snapshot.ts'
import { facts, NOW, snapshot, taskFile } from '../../builders.ts'
import { live } from './acts.ts'
import { anyAct, workingHome } from './homes.ts'

function decide(file: TaskFile, known: Facts) {
  return plan(snapshot({ tasks: [file] }), known, NOW).decisions
}

/** Git has an older version again: what was started is not started again by itself. */
test.each([
  ['pending', undefined, 1, 'block'],
  ['pending', 1, 2, 'block'],
  ['pending', 2, 2, 'start'],
  ['in_progress', 1, 1, 'block'],
  ['in_progress', 2, 1, 'requeue'],
] as const)(
  'plan() with status %s, attempt %s of the file and %s started',
  (status, attempt, started, kind) => {
    const attempts = new Map([['t-a', started]])
    const neo = attempt === undefined ? {} : { attempt }
    const known = facts({ attempts })
    const block = kind === 'block' ? { by: null } : {}
    expect(decide(taskFile('a', { status, neo }), known)).toMatchObject([{ kind, ...block }])
    const edited = { status, neo, gitStatus: 'edited', committedStatus: 'failed' } as const
    expect(decide(taskFile('a', edited), known)[0]?.kind).not.toBe('block')
    const human = { status, neo, worker: { kind: 'human' } } as const
    expect(decide(taskFile('a', human), known).map((one) => one.kind)).not.toContain('block')
  },
)

/** Much goes back in git, and much ends. */
const GOING_BACK = fc.array(
  anyAct.filter(({ kind }) => kind === 'go-back' || kind === 'end' || kind === 'set-status'),
  { minLength: 10, maxLength: 30, size: 'max' },
)

test('plan() starts no attempt twice after git went back, unless a person has just set the status', () => {
  let held = 0
  fc.assert(
    fc.property(workingHome, GOING_BACK, (world, acts) => {
      live(world, acts, (decision) => {
        if (decision.kind === 'block' && decision.by === null) held++
        if (decision.kind !== 'start') return
        const { task, gitStatus } = world.tasks.get(decision.path) as TaskFile
        if (decision.attempt <= (world.attempts.get(task.neo.id ?? '') ?? 0)) expect(gitStatus).toBe('edited')
      })
    }),
    { numRuns: 600 },
  )
  expect(held).toBeGreaterThan(10)
})
