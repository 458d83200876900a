/**
 * The lines of a home's files that a person trusts with the home: where keys are sent, and which programs run.
 * Invariant 1: each key of neo.yaml counts unless it is listed as harmless here, so that a new section is never
 * trusted unseen.
 */

import { isMap } from '../text/is-map.ts'
import { isSecretName } from '../secrets/secret-values.ts'

/** Keys of neo.yaml that neither send nor run anything. */
const HARMLESS: ReadonlySet<string> = new Set(['timezone', 'model', 'prices', 'budget', 'transcripts', 'log'])
const HARMLESS_OF_DAEMON: ReadonlySet<string> = new Set([
  'branch',
  'node',
  'settle',
  'rescan',
  'concurrency',
  'disk_limit',
])

export interface TrustLine {
  /** `neo.yaml providers.local.base_url` */
  readonly name: string
  /** JSON of the value as in the file, `${NAME}` not filled in. */
  readonly value: string
}

/** Lines of neo.yaml. */
export function configTrust(data: Readonly<Record<string, unknown>>): readonly TrustLine[] {
  const { daemon, ...rest } = data
  const sections = Object.entries(rest).filter(([key]) => !HARMLESS.has(key))
  const ofDaemon = isMap(daemon) ? Object.entries(daemon).filter(([key]) => !HARMLESS_OF_DAEMON.has(key)) : []
  return [
    ...sections.flatMap(([key, value]) => leaves(`neo.yaml ${key}`, value)),
    ...ofDaemon.flatMap(([key, value]) => leaves(`neo.yaml daemon.${key}`, value)),
  ]
}

/** Lines of one key of another file's header. */
export function headerTrust(path: string, key: string, value: unknown): readonly TrustLine[] {
  return value === undefined || value === null ? [] : leaves(`${path} ${key}`, value)
}

/** For people: the name of a variable is shown, a literal key isn't. */
export function shownTrust({ name, value }: TrustLine): string {
  const isSecret = isSecretName(name.split('.').at(-1) ?? '') && !name.endsWith('public_key')
  const hides = isSecret && !value.includes('${')
  return `${name}: ${hides ? '***' : value}`
}

function leaves(name: string, value: unknown): readonly TrustLine[] {
  if (Array.isArray(value) && value.every((item) => !isMap(item)))
    return [{ name, value: JSON.stringify(value) }]
  if (Array.isArray(value)) return value.flatMap((item, at) => leaves(`${name}.${at}`, item))
  if (isMap(value)) return Object.entries(value).flatMap(([key, item]) => leaves(`${name}.${key}`, item))
  return [{ name, value: JSON.stringify(value) ?? 'null' }]
}
