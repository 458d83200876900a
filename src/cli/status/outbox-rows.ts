/** Notices and messages that are not delivered yet, and the last receipts, for `neo status`. */
import { join } from 'node:path'
import { type Outbox, openOutbox } from '../../engine/people/notice-outbox.ts'
import type { Files } from '../../ports/files-port.ts'
import { openQueue } from '../../store/durable-queue.ts'
import { dateText } from '../time.ts'

const TERMINAL = 'terminal'

interface OutboxRow {
  readonly part: string
  readonly state: 'ok'
  readonly says: string
}

export function outboxRows({ files, dir }: { readonly files: Files; readonly dir: string }): OutboxRow[] {
  const outbox = openOutbox(files, join(dir, 'outbox.jsonl'))
  const queued = openQueue(files, join(dir, 'queues', 'outbound.jsonl')).waiting()
  const sending = new Map<string, number>()
  for (const { item } of queued) {
    const place = placeOfItem(item)
    sending.set(place, (sending.get(place) ?? 0) + 1)
  }
  const waiting = outbox.waiting()
  const named = [...waiting.flatMap(({ to }) => to), ...outbox.receipts().keys(), ...sending.keys()]
  return [...new Set(named)]
    .filter((to) => to !== TERMINAL)
    .sort()
    .map((to) => rowOf(outbox, to, sending.get(to) ?? 0))
}

function rowOf(outbox: Outbox, to: string, queued: number): OutboxRow {
  const [oldest, ...others] = outbox.pending(to)
  const last = outbox.receipts().get(to)
  const says = [
    ...(oldest === undefined ? [] : [`${others.length + 1} waiting since ${dateText(oldest.at)}`]),
    ...(queued === 0 ? [] : [`${queued} to send`]),
    ...(last === undefined ? [] : [`last receipt ${dateText(last)}`]),
  ]
  return { part: `to ${to}`, state: 'ok', says: says.join('; ') }
}

function placeOfItem(item: unknown): string {
  const { channel, chatId, thread } = (item ?? {}) as Readonly<Record<string, unknown>>
  return [channel, chatId, ...(thread === undefined ? [] : [thread])].map(String).join(':')
}
