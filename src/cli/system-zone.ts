/**
 * The system's time zone, where TZ does not name one: unset, `:/etc/localtime`, or a name that there is not.
 * Takes the environment and the two files that systems keep it in; gives an IANA name.
 */
import { readFileSync, realpathSync } from 'node:fs'
import { isZone } from '../formats/times.ts'

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

/** Sets TZ to the zone that counts, so that this process and its commands have the same. */
export function settleZone(env: NodeJS.ProcessEnv, sources: ZoneSources = SYSTEM): void {
  const given = env['TZ']?.replace(/^:/, '') ?? ''
  const named = zoneOf(given) ?? zoneIn(given)
  // Intl asks TZ first: a wrong one must be gone before.
  if (named === null) delete env['TZ']
  const { intl, link, file } = sources
  // Intl looks at the link first as well, and takes a third of a bare `node` start to get ready.
  env['TZ'] = named ?? zoneIn(attempt(link)) ?? zoneOf(attempt(intl)) ?? zoneOf(attempt(file)) ?? 'UTC'
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
