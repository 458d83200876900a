/**
 * Sends HEARTBEAT.md to Neo as a message from `system`, at intervals within active hours. Invariant 1: it costs nothing
 * without content, at night, during a turn or without a model. Invariant 2: each interval has one heartbeat, however often
 * the process starts; missed ones are not made up.
 */
import { join } from 'node:path'
import { whyOf } from '../domain/home/error.ts'
import { hasContent, scopeName } from '../domain/policy/known-people.ts'
import { LOBBY } from '../domain/policy/policy.ts'
import { durationMs } from '../files/values/duration.ts'
import { isoSecond } from '../files/values/times.ts'
import type { Context } from '../engine/context.ts'
import type { Inbound } from './channel-message.ts'
import { hourOf } from './delivery/notice-queue.ts'

export interface HeartbeatOptions {
  readonly context: Context
  readonly accept: (message: Inbound) => unknown
  /** True while Neo is busy in the lobby, or could not answer. */
  readonly resting: () => boolean
}

const EVERY_MS = 30 * 60_000
const HOURS = [8, 22] as const
const MOST_BYTES = 64 * 1024
const WORDS = 'Heartbeat. Check the items below. If there is nothing to do, reply exactly: Nothing to say.'

interface Rhythm {
  readonly everyMs: number
  readonly from: number
  readonly to: number
}

/** Returns what stops it. */
export function openHeartbeat(options: HeartbeatOptions): () => void {
  const { clock, files } = options.context.world
  const path = join(options.context.dir, 'queues', 'heartbeat.json')
  let ended = false
  let forget = (): void => {}

  function take(everyMs: number): void {
    const slot = Math.floor(clock.now() / everyMs) * everyMs
    const last = lastOf(files.readJson(path))
    // The slot that is under way at the first start has missed its heartbeat.
    if (last === slot || (last !== null && !due(options))) return
    // Its key is taken once: what cannot be noted now comes again, and is not heard again.
    const message = last === null ? null : messageOf(options.context, slot)
    if (message !== null) options.accept(message)
    files.writeJson(path, { last: slot })
  }

  function beat(): void {
    if (ended) return
    const { everyMs } = rhythmOf(options.context)
    try {
      take(everyMs)
    } catch (error) {
      options.context.emit({ kind: 'trouble', text: `heartbeat: ${whyOf(error)}; retrying` })
    } finally {
      forget = clock.after(Math.min(everyMs - (clock.now() % everyMs) + 1, 60_000), beat)
    }
  }

  beat()
  return () => {
    ended = true
    forget()
  }
}

function due({ context, resting }: HeartbeatOptions): boolean {
  if (resting() || context.look.config().model === 'rules') return false
  const { from, to } = rhythmOf(context)
  const hour = hourOf(context.world.clock.now(), context.look.config().timezone)
  return from <= to ? hour >= from && hour < to : hour >= from || hour < to
}

function messageOf({ world, home }: Context, slot: number): Inbound | null {
  const read = world.files.read(join(home, 'workspace', 'HEARTBEAT.md'), MOST_BYTES)
  const text = read.kind === 'file' ? read.bytes.toString('utf8') : ''
  if (!hasContent(text)) return null
  return {
    key: `system:heartbeat:${slot}`,
    channel: 'system',
    chatId: 'heartbeat',
    senderId: 'system',
    isPrivate: false,
    sessionKey: 'system:heartbeat',
    speaker: 'system',
    scope: scopeName('system:heartbeat'),
    target: 'system',
    room: LOBBY,
    content: `${WORDS}\n\n${text.trim()}`,
    at: isoSecond(slot),
    kind: 'message',
    media: [],
    metadata: {},
  }
}

function rhythmOf({ look }: Context): Rhythm {
  const section = look.config().rest['heartbeat']
  const { every, active_hours: hours } = (section ?? {}) as { every?: unknown; active_hours?: unknown }
  const everyMs = typeof every === 'string' ? durationMs(every) : null
  const [from, to] = Array.isArray(hours) && hours.length === 2 ? hours.map(Number) : HOURS
  return { everyMs: Math.max(1_000, everyMs || EVERY_MS), from: from ?? HOURS[0], to: to ?? HOURS[1] }
}

function lastOf(read: unknown): number | null {
  const { last } = (read ?? {}) as { last?: unknown }
  return typeof last === 'number' ? last : null
}
