/**
 * The time zone of a home, and the system's if TZ does not name one: TZ is unset, `:/etc/localtime`, or an unknown name. A
 * simple POSIX rule, such as `JST-9`, becomes the fixed zone of its offset.
 */
import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { isZone } from '../files/values/times.ts'
import type { Files } from '../ports/files-port.ts'
import type { Env } from './spec.ts'

export interface ZoneSources {
  /** What Intl says without TZ. */
  readonly intl: () => string | undefined
  /** The target of `/etc/localtime`. */
  readonly link: () => string
  /** The text of `/etc/timezone`. */
  readonly file: () => string
}

const SYSTEM: ZoneSources = {
  intl: () => new Intl.DateTimeFormat().resolvedOptions().timeZone,
  link: () => realpathSync('/etc/localtime'),
  file: () => readFileSync('/etc/timezone', 'utf8'),
}

/**
 * Sets TZ, so that this process and its child processes use the same zone. Returns a warning if TZ is set to something
 * unknown; else null.
 */
export function setTimeZone(env: NodeJS.ProcessEnv, sources: ZoneSources = SYSTEM): string | null {
  const given = env['TZ']?.replace(/^:/, '') ?? ''
  const named = knownZone(given) ?? zoneIn(given) ?? fixedZone(given)
  // Intl reads TZ first, so a wrong value has to be removed before.
  if (named === null) delete env['TZ']
  const { intl, link, file } = sources
  // The link first: Intl reads it too, and loading Intl takes a third of a bare `node` start.
  env['TZ'] =
    named ??
    zoneIn(textOrEmpty(link)) ??
    knownZone(textOrEmpty(intl)) ??
    knownZone(textOrEmpty(file)) ??
    'UTC'
  if (named !== null || given === '' || given.startsWith('/')) return null
  return `Unknown time zone TZ=${given}: using ${env['TZ']}; set TZ to a name such as Europe/Berlin`
}

/** `JST-9`, `<+09>-9:00`, `EST5`: without daylight saving, at whole hours. The sign is that of `Etc/GMT-9`. */
const RULE = /^(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)([+-]?)(\d{1,2})(?::?00){0,2}$/

/** Null if Intl has no zone for it: with minutes, with daylight saving, or too far from UTC. */
function fixedZone(rule: string): string | null {
  const [, sign, hours] = RULE.exec(rule) ?? []
  if (hours === undefined) return null
  const count = Number(hours)
  return knownZone(count === 0 ? 'UTC' : `Etc/GMT${sign === '-' ? '-' : '+'}${count}`)
}

/** `/usr/share/zoneinfo/Europe/Berlin`. */
function zoneIn(path: string): string | null {
  return knownZone(/zoneinfo(?:\.default)?\/(?:posix\/|right\/)?(.+)$/.exec(path)?.[1] ?? '')
}

function knownZone(text: string): string | null {
  const name = text.trim()
  if (name === '' || name === 'Etc/Unknown') return null
  return isZone(name) ? name : null
}

function textOrEmpty(read: () => string | undefined): string {
  try {
    return read() ?? ''
  } catch {
    return ''
  }
}

const MAX_BYTES = 256 * 1024

export async function zoneOf(home: string, files: Files, env: Env): Promise<string> {
  const read = files.read(join(home, 'neo.yaml'), MAX_BYTES)
  const bytes = read.kind === 'file' ? read.bytes : null
  const isSet =
    (bytes !== null && /^\W*timezone\b/m.test(bytes.toString('latin1'))) || env['NEO_TIMEZONE'] !== undefined
  if (!isSet) return env['TZ'] === undefined ? 'UTC' : await configured(null, env)
  return configured(bytes, env)
}

async function configured(bytes: Buffer | null, env: Env): Promise<string> {
  const { readConfig } = await import('../files/config/read-config.ts')
  const config = readConfig('neo.yaml', bytes, env)
  return config.kind === 'ok' ? config.value.timezone : 'UTC'
}
