/** When a peer's query is answered, and whether its answer may go out without a person. */
import { isQuiet } from '../room/notice-kinds.ts'
import { instantsOf, wallOf } from '../schedule/schedule-zone.ts'
import { lowerPriority } from './access-rules.ts'
import type { AgentConfig, PeerPriority } from './peer.ts'

export interface QueryTime {
  /** What the peer asked for. */
  readonly wish: PeerPriority
  /** The highest that its rule allows. */
  readonly cap: PeerPriority
  readonly config: Pick<AgentConfig, 'focusHours' | 'interrupt'>
  readonly now: number
  /** Of the home. */
  readonly zone: string
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** In focus hours a query waits until they end, unless its priority is high and interruptions are on. */
export function whenToAnswer({
  wish,
  cap,
  config,
  now,
  zone,
}: QueryTime): 'now' | { readonly bufferUntil: number } {
  const { focusHours, interrupt } = config
  if (focusHours === null || (interrupt && lowerPriority(wish, cap) === 'high')) return 'now'
  const wall = wallOf(now, zone)
  const day = wall - (((wall % DAY_MS) + DAY_MS) % DAY_MS)
  const hour = (wall - day) / HOUR_MS
  if (!isQuiet(focusHours, hour)) return 'now'
  const [, to] = focusHours
  const end = day + to * HOUR_MS + (hour < to ? 0 : DAY_MS)
  return { bufferUntil: instantsOf(end, zone).find((ms) => ms > now) ?? now }
}

/** The share of references that exist and are in the scope, 0 to 1; 0 without references. */
export function confidenceOf(
  refs: readonly { readonly exists: boolean; readonly inScope: boolean }[],
): number {
  return refs.length === 0 ? 0 : refs.filter(({ exists, inScope }) => exists && inScope).length / refs.length
}

/** `auto`: all rules that allowed the query say so. */
export function mayAnswerUnasked({
  confidence,
  auto,
  config,
}: {
  readonly confidence: number
  readonly auto: boolean
  readonly config: Pick<AgentConfig, 'approvalRequired' | 'autoRespond'>
}): boolean {
  return !config.approvalRequired || (auto && confidence >= config.autoRespond)
}
