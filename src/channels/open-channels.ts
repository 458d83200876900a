/**
 * Opens the queues between channels and Neo, with notices and the heartbeat. Invariant 1: all state is in
 * `<git dir>/neo/queues/`, and a start continues where the last one ended. Invariant 2: a channel that fails is reported, and the
 * others continue.
 */
import { join } from 'node:path'
import { whyOf } from '../domain/home/error.ts'
import type { Snapshot } from '../domain/plan/snapshot.ts'
import { CHANNEL_NAMES, type ChannelName } from '../domain/policy/channel-kinds.ts'
import { LOBBY } from '../domain/policy/policy.ts'
import { NO_MODEL } from '../engine/agents/agents.ts'
import type { Context } from '../engine/context.ts'
import { membersIn } from '../engine/people/member-files.ts'
import { HUB_CODES, type Hub, HubError } from '../hub/hub.ts'
import { openQueue } from '../store/durable-queue.ts'
import type { ChannelOptions, MessageQueues, OpenChannel } from './channel.ts'
import { type Held, type Inbound, type Place, principalOf } from './channel-message.ts'
import { afterAnswer, scopeControl } from './channel-scopes.ts'
import { addresseeOf, type Notices, openNotices } from './delivery/notice-queue.ts'
import { Sending } from './delivery/outbound.ts'
import { openTaskEnds } from './delivery/task-ends.ts'
import { openHeartbeat } from './heartbeat.ts'
import { Receiving } from './inbox/inbound.ts'

interface QueuesOptions {
  readonly context: Context
  readonly hub: Pick<Hub, 'call'>
  readonly wake: () => void
  readonly trouble: (channel: string, why: string | null) => void
}

const CHATS = 4

export function openMessageQueues(options: QueuesOptions): MessageQueues {
  const { context } = options
  let seen: Snapshot | null = null
  const { sending, notices } = openSending(options)
  const receiving = openReceiving(options, { sending, seen: () => seen })
  const held = openQueue<Held>(context.world.files, join(context.dir, 'queues', 'media.jsonl'))
  const ends = openTaskEnds({ context, hub: options.hub, sending })
  const detach = context.scopes.attach(scopeControl(context, { receiving, sending, held }))
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
    held,
    attach(channel, commands) {
      sending.attach(channel)
      receiving.attach(channel.name, { commands, busy: channel.busy.bind(channel) })
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

function openSending({ context, trouble }: QueuesOptions): { sending: Sending; notices: Notices } {
  const { files, clock } = context.world
  const sending = new Sending({
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

function openReceiving({ context, hub, wake }: QueuesOptions, { sending, seen }: Beside): Receiving {
  return new Receiving({
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

const CHANNELS: Readonly<Record<ChannelName, () => Promise<OpenChannel>>> = {
  telegram: async () => (await import('./telegram/open-telegram.ts')).openTelegram,
}

interface ChannelsOptions extends Omit<ChannelOptions, 'trouble'> {
  readonly trouble: (channel: ChannelName, why: string | null) => void
}

const LOOK_MS = 2_000
/** A full disk, or a file that another program holds. */
const RETRY_MS = 5_000

/** Opens each channel once neo.yaml enables it. Returns what closes them. Never throws. */
export function openEnabledChannels(options: ChannelsOptions): () => Promise<void> {
  const closing = CHANNEL_NAMES.map((name) => openWhenEnabled(options, name))
  return async () => void (await Promise.all(closing.map((close) => close())))
}

function openWhenEnabled({ trouble, ...of }: ChannelsOptions, name: ChannelName): () => Promise<void> {
  const { look, world } = of.context
  let cancel = (): void => {}
  let closed = false
  let opening: Promise<(() => Promise<void>) | null> = Promise.resolve(null)
  const open = async () => {
    const openChannel = await CHANNELS[name]()
    return closed ? null : openChannel({ ...of, trouble: (why) => trouble(name, why) })
  }
  const tick = (): void => {
    const channels = (look.config().rest['channels'] ?? {}) as Partial<Record<ChannelName, unknown>>
    const { enabled } = (channels[name] ?? {}) as { readonly enabled?: unknown }
    if (enabled !== true) cancel = world.clock.after(LOOK_MS, tick)
    else
      opening = open().catch((error: unknown) => {
        trouble(name, whyOf(error))
        cancel = world.clock.after(RETRY_MS, tick)
        return null
      })
  }
  tick()
  return async () => {
    closed = true
    cancel()
    await (await opening)?.()
  }
}
