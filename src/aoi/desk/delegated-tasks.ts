/**
 * Tasks that agents of other homes have handed over. Invariant 1: a request makes one task, also if it is sent again after a
 * crash: the task's id follows from it. Invariant 2: the agent hears of the end once its notification was taken.
 */
import type { Snapshot } from '../../domain/plan/snapshot.ts'
import { HUB_CODES, HubError, type Hub } from '../../hub/hub.ts'
import { viewDelegated } from '../../hub/methods/agents/incoming-tasks.ts'
import type { Clock } from '../../ports/world.ts'
import { AgentRefusal, AOI_CODES, type Delegated, type ExecuteParams } from '../agent-core.ts'
import { refusalOf } from './refusals.ts'
import { idOf, MOST_OPEN, type PeerRequest, type Requests } from './requests.ts'

export interface TaskDeps {
  readonly hub: Pick<Hub, 'call'>
  readonly clock: Clock
  readonly requests: Requests
  changed(request: PeerRequest): void
  ended(request: PeerRequest, task: Delegated): void
  /** Resolves when something of the agent may have changed, or after the time. */
  change(agentId: string, ms: number): Promise<void>
}

/** A caller that doesn't want to wait long for the end gets the state after this. */
const LONGEST_WAIT_MS = 25_000

/** A task may be younger than the last look. */
const NEW_MS = 60_000

/** A request that is made, with the id of its task. */
interface Made {
  readonly taskId: string
  readonly agentId: string
  readonly requestId: string
  readonly params: ExecuteParams
}

export class Tasks {
  /** Requests that are looked up or made at this moment, by task id. */
  private readonly beginning = new Map<string, Made & { readonly state: Promise<Delegated> }>()

  constructor(private readonly deps: TaskDeps) {}

  async execute(agentId: string, requestId: string, params: ExecuteParams): Promise<Delegated> {
    const { requests, clock, change } = this.deps
    const values = Object.entries(params.taskParams).toSorted(([a], [b]) => (a < b ? -1 : 1))
    const taskId = idOf({ kind: 'task', agentId, requestId }, [params.taskType, values, params.scope])
    let state = await this.begin({ taskId, agentId, requestId, params })
    const end = clock.now() + LONGEST_WAIT_MS
    while (!params.isAsync && state.status === 'pending' && clock.now() < end) {
      await change(agentId, Math.max(1, end - clock.now()))
      state = (await this.get(agentId, taskId)) ?? this.gone(requests.get(taskId))
    }
    return state
  }

  /** Finds or makes the task of a request. */
  private begin(made: Made): Promise<Delegated> {
    const begun = this.beginning.get(made.taskId)
    if (begun !== undefined) return begun.state
    const state = this.findOrMake(made).finally(() => this.beginning.delete(made.taskId))
    this.beginning.set(made.taskId, { ...made, state })
    return state
  }

  private async findOrMake(made: Made): Promise<Delegated> {
    const known = this.deps.requests.get(made.taskId)
    const begun = await this.get(made.agentId, made.taskId)
    // A crash came before the request was noted.
    if (begun?.status === 'pending' && known === null) this.note(made, null)
    return begun ?? (known === null ? await this.make(made) : this.gone(known))
  }

  async get(agentId: string, taskId: string): Promise<Delegated | null> {
    try {
      return (await this.deps.hub.call(asPeer(agentId), 'aoi.task.get', { taskId })) as Delegated
    } catch (error) {
      if (error instanceof HubError && NOT_THERE.has(error.code)) return null
      throw refusalOf(error, { permission: 'read', scope: [] })
    }
  }

  async all(agentId: string): Promise<readonly Delegated[]> {
    return (await this.deps.hub.call(asPeer(agentId), 'aoi.task.list', {})) as readonly Delegated[]
  }

  async cancel(agentId: string, taskId: string): Promise<Delegated | null> {
    const state = await this.get(agentId, taskId)
    if (state === null || state.status !== 'pending') return null
    await this.deps.hub.call(asPeer(agentId), 'task.cancel', { taskId })
    return await this.get(agentId, taskId)
  }

  /** Of several with this id, as from a client that counts from 1 again, the newest. */
  async cancelRequest(agentId: string, requestId: string): Promise<Delegated | null> {
    const isOf = (one: Pick<PeerRequest, 'agentId' | 'requestId'>): boolean =>
      one.agentId === agentId && one.requestId === requestId
    await Promise.allSettled([...this.beginning.values()].filter(isOf).map(({ state }) => state))
    const asked = this.deps.requests.open().findLast((one) => one.kind === 'task' && isOf(one))
    return asked === undefined ? null : await this.cancel(agentId, asked.id)
  }

  /** After each look of the daemon. */
  saw(snapshot: Snapshot): void {
    const open = this.deps.requests.open().filter(({ kind }) => kind === 'task')
    if (open.length === 0) return
    const files = new Map([...snapshot.tasks.values()].map((file) => [file.task.neo.id, file]))
    for (const request of open) {
      const file = files.get(request.taskId ?? '')
      const state = file === undefined ? this.missing(request, snapshot) : viewDelegated(file)
      if (state === null || state.status === 'pending') continue
      const ended: PeerRequest = { ...request, status: state.status }
      this.deps.requests.set(ended)
      this.deps.changed(ended)
      this.deps.ended(ended, state)
    }
  }

  private async make(of: Made): Promise<Delegated> {
    const { agentId, taskId, params } = of
    const { hub, requests } = this.deps
    const { taskType, taskParams, scope } = params
    if (requests.open().filter((one) => one.agentId === agentId).length >= MOST_OPEN)
      throw new AgentRefusal(AOI_CODES.busy, 'Too many of your requests are open', { retry_after: 60 })
    const contextScope = scope.map(({ type, identifier }) => ({ type, identifier }))
    try {
      const given = { taskType, taskParams, contextScope, taskId }
      const made = (await hub.call(asPeer(agentId), 'aoi.task.execute', given)) as Delegated & {
        readonly roomId: string
      }
      this.note(of, made.roomId)
      return made
    } catch (error) {
      throw refusalOf(error, { permission: 'write', scope })
    }
  }

  private note({ taskId, agentId, requestId, params }: Made, roomId: string | null): void {
    const { clock, requests, changed } = this.deps
    const { taskType: text, scope } = params
    const request: PeerRequest = {
      ...{ id: taskId, agentId, requestId, kind: 'task', text, scope, status: 'running' },
      at: new Date(clock.now()).toISOString(),
      ...{ roomId, askId: null, taskId, priority: 'normal', notifies: true },
    }
    requests.set(request)
    changed(request)
  }

  /** A task that a person has deleted; null while the home can't tell. */
  private missing(request: PeerRequest, snapshot: Snapshot): Delegated | null {
    const isNew = this.deps.clock.now() - Date.parse(request.at) < NEW_MS
    return snapshot.git.kind === 'home' && !isNew ? this.gone(request) : null
  }

  private gone(request: PeerRequest | null): Delegated {
    const updatedAt = new Date(this.deps.clock.now()).toISOString()
    const error = 'the task was deleted'
    return { taskId: request?.id ?? '', status: 'failed', state: 'deleted', error, updatedAt }
  }
}

const NOT_THERE: ReadonlySet<number> = new Set([HUB_CODES.missing, HUB_CODES.denied])

function asPeer(agentId: string) {
  return { kind: 'peer', id: agentId } as const
}
