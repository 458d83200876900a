/**
 * What this process knows of scopes beside their files: which are silent now, and who holds their conversations.
 * Invariant 1: without a bus nobody holds a conversation: files may be changed as they are.
 */
import type { OfScope } from './scope-queues.ts'
import type { ScopeTasks } from './scope-tasks.ts'

/** Whoever answers in scopes, as the hub asks it. */
export interface ScopeControl {
  /** Closes the conversation after the turn that runs, and begins anew; the transcript stays. */
  renew(scope: string): Promise<void>
  /** Ends what is being answered there, forgets what was in memory, and answers nothing more until it is released. */
  hold(scope: string): Promise<{ release(): void }>
  /** Takes its messages out of both queues, for good. Gives how many waited. */
  forget(scope: OfScope): number
  /** Puts a file into the outgoing queue, for that conversation. */
  send(scope: OfScope, file: { readonly key: string; readonly path: string; readonly name: string }): void
  /** What waits to be sent there. */
  sending(scope: OfScope): number
  /** Messages that wait there or are being answered. */
  waiting(scope: string): number
}

export interface ScopeBoard {
  /** Somebody is inside who may not be, or nobody knows who is; null: all is well again. */
  silence(scope: string, why: string | null): void
  silenced(scope: string): string | null
  /** Gives what takes it away. */
  attach(control: ScopeControl): () => void
  control(): ScopeControl | null
  /** Another queue that holds messages of scopes. Gives what takes it away. */
  alsoForgets(forget: (of: OfScope) => number): () => void
  /** Of those queues. */
  forget(of: OfScope): number
  readonly tasks: ScopeTasks
}

export function openScopeBoard(tasks: ScopeTasks): ScopeBoard {
  const silent = new Map<string, string>()
  const others = new Set<(of: OfScope) => number>()
  let attached: ScopeControl | null = null
  return {
    silence(scope, why) {
      if (why === null) silent.delete(scope)
      else silent.set(scope, why)
    },
    silenced: (scope) => silent.get(scope) ?? null,
    attach(control) {
      attached = control
      return () => {
        if (attached === control) attached = null
      }
    },
    control: () => attached,
    alsoForgets(forget) {
      others.add(forget)
      return () => void others.delete(forget)
    },
    forget(of) {
      tasks.forget(of.name)
      return [...others].reduce((sum, forget) => sum + forget(of), 0)
    },
    tasks,
  }
}
