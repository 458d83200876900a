/** The parts of AOI that are not questions or tasks: the rate, discovery, and what other agents notify. */
import { type Bucket, take } from '../domain/peer/rate-limit.ts'
import type { Notice, RpcDeps } from './aoi-rpc.ts'
import type { Desk } from './desk/desk.ts'
import { AT_ONCE, type Parts } from './parts.ts'
import { tellAnswer } from './out/later-answers.ts'
import type { Presence } from './presence.ts'

interface Beside {
  readonly desk: Desk
  readonly presence: Presence
}

export function rpcFor(parts: Parts, { desk, presence }: Beside): RpcDeps {
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
