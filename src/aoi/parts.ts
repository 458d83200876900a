/** What the parts of the agent protocol share: settings as they are now, the key, the stores, the way out. */
import { dirname } from 'node:path'
import type { AgentConfig, Peer } from '../domain/peer/peer.ts'
import type { Context } from '../engine/context.ts'
import { peerIn } from '../engine/people/peer-files.ts'
import { type Hub, HUB_CODES, HubError } from '../hub/hub.ts'
import type { AnswerView, PeerControl, PeerQuery } from '../hub/peer-control.ts'
import type { PeerWire } from '../ports/peer-port.ts'
import { type FairQueue, openFairQueue } from './desk/fair-queue.ts'
import { type News, openNews } from './news.ts'
import { openRequests, type Requests, viewRequest } from './desk/requests.ts'
import { CANCEL, Notifications } from './out/notify-queue.ts'
import { Outgoing } from './out/outgoing.ts'
import { askKept, OwnQueries } from './out/own-queries.ts'
import { cancelThere } from './out/peer-work-here.ts'
import { type KeyFile, keyFile } from './wire/agent-key.ts'
import { openPeerClient } from './wire/peer-client.ts'

export interface AoiOptions {
  readonly context: Context
  readonly wire: PeerWire
  /** As clients from outside call it. */
  readonly hub: Hub
  /** Told when requests or the presence of agents have changed. */
  changed(): void
}

export interface Parts extends AoiOptions {
  /** Null: the protocol is off. */
  config(): AgentConfig | null
  /** Throws HubError `busy` if the protocol is off. */
  mustBe(): AgentConfig
  /** Null: not known, or revoked. */
  peer(id: string): Peer | null
  readonly key: KeyFile
  readonly outgoing: Outgoing
  readonly requests: Requests
  readonly news: News
  readonly notifications: Notifications
  readonly own: OwnQueries
  /** Asks, and keeps what came back. */
  ask(own: OwnQueries, to: Peer, of: PeerQuery): Promise<AnswerView>
  readonly queue: FairQueue
}

/** Pieces of work at the same time; each is short, or waits for a model. */
export const AT_ONCE = 8

export function openParts(options: AoiOptions): Parts {
  const { context } = options
  const { world, dir } = context
  const { files, clock } = world
  const peer = (id: string) => {
    const found = peerIn(context, id)
    return found === null || found.revoked ? null : found
  }
  const way = openWay(context, options.wire)
  return {
    ...options,
    ...way,
    peer,
    requests: openRequests(files, dir),
    news: openNews(clock),
    notifications: new Notifications({
      files,
      clock,
      dir,
      peer,
      send: (to, one) =>
        one.event === CANCEL ? cancelThere(way.outgoing, to, one) : way.outgoing.notify(to, one),
    }),
    own: new OwnQueries(files, dir, () => clock.now()),
    queue: openFairQueue(() => AT_ONCE),
  }
}

/** What is needed to ask others, with a daemon or without. */
export function openWay({ world, dir, look }: Context, wire: PeerWire) {
  const config = (): AgentConfig | null => look.config().agent
  const mustBe = (): AgentConfig => config() ?? off()
  const self = () => mustBe().id
  const key = keyFile({ wire, files: world.files, dir: dirname(dir) })
  const client = openPeerClient({ wire, key: () => key.read(), self, now: () => world.clock.now() })
  const outgoing = new Outgoing({ wire, client, self })
  const ask = (own: OwnQueries, to: Peer, of: PeerQuery) =>
    askKept(own, { to, of, id: world.random.id('r'), send: (sent) => outgoing.query(to, sent) })
  return { config, mustBe, key, outgoing, ask }
}

/** What a daemon and a program without one do alike. */
export function controlOf(
  { key, outgoing }: Pick<Parts, 'key' | 'outgoing'>,
  { requests, own }: { readonly requests: () => Requests; readonly own: () => OwnQueries },
) {
  return {
    key: () => key.make(),
    publicKey: () => key.publicKey(),
    requests: (most) => requests().all().toReversed().slice(0, most).map(viewRequest),
    asked: (most) => own().all(most),
    inspect: (endpoint) => outgoing.inspect(endpoint),
    discover: (peer) => outgoing.discover(peer, false),
    execute: (peer, of) => outgoing.execute(peer, of),
  } satisfies Partial<PeerControl>
}

function off(): never {
  throw new HubError(HUB_CODES.busy, 'The agent protocol is off: set agent.id in neo.yaml')
}
