/**
 * Opens the queues between channels and Neo, with notices and the heartbeat. Invariant 1: all state is in
 * `<git dir>/neo/queues/`, and a start continues where the last one ended. Invariant 2: a failing channel is reported and
 * stops no other.
 */
import { join } from 'node:path'
import type { Trigger } from '../domain/plan/decision.ts'
import type { Snapshot } from '../domain/plan/snapshot.ts'
import { LOBBY } from '../domain/policy/policy.ts'
import type { Principal } from '../domain/policy/policy-acts.ts'
import { NO_MODEL } from '../engine/agents/agents.ts'
import type { Context } from '../engine/context.ts'
import { membersIn } from '../engine/people/member-files.ts'
import { HUB_CODES, type Hub, HubError } from '../hub/hub.ts'
import { openQueue } from '../store/durable-queue.ts'
import type { Channel } from './channel.ts'
import type { Inbound, Outbound, Place, Speaker } from './channel-message.ts'
import { afterAnswer, scopeControl } from './channel-scopes.ts'
import { addresseeOf, type Notices, openNotices } from './delivery/notice-queue.ts'
import { openOutbound, type Sending } from './delivery/outbound.ts'
import { openTaskEnds } from './delivery/task-ends.ts'
import { openHeartbeat } from './heartbeat.ts'
import { type Commands, openInbound, type Receiving } from './inbox/inbound.ts'

export interface BusOptions {
  readonly context: Context
  readonly hub: Pick<Hub, 'call'>
  readonly wake: () => void
  readonly trouble: (channel: string, why: string | null) => void
}

export interface Bus {
  /** It survives this process when it returns, and the machine when `kept` resolves: many are kept at once. */
  accept(message: Inbound): 'new' | 'known'
  kept(): Promise<void>
  /** Whether a message of this key was accepted before. */
  has(key: string): boolean
  put(message: Outbound): 'new' | 'known'
  /** Lets a channel send and be answered; gives what takes it away again. */
  attach(channel: Channel, commands: Commands): () => Promise<void>
  /** Triggers of a room, with the pictures that were sent with its messages. */
  pictured(triggers: readonly Trigger[]): readonly Trigger[]
  /** To be told of each round: what rooms say of notices, and what is new for them. */
  saw(snapshot: Snapshot): void
  /** What was seen last. */
  seen(): Snapshot | null
  /** What waits in both directions. */
  counts(): { readonly inbound: number; readonly outbound: number }
  close(): Promise<void>
}

/** What a channel is opened with. */
export interface ChannelOptions {
  readonly context: Context
  readonly hub: Pick<Hub, 'call'>
  readonly bus: Bus
  /** What is wrong with receiving; `null`: it works again. */
  readonly trouble: (why: string | null) => void
}

/** Returns what closes it. A change of its settings counts without opening it again. */
export type OpenChannel = (options: ChannelOptions) => () => Promise<void>

const CHATS = 4

export function openBus(options: BusOptions): Bus {
  const { context } = options
  let seen: Snapshot | null = null
  const { sending, notices } = openSending(options)
  const receiving = openReceiving(options, { sending, seen: () => seen })
  const ends = openTaskEnds({ context, hub: options.hub, sending })
  const detach = context.scopes.attach(scopeControl(context, { receiving, sending }))
  const stopBeating = openHeartbeat({
    context,
    accept: (message) => receiving.accept(message),
    resting: () => seen === null || context.turns.facts(true).turns.get(LOBBY)?.kind !== undefined,
  })
  return {
    accept: (message) => receiving.accept(message),
    kept: () => receiving.kept(),
    has: (key) => receiving.has(key),
    put: (message) => sending.put(message),
    attach(channel, commands) {
      sending.attach(channel)
      const busy = channel.busy?.bind(channel)
      receiving.attach(channel.name, busy === undefined ? { commands } : { commands, busy })
      return async () => {
        receiving.detach(channel.name)
        await sending.detach(channel.name)
      }
    },
    saw(snapshot) {
      seen = snapshot
      ends.saw(snapshot)
      notices.handOver(new Map([...snapshot.rooms].map(([name, { room }]) => [name, room])))
    },
    pictured: (triggers) => receiving.pictured(triggers),
    seen: () => seen,
    counts: () => ({ inbound: receiving.waiting(), outbound: sending.waiting() }),
    async close() {
      stopBeating()
      detach()
      await ends.close()
      await receiving.close()
      await sending.close()
    },
  }
}

function openSending({ context, trouble }: BusOptions): { sending: Sending; notices: Notices } {
  const { files, clock } = context.world
  const sending: Sending = openOutbound({
    queue: openQueue(files, join(context.dir, 'queues', 'outbound.jsonl')),
    clock,
    trouble,
    over: (message, sent) => {
      if (sent.kind !== 'never') return
      const text = `${message.channel} ${message.chatId}: message not delivered: ${sent.why}`
      context.emit({ kind: 'trouble', text })
    },
  })
  const notices = openNotices({
    outbox: context.outbox,
    sending,
    clock,
    timezone: () => context.look.config().timezone,
    members: () => membersIn(context),
  })
  return { sending, notices }
}

interface Beside {
  readonly sending: Sending
  readonly seen: () => Snapshot | null
}

function openReceiving({ context, hub, wake }: BusOptions, { sending, seen }: Beside): Receiving {
  return openInbound({
    context,
    queue: openQueue(context.world.files, join(context.dir, 'queues', 'inbound.jsonl')),
    sending,
    wake,
    permit: (message) => permit(hub, message),
    chats: () => chatsOf(context),
    blockedReason: (room) => blockedReasonOf(context, room, seen()),
    places: (room) => placesOf(context, room, seen()),
    answered: (scope) => afterAnswer(context, scope, 'answered'),
  })
}

/** Decided and recorded by the hub, as everything else. The home itself needs no permission. */
async function permit(hub: Pick<Hub, 'call'>, { speaker, room, scope }: Inbound): Promise<string | null> {
  if (speaker === 'system') return null
  try {
    const who = principalOf(speaker)
    const { type } = (await hub.call(who, 'scope.get', { scopeId: scope, roomId: room })) as { type: string }
    // There the room itself is talked to, in its own conversation.
    if (type === 'room') await hub.call(who, 'room.get', { roomId: room })
    return null
  } catch (error) {
    if (error instanceof HubError && error.code !== HUB_CODES.internal) return error.message
    throw error
  }
}

/** As the hub names who calls. */
export function principalOf(speaker: Exclude<Speaker, 'system'>): Principal {
  return speaker === 'human' ? { kind: 'human' } : { kind: 'member', id: speaker.slice('member:'.length) }
}

function placesOf(context: Context, room: string, snapshot: Snapshot | null): readonly Place[] {
  const named = snapshot?.rooms.get(room)?.room.notify ?? []
  const members = named.length === 0 ? [] : membersIn(context)
  return named.flatMap((entry): Place[] => {
    const to = addresseeOf(entry, members)
    return to === null ? [] : [to.place]
  })
}

function chatsOf({ look }: Context): number {
  const daemon = look.config().rest['daemon'] as { readonly chats?: unknown } | undefined
  return typeof daemon?.chats === 'number' ? daemon.chats : CHATS
}

function blockedReasonOf({ look }: Context, room: string, snapshot: Snapshot | null): string | null {
  if (look.config().model === 'rules') return NO_MODEL
  const status = snapshot?.rooms.get(room)?.room.status ?? 'active'
  return status === 'active' ? null : `room ${room} is ${status}`
}
