/** The laws of tasks in review: they come to rest whatever branch and forge say, and what was merged completes the task. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Decision } from '../../../src/domain/plan/decision.ts'
import type { BranchFact, PullFact, TaskFile } from '../../../src/domain/plan/snapshot.ts'
import { decideReview } from '../../../src/domain/plan/plan-review.ts'
import { settingsOf } from '../../../src/domain/task/task-settings.ts'
import { config, facts, NOW, taskFile } from '../../builders.ts'

const one = fc.constantFrom
const URL = 'https://forge.example/1'

const BRANCH = one<BranchFact | undefined>(
  { kind: 'open', ahead: 1 },
  { kind: 'open', ahead: 1 },
  { kind: 'merged', commit: 'c1' },
  { kind: 'gone' },
  undefined,
)
const PULL = one<PullFact | undefined>(
  undefined,
  { kind: 'opening' },
  { kind: 'open', url: URL },
  { kind: 'open', url: `${URL}2` },
  { kind: 'merged', url: URL },
  { kind: 'closed', url: URL, reason: 'no' },
  { kind: 'failed', error: 'no answer', at: NOW + 1000 },
  { kind: 'failed', error: 'no answer', at: NOW - 1000 },
)
const SCENE = fc.record({
  branch: BRANCH,
  pull: PULL,
  review: one('none' as const, 'branch' as const, 'pr' as const),
  pr: one(undefined, URL),
  error: one(undefined, 'no answer', 'it conflicts'),
})
type Drawn = typeof SCENE extends fc.Arbitrary<infer T> ? T : never

function fileOf({ review, pr, error }: Pick<Drawn, 'review' | 'pr' | 'error'>): TaskFile {
  const neo = {
    branch: 'neo/a',
    ...(pr === undefined ? {} : { pr }),
    ...(error === undefined ? {} : { error }),
  }
  return taskFile('a', { status: 'review', review, neo })
}

function decide(file: TaskFile, { branch, pull }: Pick<Drawn, 'branch' | 'pull'>): Decision | null {
  const known = facts({
    branches: new Map(branch === undefined ? [] : [['t-a', branch]]),
    pulls: new Map(pull === undefined ? [] : [['t-a', pull]]),
  })
  const settings = settingsOf(file.task, null, config())
  const asked = () => ({ verdict: 'none', ask: null }) as const
  return decideReview(file, { facts: known, now: NOW, settings, push: 'allow', asked, wake: () => {} })
}

/** As effects/publish.ts writes it. */
function published(file: TaskFile, { url, error }: Extract<Decision, { kind: 'published' }>): TaskFile {
  const { pr: before, error: _, ...neo } = file.task.neo
  const pr = url ?? before
  const kept = { ...neo, ...(pr === undefined ? {} : { pr }), ...(error === null ? {} : { error }) }
  return { ...file, task: { ...file.task, neo: kept } }
}

test('what is written down of a pull request is written once', () => {
  fc.assert(
    fc.property(SCENE, (scene) => {
      const file = fileOf(scene)
      const decision = decide(file, scene)
      if (decision?.kind !== 'published') return
      expect(decide(published(file, decision), scene)?.kind).not.toBe('published')
    }),
  )
})

test('a forge that does not answer takes no pull request away, and no second one is opened', () => {
  fc.assert(
    fc.property(SCENE, (scene) => {
      if (scene.pr === undefined || scene.pull?.kind !== 'failed') return
      const file = fileOf(scene)
      const decision = decide(file, scene)
      const after = decision?.kind === 'published' ? published(file, decision) : file
      expect(after.task.neo.pr).toBe(URL)
      expect(decide(after, scene)?.kind).not.toBe('publish')
    }),
  )
})

test('a failure is no longer said when the pull request is seen again', () => {
  const scene = { review: 'pr', pr: URL, error: 'no answer', branch: { kind: 'open', ahead: 1 } } as const
  const decision = decide(fileOf(scene), { branch: scene.branch, pull: { kind: 'open', url: URL } })
  expect(decision).toMatchObject({ kind: 'published', url: URL, error: null })
})

test('what was merged completes the task, what is gone or closed fails it, and nothing is known means wait', () => {
  fc.assert(
    fc.property(SCENE, (scene) => {
      const kind = decide(fileOf(scene), scene)?.kind
      if (scene.branch === undefined) expect(kind).toBeUndefined()
      if (scene.branch?.kind === 'merged') expect(kind).toBe('merged')
      if (scene.branch?.kind === 'gone') expect(['merged', 'lost']).toContain(kind)
      if (scene.review === 'branch' && scene.branch?.kind === 'open') expect(kind).toBeUndefined()
      if (kind === 'publish') expect([scene.review, scene.pr]).toEqual(['pr', undefined])
    }),
  )
})
