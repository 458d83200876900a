/**
 * An AgentCore in memory. Queries and tasks stay open until the test changes them. Calls are idempotent by peer and
 * request id; what belongs to another peer doesn't exist. Context `hidden/*` is refused as denied, `unknown/*` as not found.
 * The task type is `fix-bug` only.
 */
import {
  type AgentCore,
  AgentRefusal,
  type Answer,
  type Delegated,
  type ExecuteParams,
  type QueryParams,
} from '../../src/aoi/agent-core.ts'
import type { ContextRef } from '../../src/domain/peer/peer.ts'

export interface MemoryCore extends AgentCore {
  /** Changes a query or task, and tells those who watch. */
  change(id: string, change: Partial<Answer> | Partial<Delegated>): void
  /** Every call is refused so, until null. */
  refuse(refusal: AgentRefusal | null): void
  /** What was started, in order. */
  readonly started: readonly { readonly peer: string; readonly id: string; readonly params: object }[]
  watchers(): number
}

interface Entry {
  readonly peer: string
  readonly requestId: string
  answer?: Answer
  task?: Delegated
}

class Memory implements MemoryCore {
  readonly started: { peer: string; id: string; params: object }[] = []
  private readonly entries = new Map<string, Entry>()
  private readonly watching = new Set<{ peer: string; changed: () => void }>()
  private refusal: AgentRefusal | null = null

  self(peer: string | null) {
    const contexts: readonly ContextRef[] =
      peer === null ? [] : [{ type: 'repository', identifier: 'acme/webapp' }]
    return {
      id: 'eng-suzuki',
      role: 'engineer',
      owner: 'suzuki',
      contexts,
      taskTypes: peer === null ? [] : ['fix-bug'],
    }
  }

  async query(peer: string, requestId: string, params: QueryParams): Promise<Answer> {
    this.check(params.scope)
    const entry = this.entryOf(peer, requestId, params)
    const [id, own] = entry
    own.answer ??= { queryId: id, completed: false, summary: '', refs: [] }
    return own.answer
  }

  async answer(peer: string, queryId: string): Promise<Answer | null> {
    if (this.refusal !== null) throw this.refusal
    return this.own(peer, queryId)?.answer ?? null
  }

  async execute(peer: string, requestId: string, params: ExecuteParams): Promise<Delegated> {
    this.check(params.scope)
    if (params.taskType !== 'fix-bug')
      throw new AgentRefusal(-32602, 'Unknown task type', { allowed: ['fix-bug'] })
    const [id, own] = this.entryOf(peer, requestId, params)
    own.task ??= { taskId: id, status: 'pending', state: 'pending', updatedAt: timeOf(this.started.length) }
    return own.task
  }

  async task(peer: string, taskId: string): Promise<Delegated | null> {
    if (this.refusal !== null) throw this.refusal
    return this.own(peer, taskId)?.task ?? null
  }

  async tasks(peer: string): Promise<readonly Delegated[]> {
    const own = [...this.entries.values()].filter((entry) => entry.peer === peer)
    return own.flatMap(({ task }) => (task === undefined ? [] : [task]))
  }

  async cancel(peer: string, taskId: string): Promise<Delegated | null> {
    const task = this.own(peer, taskId)?.task
    if (task === undefined || task.status !== 'pending') return null
    this.change(taskId, { status: 'failed', state: 'cancelled' })
    return this.own(peer, taskId)?.task ?? null
  }

  async cancelRequest(): Promise<Delegated | null> {
    return null
  }

  watch(peer: string, changed: () => void): () => void {
    const watcher = { peer, changed }
    this.watching.add(watcher)
    return () => void this.watching.delete(watcher)
  }

  watchers(): number {
    return this.watching.size
  }

  change(id: string, change: Partial<Answer> | Partial<Delegated>): void {
    const entry = this.entries.get(id)
    if (entry?.answer !== undefined) entry.answer = { ...entry.answer, ...(change as Partial<Answer>) }
    if (entry?.task !== undefined) entry.task = { ...entry.task, ...(change as Partial<Delegated>) }
    for (const watcher of this.watching) if (watcher.peer === entry?.peer) watcher.changed()
  }

  refuse(refusal: AgentRefusal | null): void {
    this.refusal = refusal
  }

  private check(scope: readonly ContextRef[]): void {
    if (this.refusal !== null) throw this.refusal
    for (const { identifier } of scope) {
      if (identifier.startsWith('hidden/'))
        throw new AgentRefusal(-32001, 'Permission denied', { required_permission: 'read' })
      if (identifier.startsWith('unknown/'))
        throw new AgentRefusal(-32002, 'Context not found', { requested_scope: identifier })
    }
  }

  private entryOf(peer: string, requestId: string, params: object): readonly [string, Entry] {
    for (const [id, entry] of this.entries)
      if (entry.peer === peer && entry.requestId === requestId) return [id, entry]
    const id = `w-${this.started.length + 1}`
    const entry = { peer, requestId }
    this.entries.set(id, entry)
    this.started.push({ peer, id, params })
    return [id, entry]
  }

  private own(peer: string, id: string): Entry | null {
    const entry = this.entries.get(id)
    return entry?.peer === peer ? entry : null
  }
}

export function memoryCore(): MemoryCore {
  return new Memory()
}

/** The later it was started, the later its time. */
function timeOf(count: number): string {
  return new Date(Date.UTC(2026, 0, 1, 0, count)).toISOString()
}
