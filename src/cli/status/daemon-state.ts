/**
 * What `neo status` shows of a daemon: the problems that it reports (from its hub, because its disk may be full; else from
 * its file), and notices and messages that are not delivered yet.
 */
import { join } from 'node:path'
import { daemonAddress } from '../../client/daemon-address.ts'
import { openConnection } from '../../client/json-rpc-request.ts'
import type { HealthRow } from '../../domain/plan/needs.ts'
import { type Outbox, openOutbox } from '../../engine/people/notice-outbox.ts'
import type { Files } from '../../ports/files-port.ts'
import { openQueue } from '../../store/durable-queue.ts'
import { dateText } from '../shown-text.ts'
import type { Opened } from '../with-world.ts'

export interface DaemonProblem {
  readonly part: string
  readonly why: string
  /** Only a person ends it. */
  readonly needs?: 'person' | undefined
}

/** If the daemon takes longer, its file is read, which says nearly the same. */
const ANSWER_MS = 5_000

/** Null if no daemon answers. */
export async function problemsOfDaemon({
  home,
  world,
}: Pick<Opened, 'home' | 'world'>): Promise<readonly DaemonProblem[] | null> {
  const address = daemonAddress(home, world.files, (id) => world.processes.alive(id))
  if (address === null) return null
  const said = await openConnection(address).ask('status.global', {}, { limitMs: ANSWER_MS })
  if (said.kind !== 'result') return null
  const { health } = (said.result ?? {}) as { readonly health?: unknown }
  if (!Array.isArray(health)) return null
  return (health as readonly HealthRow[])
    .filter(({ part, state }) => state === 'trouble' && !OWN.has(part))
    .map(({ part, says, needs }) => ({ part, why: says, needs }))
}

/** Rows that the command makes itself. */
const OWN: ReadonlySet<string> = new Set(['git', 'starts'])

export function problemsInFile(files: Pick<Files, 'readJson'>, home: string): readonly DaemonProblem[] {
  const { troubles } = (files.readJson(join(home, '.neo', 'daemon.json')) ?? {}) as {
    readonly troubles?: unknown
  }
  if (!Array.isArray(troubles)) return []
  return troubles.flatMap((one: unknown): DaemonProblem[] => {
    if (typeof one !== 'object' || one === null || !('part' in one) || !('why' in one)) return []
    const needs = 'needs' in one && one.needs === 'person' ? one.needs : undefined
    return [{ part: String(one.part), why: String(one.why), needs }]
  })
}

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
