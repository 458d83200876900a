/**
 * What this home asks of agents of other homes. Invariant 1: only agents with a file in `workspace/agents/` are asked, at
 * the endpoint and under the key that the file says. Invariant 2: what they answer is data: it is checked here, and bounded.
 */
import { z } from 'zod'
import { mapIn } from '../../domain/text/is-map.ts'
import type { Peer } from '../../domain/peer/peer.ts'
import { HUB_CODES, HubError } from '../../hub/hub.ts'
import type {
  AnswerView,
  DelegatedView,
  FoundAgent,
  Inspected,
  PeerQuery,
  PeerTask,
} from '../../hub/peer-control.ts'
import type { PeerWire } from '../../ports/peer-port.ts'
import type { PeerWork } from '../../runner/deps.ts'
import { AOI_CODES } from '../agent-core.ts'
import type { Notification } from './notify-queue.ts'
import { isInward } from '../wire/inward-endpoint.ts'
import type { PeerClient } from '../wire/peer-client.ts'
import { answered, brief, executed, foundAgents, identity, viewAnswer } from './wire-answers.ts'

interface Options {
  readonly wire: PeerWire
  readonly client: PeerClient
  /** Throws HubError `busy` if the home has no agent. */
  self(): string
}

const USUAL_MS = 15_000
/** For the other home to answer in, on top of what it was given. */
const MARGIN_MS = 10_000
/** Longer than another home waits for the end of a task. */
const TASK_MS = 40_000

interface Called<T extends z.ZodType> {
  readonly method: string
  readonly params: object
  readonly shape: T
  readonly id: string
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

export class Outgoing {
  constructor(private readonly options: Options) {}

  async inspect(endpoint: string): Promise<Inspected> {
    const url = new URL('/aoi/v1/identity', endpoint).href
    const request = { url, method: 'GET', headers: {}, body: '', trust: null, timeoutMs: USUAL_MS } as const
    const reply = await this.options.wire.send(request)
    if (reply.kind !== 'reply') throw new HubError(HUB_CODES.busy, `Cannot reach ${endpoint}: ${reply.why}`)
    const read = identity.safeParse(mapIn(reply.body))
    if (reply.status !== 200 || !read.success)
      throw new HubError(HUB_CODES.busy, `No agent answers at ${endpoint}: check the address and the port`)
    const { seen } = reply
    const isOwn = seen === null || seen.publicKey === read.data.publicKey
    return { ...read.data, certificate: isOwn ? null : seen.certificate }
  }

  async discover(peer: Peer, announce: boolean): Promise<readonly FoundAgent[]> {
    const params = { agent_id: this.self(), capabilities: { actions: [], contexts: [] }, announce }
    const of = { method: 'aoi.discover', params, shape: foundAgents, id: 'discover', timeoutMs: USUAL_MS }
    const { agents } = await this.call(peer, of)
    return agents.map(({ identity: one, endpoint = null, status }) => {
      const { id, role = null, owner = null, capabilities } = one
      // Nobody is led to this machine or its network by an announcement.
      const shown = endpoint === null || isInward(endpoint) ? null : endpoint
      return { id, role, owner, endpoint: shown, status, contexts: capabilities?.contexts ?? [] }
    })
  }

  async query(peer: Peer, of: PeerQuery & { readonly requestId: string }): Promise<AnswerView> {
    const { query, scope, priority, isAsync, timeoutS, requestId } = of
    const params = {
      ...{ from: this.self(), to: peer.id, query, context_scope: scope },
      ...{ priority, async: isAsync, timeout: timeoutS },
    }
    const timeoutMs = timeoutS * 1_000 + MARGIN_MS
    const called = { method: 'aoi.query', params, shape: answered, id: requestId, timeoutMs }
    return viewAnswer(await this.call(peer, called), requestId)
  }

  async execute(peer: Peer, of: PeerTask, signal?: AbortSignal): Promise<DelegatedView> {
    const { requestId, taskType, taskParams, scope, isAsync } = of
    const params = {
      ...{ from: this.self(), to: peer.id, task_type: taskType, task_params: taskParams },
      ...{ context_scope: scope, async: isAsync },
    }
    const called = {
      method: 'aoi.task.execute',
      params,
      shape: executed,
      id: requestId,
      timeoutMs: TASK_MS,
      signal,
    }
    const { task_id: taskId, status, message = status, output, error } = await this.call(peer, called)
    return {
      ...{ taskId, status, state: message },
      ...(output === undefined ? {} : { output }),
      ...(error === undefined ? {} : { error }),
    }
  }

  async cancel(peer: Peer, of: Parameters<PeerWork['cancel']>[1]): Promise<void> {
    const which = 'taskId' in of ? { task_id: of.taskId } : { request_id: of.requestId }
    const params = { from: this.self(), to: peer.id, ...which }
    const shape = z.unknown()
    await this.call(peer, { method: 'aoi.task.cancel', params, shape, id: 'cancel', timeoutMs: USUAL_MS })
  }

  /** True when it was taken, or refused for good. */
  async notify(peer: Peer, { event, relatedQueryId, data, at }: Notification): Promise<boolean> {
    const timestamp = new Date(at).toISOString()
    const of = { event, related_query_id: relatedQueryId, data, timestamp }
    const params = { from: this.self(), to: peer.id, ...of }
    const reply = await this.options.client.notify(peer, 'aoi.notify', params, { timeoutMs: USUAL_MS })
    // Busy and too many requests pass; another refusal stays.
    const { busy, rate } = AOI_CODES
    return reply.kind === 'sent' || (reply.kind === 'error' && reply.code !== busy && reply.code !== rate)
  }

  private self(): string {
    return this.options.self()
  }

  private async call<T extends z.ZodType>(peer: Peer, of: Called<T>): Promise<z.output<T>> {
    const { method, params, shape, id, timeoutMs, signal } = of
    const limits = { id, timeoutMs, ...(signal === undefined ? {} : { signal }) }
    const reply = await this.options.client.call(peer, method, params, limits)
    if (reply.kind === 'trouble') throw new HubError(HUB_CODES.busy, `Cannot reach ${peer.id}: ${reply.why}`)
    if (reply.kind === 'error') throw refusedBy(peer, reply)
    const read = shape.safeParse(reply.result)
    if (read.success) return read.data
    const why = 'it is not as the agent protocol says'
    throw new HubError(HUB_CODES.busy, `Cannot read the answer of ${peer.id}: ${why}`)
  }
}

function refusedBy(
  peer: Peer,
  { code, message, data }: { readonly code: number; readonly message: string; readonly data?: unknown },
): HubError {
  const { reason, retry_after: after, suggestion } = (data ?? {}) as Readonly<Record<string, unknown>>
  const why = [
    reason,
    typeof after === 'number' ? `try again in ${after} s` : null,
    typeof suggestion === 'string' ? `its agent is ${suggestion}` : null,
  ]
    .filter((one): one is string => typeof one === 'string')
    .join('; ')
  const says = `${peer.id} refused: ${message.slice(0, 300)}${why === '' ? '' : ` (${why.slice(0, 300)})`}`
  return new HubError(code === AOI_CODES.params ? HUB_CODES.params : HUB_CODES.busy, says, {
    ...{ agent: peer.id, code },
    ...(typeof reason === 'string' ? { reason: brief(reason) } : {}),
  })
}
