/**
 * Pull requests of tasks in review, opened and followed in the background, so that a slow forge blocks nothing.
 * Invariants: 1. one request a task at a time; 2. at most one state query a minute; 3. a failure is reported and retried
 * after a wait; 4. what was opened is followed, also if git takes back that the task says so.
 */
import { whyOf } from '../../domain/home/error.ts'
import type { PullFact } from '../../domain/plan/snapshot.ts'
import type { Place } from '../../domain/session/session.ts'
import { dueAgain } from '../../domain/text/grown-wait.ts'
import type { Forges, PullRequest } from '../../ports/forge-port.ts'
import type { Clock } from '../../ports/world.ts'
import type { ActedLog } from '../commit/acted-log.ts'

export interface Pulls {
  /** What is known; older than a minute, it is queried again. */
  follow(of: {
    readonly task: string
    readonly place: Place
    readonly branch: string
    readonly known: boolean
  }): PullFact | undefined
  open(of: {
    readonly task: string
    readonly place: Place
    readonly branch: string
    readonly title: string
    readonly body: string
    /** Only this commit is pushed. */
    readonly commit?: string
  }): void
  /** What a push would send, and where to; null if there is nothing to push, or no remote. */
  target(place: Place, branch: string): Promise<{ readonly remote: string; readonly commit: string } | null>
  /** Reports why nothing is sent. */
  refuse(task: string, error: string): void
  forget(keep: ReadonlySet<string>): void
}

const LOOK_EVERY_MS = 60_000
const RETRY_MS = 5 * 60_000

interface Known {
  fact: PullFact | undefined
  at: number
  busy: boolean
}

export function openPulls(options: {
  readonly forges: Forges | null
  readonly clock: Clock
  readonly env: Readonly<Record<string, string | undefined>>
  readonly changed: () => void
  readonly acted: ActedLog
}): Pulls {
  const { forges, clock, env, changed, acted } = options
  const known = new Map<string, Known>()

  function of(task: string): Known {
    const one = known.get(task) ?? { fact: undefined, at: Number.NEGATIVE_INFINITY, busy: false }
    known.set(task, one)
    return one
  }

  function run(one: Known, work: Promise<PullRequest | null | { readonly wrong: string }>): void {
    one.busy = true
    const failed = (error: string): PullFact => ({ kind: 'failed', error, at: clock.now() + RETRY_MS })
    void work
      .then((found) => (found === null ? undefined : 'wrong' in found ? failed(found.wrong) : factOf(found)))
      .catch((error: unknown) => failed(whyOf(error)))
      .then((fact) => {
        const differs = JSON.stringify(fact) !== JSON.stringify(one.fact)
        Object.assign(one, { fact, at: clock.now(), busy: false })
        if (differs) changed()
      })
  }

  return {
    follow({ task, place, branch, known: isNamed }) {
      const one = of(task)
      const hasPull = isNamed || acted().get(keyOf(task, branch)) !== null
      const due = clock.now() >= dueAgain(one.at, LOOK_EVERY_MS, clock.now())
      if (forges !== null && hasPull && !one.busy && due) run(one, forges.state({ place, branch, env }))
      return one.fact ?? (one.busy ? { kind: 'opening' } : undefined)
    },
    open({ task, ...request }) {
      const one = of(task)
      if (one.busy) return
      one.fact = { kind: 'opening' }
      const opened = forges?.open({ ...request, env }).then((found) => {
        if (!('wrong' in found)) acted().set({ id: keyOf(task, request.branch) })
        return found
      })
      run(one, opened ?? NO_FORGES)
    },
    target: async (place, branch) => forges?.target(place, branch) ?? null,
    refuse(task, error) {
      of(task).fact = { kind: 'failed', error, at: clock.now() + RETRY_MS }
      changed()
    },
    forget(keep) {
      for (const [task, { busy }] of known) if (!keep.has(task) && !busy) known.delete(task)
    },
  }
}

const NO_FORGES = Promise.resolve({ wrong: 'this build has no support for forges' })

function keyOf(task: string, branch: string): string {
  return `pull:${task}:${branch}`
}

function factOf({ state, url, reason }: PullRequest): PullFact {
  return state === 'closed' ? { kind: 'closed', url, reason: reason ?? '' } : { kind: state, url }
}
