/**
 * What a task in review needs: its branch merged again, its pull request opened and followed, its end noticed. Pure.
 * Takes the task file, facts and time; gives one decision or null. Leaves to flow/pulls.ts: talking to the forge.
 * Invariant 1: what was merged, wherever and by whomever, completes the task; what was closed or lost fails it.
 */
import type { Decision } from '../model/decision.ts'
import type { Facts, TaskFile } from '../model/snapshot.ts'
import type { Settings } from './settings.ts'

interface Scene {
  readonly facts: Facts
  readonly now: number
  readonly settings: Settings
  readonly wake: (at: number) => void
}

export function decideReview(file: TaskFile, scene: Scene): Decision | null {
  const { path, hash, task } = file
  const fact = scene.facts.branches.get(task.neo.id ?? '')
  if (fact === undefined) return null
  switch (fact.kind) {
    case 'merged':
      return { kind: 'merged', path, hash, commit: fact.commit }
    case 'gone':
      return (
        pulled(file, scene) ?? {
          kind: 'lost',
          path,
          hash,
          error: `branch ${task.neo.branch ?? ''} is gone and was not merged`,
        }
      )
    case 'open':
      if (scene.settings.review === 'none') return { kind: 'merge', path, hash }
      return scene.settings.review === 'pr' ? pull(file, scene) : null
  }
}

function pull(file: TaskFile, scene: Scene): Decision | null {
  const { path, hash, task } = file
  const fact = scene.facts.pulls.get(task.neo.id ?? '')
  if (fact === undefined) return task.neo.pr === undefined ? { kind: 'publish', path, hash } : null
  switch (fact.kind) {
    case 'opening':
      return null
    case 'failed':
      if (task.neo.error !== fact.error)
        return { kind: 'published', path, hash, url: null, error: fact.error }
      if (task.neo.pr === undefined && scene.now >= fact.at) return { kind: 'publish', path, hash }
      scene.wake(fact.at)
      return null
    case 'open':
      return task.neo.pr === fact.url && task.neo.error === undefined
        ? null
        : { kind: 'published', path, hash, url: fact.url, error: null }
    case 'merged':
    case 'closed':
      return pulled(file, scene)
  }
}

/** Where a forge deletes the branch after the merge, the pull request says how it ended. */
function pulled({ path, hash, task }: TaskFile, { facts }: Scene): Decision | null {
  const fact = facts.pulls.get(task.neo.id ?? '')
  if (fact?.kind === 'merged') return { kind: 'merged', path, hash, commit: '' }
  if (fact?.kind !== 'closed') return null
  const reason = fact.reason === '' ? '' : `: ${fact.reason}`
  return { kind: 'lost', path, hash, error: `the pull request was closed${reason}` }
}
