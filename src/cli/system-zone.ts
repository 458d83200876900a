/**
 * The system's time zone, where TZ does not name one: unset, `:/etc/localtime`, or a name that there is not. A simple
 * rule of POSIX, such as `JST-9`, is the fixed zone of its offset.
 */
import { readFileSync, realpathSync } from 'node:fs'
import { isZone } from '../files/values/times.ts'

export interface ZoneSources {
  /** Of Intl, without TZ. */
  readonly intl: () => string | undefined
  /** Where `/etc/localtime` leads. */
  readonly link: () => string
  /** What `/etc/timezone` holds. */
  readonly file: () => string
}

const SYSTEM: ZoneSources = {
  intl: () => new Intl.DateTimeFormat().resolvedOptions().timeZone,
  link: () => realpathSync('/etc/localtime'),
  file: () => readFileSync('/etc/timezone', 'utf8'),
}

/**
 * Sets TZ to the zone that counts, so that this process and its commands have the same. Gives a remark for people where
 * TZ is something else than unset or a zone; else null.
 */
export function settleZone(env: NodeJS.ProcessEnv, sources: ZoneSources = SYSTEM): string | null {
  const given = env['TZ']?.replace(/^:/, '') ?? ''
  const named = zoneOf(given) ?? zoneIn(given) ?? fixedZone(given)
  // Intl asks TZ first: a wrong one must be gone before.
  if (named === null) delete env['TZ']
  const { intl, link, file } = sources
  // Intl looks at the link first as well, and takes a third of a bare `node` start to get ready.
  env['TZ'] = named ?? zoneIn(attempt(link)) ?? zoneOf(attempt(intl)) ?? zoneOf(attempt(file)) ?? 'UTC'
  if (named !== null || given === '' || given.startsWith('/')) return null
  return `Cannot understand TZ=${given}: using ${env['TZ']}; set TZ to a name such as Europe/Berlin`
}

/** `JST-9`, `<+09>-9:00`, `EST5`: without daylight saving, at whole hours. The sign is that of `Etc/GMT-9`. */
const RULE = /^(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)([+-]?)(\d{1,2})(?::?00){0,2}$/

/** Null where Intl has no zone for it: with minutes, with a summer time, or too far from UTC. */
function fixedZone(rule: string): string | null {
  const [, sign, hours] = RULE.exec(rule) ?? []
  if (hours === undefined) return null
  const count = Number(hours)
  return zoneOf(count === 0 ? 'UTC' : `Etc/GMT${sign === '-' ? '-' : '+'}${count}`)
}

/** `/usr/share/zoneinfo/Europe/Berlin`. */
function zoneIn(path: string): string | null {
  return zoneOf(/zoneinfo(?:\.default)?\/(?:posix\/|right\/)?(.+)$/.exec(path)?.[1] ?? '')
}

function zoneOf(text: string): string | null {
  const name = text.trim()
  if (name === '' || name === 'Etc/Unknown') return null
  return isZone(name) ? name : null
}

function attempt(read: () => string | undefined): string {
  try {
    return read() ?? ''
  } catch {
    return ''
  }
}
