/** Tasks with `worker: peer:ID`: asked for and followed over the agent protocol. */
import type { Peer } from '../../domain/peer/peer.ts'
import { HUB_CODES, HubError } from '../../hub/hub.ts'
import type { PeerWork } from '../../runner/deps.ts'
import type { News } from '../news.ts'
import { CANCEL, type Notification, type Notifications } from './notify-queue.ts'
import type { Outgoing } from './outgoing.ts'
import { brief } from './wire-answers.ts'

interface Options {
  readonly outgoing: Outgoing
  readonly news: News
  readonly notifications: Pick<Notifications, 'put'>
  /** Epoch ms. */
  now(): number
  /** Null: not known, or revoked. */
  peer(id: string): Peer | null
  isOn(): boolean
}

/** The protocol's refusals that another try would not change. */
const FOR_GOOD: ReadonlySet<unknown> = new Set([-32600, -32601, -32602, -32001, -32002, -32003])

export function peerWork({ outgoing, news, notifications, now, peer, isOn }: Options): PeerWork {
  return {
    hindrance(agentId) {
      if (!isOn()) return 'the agent protocol is off: set agent.id in neo.yaml'
      const known = peer(agentId)
      if (known === null) return `agent ${agentId} not found, or revoked: see workspace/agents/`
      return known.endpoint === undefined ? `workspace/agents/${agentId}.md has no endpoint` : null
    },
    async execute({ agentId, requestId, taskType, taskParams, scope }, signal) {
      const known = peer(agentId)
      if (known === null) return { kind: 'refused', why: `agent ${agentId} was removed or revoked` }
      try {
        const of = { requestId, taskType, taskParams, scope, isAsync: true }
        const { taskId, status, state, output, error } = await outgoing.execute(known, of, signal)
        return { kind: 'task', taskId, status, state: brief(state), text: brief(output ?? error ?? '') }
      } catch (thrown) {
        if (!(thrown instanceof HubError)) throw thrown
        return { kind: isForGood(thrown) ? 'refused' : 'trouble', why: brief(thrown.message) }
      }
    },
    cancel(agentId, of) {
      const [relatedQueryId = ''] = Object.values(of)
      notifications.put({ agentId, event: CANCEL, relatedQueryId, data: of, at: now() })
    },
    news: (agentId, ms, signal) => news.wait(agentId, ms, signal),
  }
}

/** True when the other home has taken it, or has nothing to cancel. */
export async function cancelThere(
  outgoing: Outgoing,
  to: Peer,
  { data }: Pick<Notification, 'data'>,
): Promise<boolean> {
  try {
    await outgoing.cancel(to, data as Parameters<PeerWork['cancel']>[1])
    return true
  } catch (thrown) {
    return isForGood(thrown)
  }
}

function isForGood(thrown: unknown): boolean {
  if (!(thrown instanceof HubError)) return false
  const { code } = (thrown.data ?? {}) as { readonly code?: unknown }
  return thrown.code === HUB_CODES.params || FOR_GOOD.has(code)
}
