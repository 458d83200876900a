/**
 * What a task in review needs: its branch merged again, its pull request opened and followed, its end noticed. Pure.
 * Invariant 1: what was merged, wherever and by whomever, completes the task; what was closed or lost fails it.
 */
import type { Decision } from './decision.ts'
import type { Permission } from '../home/home-config.ts'
import type { Facts, TaskFile } from './snapshot.ts'
import type { Asked } from '../ask/approve.ts'
import type { Settings } from '../task/task-settings.ts'

interface Scene {
  readonly facts: Facts
  readonly now: number
  readonly settings: Settings
  /** What the room says of pushes. */
  readonly push: Permission
  /** What was asked about pushing this task's work. */
  readonly asked: () => Asked
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
          error: `branch ${task.neo.branch ?? ''} was deleted before it was merged`,
        }
      )
    case 'open':
      // What is held is the user's to merge: `neo review accept`.
      if (scene.settings.review === 'none')
        return task.neo.hold === undefined ? { kind: 'merge', path, hash } : null
      return scene.settings.review === 'pr' ? pull(file, scene) : null
  }
}

function pull(file: TaskFile, scene: Scene): Decision | null {
  const { path, hash, task } = file
  const fact = scene.facts.pulls.get(task.neo.id ?? '')
  if (fact === undefined) return task.neo.pr === undefined ? outgoing(file, scene) : null
  switch (fact.kind) {
    case 'opening':
      return null
    case 'failed':
      if (task.neo.error !== fact.error)
        return { kind: 'published', path, hash, url: null, error: fact.error }
      if (task.neo.pr === undefined && scene.now >= fact.at) return outgoing(file, scene)
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

/** If the room requires it, nothing leaves the machine before a person approves. */
function outgoing({ path, hash }: TaskFile, { push, asked, wake }: Scene): Decision | null {
  if (push !== 'ask') return { kind: 'publish', path, hash }
  const { verdict, ask } = asked()
  const isHandled = ask?.ask.handledAt !== undefined
  if (verdict === 'denied' && isHandled) return null
  if (verdict === 'none' || isHandled) return { kind: 'open-ask', path, hash, about: 'push' }
  if (verdict === 'approved') return { kind: 'publish', path, hash }
  if (verdict !== 'pending') return { kind: 'close-ask', path, hash, ask: ask.path, verdict }
  if (ask.ask.expiresAt !== undefined) wake(Date.parse(ask.ask.expiresAt))
  return null
}

/** Where a forge deletes the branch after the merge, the pull request says how it ended. */
function pulled({ path, hash, task }: TaskFile, { facts }: Scene): Decision | null {
  const fact = facts.pulls.get(task.neo.id ?? '')
  if (fact?.kind === 'merged') return { kind: 'merged', path, hash, commit: '' }
  if (fact?.kind !== 'closed') return null
  const reason = fact.reason === '' ? '' : `: ${fact.reason}`
  return { kind: 'lost', path, hash, error: `the pull request was closed${reason}` }
}
