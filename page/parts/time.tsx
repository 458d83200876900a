/** Times relative to now, with the exact one on hover. One clock for the whole page. */
import { signal } from '@preact/signals'
import { duration } from './text.ts'

/** Ticks each second while the tab is visible. */
export const now = signal(Date.now())

setInterval(() => {
  if (document.visibilityState === 'visible') now.value = Date.now()
}, 1_000)

const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

/** @param at ISO 8601 */
export function Time({ at }: { readonly at: string }) {
  const ms = Date.parse(at)
  if (Number.isNaN(ms)) return <span>{at}</span>
  return (
    <time dateTime={at} title={EXACT.format(ms)}>
      {relative(ms, now.value)}
    </time>
  )
}

const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })

/** The time of day, with the date on hover: for lists in the order of time. */
export function Exact({ at }: { readonly at: string }) {
  const ms = Date.parse(at)
  if (Number.isNaN(ms)) return <span>{at}</span>
  return (
    <time class="small soft" dateTime={at} title={EXACT.format(ms)}>
      {CLOCK.format(ms)}
    </time>
  )
}

/** The time since `from`, ticking. */
export function Elapsed({ from, to }: { readonly from: string; readonly to?: string | null }) {
  const end = to === undefined || to === null ? now.value : Date.parse(to)
  return <span class="num">{duration(end - Date.parse(from))}</span>
}

/** `just now`, `5 min ago`, `in 2 h`, `yesterday`, a date. */
export function relative(ms: number, present: number): string {
  const distance = Math.abs(present - ms)
  const isPast = ms <= present
  if (distance < 45_000) return isPast ? 'just now' : 'in a moment'
  const minutes = Math.round(distance / 60_000)
  if (minutes < 60) return isPast ? `${minutes} min ago` : `in ${minutes} min`
  const hours = Math.round(distance / 3_600_000)
  if (hours < 24) return isPast ? `${hours} h ago` : `in ${hours} h`
  const days = Math.round(distance / 86_400_000)
  if (days === 1) return isPast ? 'yesterday' : 'tomorrow'
  if (days < 14) return isPast ? `${days} days ago` : `in ${days} days`
  return DAY.format(ms)
}
