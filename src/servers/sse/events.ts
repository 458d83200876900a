/**
 * `GET /events`: channels as server-sent events. `channel` may be given many times; `since`, or the header
 * Last-Event-ID, holds the last numbers in the same order, with commas between. Invariant 1: an event is written when
 * the client has read so far; a client that reads nothing for STALLED_MS is closed. Invariant 2: nothing is sent to a credential
 * that is over: its stream ends. Invariant 3: an unknown or forbidden channel is refused before the stream begins.
 */
import type { ServerResponse } from 'node:http'
import { HUB_CODES, type Hub, HubError, type HubEvent } from '../../hub/hub.ts'
import { type Backlog, backlogOf } from '../shared/client-stream.ts'
import { type Credential, hubWhileHeld } from '../shared/credentials.ts'
import type { Entry } from '../shared/entry.ts'
import { HEADERS } from '../shared/http-reply.ts'
import { eventJson } from '../shared/json-rpc.ts'

export interface EventsRequest {
  readonly channels: readonly string[]
  /** As `since` or Last-Event-ID said it; null: nothing was had. */
  readonly since: string | null
  readonly credential: Credential
  readonly outgoing: ServerResponse
}

export interface EventStreams {
  /** Takes the answer over. Throws HubError before anything is written. */
  open(request: EventsRequest): Promise<void>
  /** Ends the streams of those who would not be let in any more, and tells the others that we are there. */
  tick(): void
  close(): void
}

export interface StreamLimits {
  readonly streams: number
  readonly channels: number
  readonly stalledMs: number
}

export const STREAM_LIMITS: StreamLimits = { streams: 1_500, channels: 100, stalledMs: 30_000 }

interface Stream {
  readonly credential: Credential
  readonly backlog: Backlog
  readonly outgoing: ServerResponse
  readonly ends: (() => void)[]
}

export function openEventStreams(parts: {
  readonly hub: Hub
  readonly entry: Pick<Entry, 'holds' | 'stillHolds'>
  readonly limits: StreamLimits
}): EventStreams {
  const { hub, entry, limits } = parts
  const streams = new Set<Stream>()

  function end(stream: Stream): void {
    for (const stop of stream.ends.splice(0)) stop()
    stream.backlog.close()
    streams.delete(stream)
    stream.outgoing.destroy()
  }

  return {
    async open(request) {
      const { channels, outgoing, credential } = request
      check(channels, limits.channels)
      if (streams.size >= limits.streams)
        throw new HubError(HUB_CODES.busy, `Cannot open the event stream: ${limits.streams} are open already`)
      const begun = begin()
      const backlog = backlogOf(outgoing, limits.stalledMs)
      const stream: Stream = { credential, outgoing, ends: [], backlog }
      streams.add(stream)
      outgoing.once('close', () => end(stream))
      try {
        await subscribeAll(hubWhileHeld(hub, { entry, credential, lost: () => end(stream) }), stream, {
          request,
          begun: begun.done,
        })
      } catch (error) {
        streams.delete(stream)
        for (const stop of stream.ends.splice(0)) stop()
        throw error
      }
      if (outgoing.destroyed) return end(stream)
      // Without chunks a text is one write; the stream ends with its connection.
      outgoing.removeHeader('Transfer-Encoding')
      outgoing.writeHead(200, { ...HEADERS, 'Content-Type': 'text/event-stream; charset=utf-8' })
      outgoing.write(': open\n\n')
      begun.go()
    },
    tick() {
      for (const stream of streams) {
        if (!entry.holds(stream.credential) || stream.backlog.stalled()) end(stream)
        else if (stream.backlog.free()) stream.outgoing.write(': ping\n\n')
      }
    },
    close() {
      for (const stream of [...streams]) end(stream)
    },
  }
}

interface Subscribing {
  readonly request: EventsRequest
  /** Events wait for it. */
  readonly begun: Promise<void>
}

async function subscribeAll(hub: Hub, stream: Stream, { request, begun }: Subscribing): Promise<void> {
  const { channels, since } = request
  const had = since === null ? [] : since.split(',')
  const seqs = channels.map((_, index) => (/^\d{1,15}$/.test(had[index] ?? '') ? Number(had[index]) : null))
  for (const [index, channel] of channels.entries()) {
    const seq = seqs[index]
    const of = { channel, ...(typeof seq === 'number' ? { since: seq } : {}) }
    const on = async (event: HubEvent): Promise<void> => {
      await begun
      await stream.backlog.room()
      seqs[index] = event.seq
      stream.outgoing.write(`event: event\nid: ${seqs.join(',')}\ndata: ${eventJson(event)}\n\n`)
    }
    stream.ends.push(await hub.subscribe(request.credential.who, of, on))
  }
}

function check(channels: readonly string[], most: number): void {
  const wrong =
    channels.length === 0
      ? 'add ?channel= with at least one channel'
      : channels.length > most
        ? `at most ${most} channels`
        : new Set(channels).size < channels.length
          ? 'a channel is there twice'
          : null
  if (wrong !== null) throw new HubError(HUB_CODES.params, `Cannot open the event stream: ${wrong}`)
}

function begin(): { readonly done: Promise<void>; readonly go: () => void } {
  let go = (): void => {}
  const done = new Promise<void>((resolve) => {
    go = resolve
  })
  return { done, go: () => go() }
}
