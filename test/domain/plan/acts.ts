/**
 * What happens to a home from outside: people edit, copy, move and delete files and answer asks, sessions end, the
 * daemon is killed between two halves of an effect. Takes the world of world.ts and changes it.
 */
import type { Decision } from '../../../src/domain/plan/decision.ts'
import type { Outcome } from '../../../src/domain/session/session.ts'
import type { TaskFile } from '../../../src/domain/plan/snapshot.ts'
import type { TaskStatus } from '../../../src/domain/task/task.ts'
import { done } from '../../builders.ts'
import { apply, finishFile, next, planOf, put, setSession, startRecord, type World } from './world.ts'

export type Act =
  | { readonly kind: 'set-status'; readonly at: number; readonly status: TaskStatus }
  | { readonly kind: 'save-old' | 'copy' | 'move' | 'delete'; readonly at: number }
  | { readonly kind: 'answer'; readonly at: number; readonly decision: 'approved' | 'denied' }
  | { readonly kind: 'end'; readonly at: number; readonly outcome: Outcome }
  /** `git reset` or `git revert`: the file is as it was `back` versions ago. */
  | { readonly kind: 'go-back'; readonly at: number; readonly back: number }
  | { readonly kind: 'crash' }

export function act(world: World, what: Act): void {
  switch (what.kind) {
    case 'set-status':
      withFile(world, what.at, (file) => setStatus(world, file, what.status))
      break
    case 'save-old':
      withFile(world, what.at, (file) => saveOld(world, file))
      break
    case 'copy':
      withFile(world, what.at, (file) => put(world, twin(world, file)))
      break
    case 'move':
      withFile(world, what.at, (file) => {
        remove(world, file)
        put(world, twin(world, file))
      })
      break
    case 'delete':
      withFile(world, what.at, (file) => remove(world, file))
      break
    case 'go-back':
      withFile(world, what.at, ({ path }) => {
        const version = world.versions.get(path)?.at(-1 - what.back)
        if (version === undefined) return
        world.committed.delete(path)
        put(world, version)
      })
      break
    case 'answer':
      answer(world, what)
      break
    case 'end':
      end(world, what)
      break
    case 'crash':
      crash(world)
      break
  }
}

function withFile(world: World, at: number, change: (file: TaskFile) => void): void {
  const files = [...world.tasks.values()]
  const file = files[at % files.length]
  if (file !== undefined) change(file)
}

/** On a file that is in order; what a person does to another is an edit of the same kind. */
function setStatus(world: World, file: TaskFile, status: TaskStatus): void {
  const { gitStatus, committedStatus } = file
  const edited =
    gitStatus === 'same' ? ({ gitStatus: 'edited', committedStatus: file.task.status } as const) : {}
  put(world, { ...file, committedStatus, ...edited, task: { ...file.task, status } })
}

function saveOld(world: World, file: TaskFile): void {
  if (file.gitStatus !== 'same') return
  world.committed.set(file.path, file.task.neo)
  put(world, { ...file, gitStatus: 'stale', task: { ...file.task, neo: {} } })
}

function twin(world: World, file: TaskFile): TaskFile {
  const name = next(world, 'n')
  const path = `rooms/${file.room}/tasks/${name}.md`
  const neo = world.committed.get(file.path) ?? file.task.neo
  return { ...file, name, path, gitStatus: 'new', committedStatus: null, task: { ...file.task, neo } }
}

function remove(world: World, file: TaskFile): void {
  const { path, room } = file
  const taskId = world.committed.get(path)?.id ?? file.task.neo.id ?? null
  world.tasks.delete(path)
  world.committed.delete(path)
  if (file.gitStatus !== 'new') world.deleted = [...world.deleted, { path, taskId, room }]
}

function answer(world: World, of: Extract<Act, { kind: 'answer' }>): void {
  const open = [...world.asks.values()].filter(({ ask }) => ask.decision === 'pending' && !ask.handledAt)
  const ask = open[of.at % open.length]
  if (ask === undefined) return
  const { decision } = of
  const decidedAt = new Date(world.now).toISOString()
  world.asks.set(ask.path, { ...ask, ask: { ...ask.ask, decision, decidedAt } })
}

function end(world: World, of: Extract<Act, { kind: 'end' }>): void {
  const live = [...world.sessions.values()].filter(({ state }) => state === 'live')
  const fact = live[of.at % live.length]
  if (fact !== undefined) setSession(world, fact.record.id, { state: 'ended', outcome: of.outcome })
}

/** The daemon is gone and there again: runners are not, nor is what they knew of stops. */
export function crash(world: World): void {
  for (const [id, { state }] of world.sessions)
    if (state === 'live') setSession(world, id, { state: 'dormant', stopping: false })
}

/** Half of an effect, as a kill leaves it; whole effects where a commit makes them one thing. */
export function applyHalf(world: World, decision: Decision): void {
  switch (decision.kind) {
    case 'start':
      startRecord(world, world.tasks.get(decision.path) as TaskFile)
      break
    case 'finish':
      finishFile(world, world.tasks.get(decision.path) as TaskFile, decision)
      break
    default:
      apply(world, decision)
  }
  crash(world)
}

/** The next thing that happens by itself: a session ends well, an ask is approved, a time comes. Gives what it was. */
export function passTime(world: World, wakeAt: number | null): 'ended' | 'answered' | 'woke' | 'nothing' {
  if ([...world.sessions.values()].some(({ state }) => state === 'live')) {
    act(world, { kind: 'end', at: 0, outcome: done() })
    return 'ended'
  }
  if ([...world.asks.values()].some(({ ask }) => ask.decision === 'pending' && !ask.handledAt)) {
    act(world, { kind: 'answer', at: 0, decision: 'approved' })
    return 'answered'
  }
  if (wakeAt === null) return 'nothing'
  world.now = wakeAt
  return 'woke'
}

/** Lets acts and rounds alternate; looks at each decision before it is carried out. */
export function live(world: World, acts: readonly Act[], see: (decision: Decision) => void): void {
  for (const what of acts) {
    for (const decision of planOf(world).decisions) {
      see(decision)
      apply(world, decision)
    }
    act(world, what)
  }
}
