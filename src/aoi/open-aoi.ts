/**
 * The agent protocol of a home: what its agent is asked, what it asks, and the server where others reach it. Invariant 1:
 * without `agent.id` in neo.yaml nothing listens and nobody is asked. Invariant 2: a change of neo.yaml or of a file in
 * `workspace/agents/` counts at the next request.
 */
import type { Snapshot } from '../domain/plan/snapshot.ts'
import { type Bucket, take } from '../domain/peer/rate-limit.ts'
import { attachPeerWork } from '../engine/agents/peer-work.ts'
import { peersIn } from '../engine/people/peer-files.ts'
import { type Hub, HubError } from '../hub/hub.ts'
import type { PeerControl } from '../hub/peer-control.ts'
import type { Notice, RpcDeps } from './aoi-rpc.ts'
import { AwaitedAsks } from './desk/awaited-asks.ts'
import { type Desk, openDesk } from './desk/desk.ts'
import type { PeerRequest } from './desk/requests.ts'
import { Listener } from './listener.ts'
import { laterAnswers, tellAnswer } from './out/later-answers.ts'
import { peerWork } from './out/peer-work-here.ts'
import { type AoiOptions, AT_ONCE, controlOf, openParts, type Parts } from './parts.ts'
import { Presence } from './presence.ts'

export interface Aoi extends PeerControl {
  /** After each look of the daemon. */
  saw(snapshot: Snapshot): void
  close(): Promise<void>
}

export function openAoi(options: AoiOptions): Aoi {
  const { context, wire, changed } = options
  const parts = openParts(options)
  const { requests, notifications, news, own, ask, key } = parts
  const desk = openDesk(parts)
  const presence = presenceOf(parts)
  const asks = new AwaitedAsks(context.world.clock)
  const rpc = rpcFor(parts, { desk, presence })
  const seen = (id: string) => presence.seen(id)
  const listener = new Listener({ context, wire, core: desk.core, key, rpc, seen, changed })
  begin(parts, { desk, presence, listener })
  return {
    ...controlOf(parts, { requests: () => requests, own: () => own }),
    listening: () => listener.state(),
    state: (id) => presence.state(id),
    query: (to, of) => ask(own, to, of).finally(changed),
    revoked: (id) => revoked(parts, desk, id),
    approved: (answer) => desk.queries.approved(answer),
    saw(snapshot) {
      listener.saw()
      presence.saw()
      desk.tasks.saw(snapshot)
      const waiting = requests.open().filter(({ askId }) => askId !== null)
      for (const request of asks.over(snapshot, waiting))
        desk.queries.refuse(request, 'its owner has refused')
    },
    async close() {
      presence.close()
      desk.queries.close()
      notifications.close()
      news.close()
      await listener.close()
    },
  }
}

interface Opened {
  readonly desk: Desk
  readonly presence: Presence
  readonly listener: Listener
}

function begin(parts: Parts, { desk, presence, listener }: Opened): void {
  const { context, outgoing, news, peer, config, notifications } = parts
  const { world } = context
  const now = () => world.clock.now()
  attachPeerWork(world, peerWork({ outgoing, news, notifications, now, peer, isOn: () => config() !== null }))
  listener.saw()
  desk.queries.begin()
  notifications.begin()
  presence.begin()
}

function presenceOf(parts: Parts): Presence {
  const { context, config, outgoing, changed } = parts
  const catchUp = laterAnswers(parts)
  return new Presence({
    clock: context.world.clock,
    intervalMs: () => config()?.discoveryIntervalMs ?? USUAL_INTERVAL_MS,
    peers: () => (config() === null ? [] : peersIn(context)),
    changed,
    async beat(to) {
      const found = await outgoing.discover(to, true)
      await catchUp(to)
      return found.find(({ id }) => id === to.id)?.status === 'busy' ? 'busy' : 'online'
    },
  })
}

const USUAL_INTERVAL_MS = 60_000

async function revoked(parts: Parts, { queries }: Desk, id: string): Promise<void> {
  const { requests, notifications, own, hub, changed } = parts
  for (const request of requests.open().filter((one) => one.agentId === id)) {
    if (request.kind === 'query') queries.refuse(request, 'this agent is revoked')
    else await cancelTask(hub, request)
  }
  notifications.forget(id)
  own.end(id, 'you have revoked this agent')
  changed()
}

async function cancelTask(hub: Hub, { taskId }: PeerRequest): Promise<void> {
  try {
    await hub.call({ kind: 'human' }, 'task.cancel', { taskId })
  } catch (error) {
    // It has ended, or a person has deleted it.
    if (!(error instanceof HubError)) throw error
  }
}

/** The parts of AOI that are not questions or tasks: the rate, discovery, and what other agents notify. */
function rpcFor(parts: Parts, { desk, presence }: Pick<Opened, 'desk' | 'presence'>): RpcDeps {
  const { context, hub, queue, mustBe } = parts
  const { clock } = context.world
  const rates = new Map<string, Bucket>()
  return {
    core: desk.core,
    self: () => mustBe().id,
    rate(id) {
      const took = take(rates.get(id), clock.now(), mustBe().rate)
      rates.set(id, took.state)
      return took.ok ? null : took.retryAfterMs
    },
    async discover(id) {
      const found = (await hub.call({ kind: 'peer', id }, 'aoi.discover', {})) as readonly Found[]
      const own = queue.load() >= AT_ONCE ? 'busy' : 'online'
      const self = mustBe().id
      return {
        agents: found.map((one) => wireAgent(one, one.id === self ? own : presence.state(one.id).status)),
      }
    },
    notified: (id, notice) => takeNotice(parts, id, notice),
  }
}

function takeNotice({ context, news, own, changed }: Parts, id: string, notice: Notice): void {
  news.tell(id)
  const answered = own.notified(id, notice)
  if (notice.event === 'task.completed') return
  if (answered === null) {
    context.emit({ kind: 'agent', text: `${id} sent ${notice.event}, which nobody waits for` })
    return
  }
  changed()
  tellAnswer(context, answered, answered.answer)
}

interface Found {
  readonly id: string
  readonly role: string | null
  readonly owner: string | null
  readonly endpoint: string | null
  readonly contexts: readonly unknown[]
}

function wireAgent({ id, role, owner, endpoint, contexts }: Found, status: string) {
  return { identity: { id, role, owner, capabilities: { contexts } }, endpoint, status }
}
