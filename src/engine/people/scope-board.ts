/**
 * What this process knows of scopes beside their files: where Neo doesn't reply, and what controls their conversations.
 * Without channels nothing does, and files may be changed directly.
 */
import type { OfScope } from './scope-queues.ts'
import type { ScopeTasks } from './scope-tasks.ts'

/** Conversations as the hub controls them. */
export interface ScopeControl {
  /** Closes the conversation after the running turn and starts a new one; the transcript stays. */
  renew(scope: string): Promise<void>
  /** Stops the running turn, drops the conversation from memory, and replies no more until released. */
  hold(scope: string): Promise<{ release(): void }>
  /** Removes its messages from both queues; returns how many waited. */
  forget(scope: OfScope): number
  /** Queues a file to be sent there. */
  send(scope: OfScope, file: { readonly key: string; readonly path: string; readonly name: string }): void
  /** How many messages wait to be sent there. */
  sending(scope: OfScope): number
  /** How many messages wait for a reply. */
  waiting(scope: string): number
}

export interface ScopeBoard {
  /** Why Neo doesn't reply there (unknown or excluded people are inside); null: it does. */
  silence(scope: string, why: string | null): void
  silenced(scope: string): string | null
  /** Returns what detaches it. */
  attach(control: ScopeControl): () => void
  control(): ScopeControl | null
  /** Registers another queue with messages of scopes; returns what removes it. */
  alsoForgets(forget: (of: OfScope) => number): () => void
  /** Removes a scope's messages from those queues; returns how many. */
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
