/** The times of a schedule in words. */
import cronstrue from 'cronstrue'
import { visible } from '../../parts/text.ts'

export const KINDS = ['cron', 'every', 'at'] as const
export type Kind = (typeof KINDS)[number]

/** `cron 0 9 * * 1-5` in its two parts. An interval gets its largest unit: `every 7200s` is `2h`. */
export function partsOf(when: string): { readonly kind: Kind; readonly text: string } {
  const [, kind = 'cron', text = ''] = /^(cron|every|at)\s+(.*)$/s.exec(when) ?? []
  return { kind: kind as Kind, text: kind === 'every' ? shortInterval(text) : text }
}

const UNITS = [
  { letter: 'd', seconds: 86_400, word: 'day' },
  { letter: 'h', seconds: 3_600, word: 'hour' },
  { letter: 'm', seconds: 60, word: 'minute' },
  { letter: 's', seconds: 1, word: 'second' },
] as const

function shortInterval(text: string): string {
  const seconds = Number(/^([\d.]+)s$/.exec(text)?.[1] ?? Number.NaN)
  const unit = UNITS.find((one) => seconds >= one.seconds && seconds % one.seconds === 0)
  return unit === undefined ? text : `${seconds / unit.seconds}${unit.letter}`
}

/** What a typed time means; null if it can't be said. */
export function inWords(kind: Kind, text: string): string | null {
  if (kind === 'cron') return cronInWords(text.trim())
  if (kind === 'every') return intervalInWords(text.trim())
  const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text.trim()) ? Date.parse(`${text.trim()}Z`) : Number.NaN
  return Number.isNaN(ms) ? null : `Once, on ${ONCE.format(ms)}`
}

const ONCE = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'short', timeZone: 'UTC' })

function cronInWords(expression: string): string | null {
  try {
    if (!/^(?:\S+(?:\s+\S+){4,5}|@[a-z]+)$/.test(expression)) return null
    return visible(cronstrue.toString(expression, { use24HourTimeFormat: true, verbose: true }))
  } catch {
    return null
  }
}

function intervalInWords(text: string): string | null {
  const [, amount, letter] = /^(\d+)\s*([dhms])$/.exec(text) ?? []
  const unit = UNITS.find((one) => one.letter === letter)
  if (amount === undefined || unit === undefined) return null
  return amount === '1' ? `Every ${unit.word}` : `Every ${Number(amount)} ${unit.word}s`
}

/** The time zone of the person who looks. */
export const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone

const formatters = new Map<string, Intl.DateTimeFormat>()

/** `Tue 1 Dec, 06:30`, as a clock in this zone shows it. */
export function clockIn(zone: string, at: string): string {
  const known = formatters.get(zone)
  if (known !== undefined) return known.format(Date.parse(at))
  try {
    const made = new Intl.DateTimeFormat(undefined, {
      ...{ weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
      hourCycle: 'h23',
      timeZone: zone,
    })
    formatters.set(zone, made)
    return made.format(Date.parse(at))
  } catch {
    return at
  }
}

/** Whether the clocks of a zone show the same as the person's at that time. */
export function isOwnClock(zone: string, at: string): boolean {
  return clockIn(zone, at) === clockIn(OWN_ZONE, at)
}
