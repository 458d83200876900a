/**
 * The configuration for people: as a tree of plain values, or one value by path. Invariant 1: secrets are masked:
 * values under telling names, and passwords in URLs, are `***`.
 */
import type { HomeConfig } from '../../domain/home/home-config.ts'

const SECRET_KEY =
  /(?:^|_)(?:api_key|apikey|key|token|secret|password|passphrase|credential|authorization)s?$/i
/** Maps in which each value can be a secret. */
const SECRET_MAP = /^(?:headers|env|secrets)$/i
/** Names that only look like those of secrets. */
const PLAIN_KEY = /^(?:max_tokens|tokens|public_key|tokens_per_\w+)$/i
const MASK = '***'

/** The effective configuration with secrets masked; durations are `…_ms`. */
export function showConfig(config: HomeConfig): Record<string, unknown> {
  const { rest, daemon, ...top } = config
  const { settleMs, rescanMs, diskLimitBytes, ...more } = daemon
  const section = rest['daemon']
  return masked({
    ...top,
    daemon: {
      ...more,
      settle: settleMs === null ? null : `${settleMs}ms`,
      rescan: `${rescanMs}ms`,
      disk_limit: `${diskLimitBytes}B`,
      ...(isMap(section) ? section : {}),
    },
    ...Object.fromEntries(Object.entries(rest).filter(([key]) => key !== 'daemon')),
  }) as Record<string, unknown>
}

/** The masked value at a path such as `http.port`; undefined if it isn't set. */
export function getConfigValue(config: HomeConfig, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, key) => (isMap(value) && Object.hasOwn(value, key) ? value[key] : undefined),
      showConfig(config),
    )
}

/** Masks secrets anywhere in a tree of plain values. */
export function masked(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(/(:\/\/[^\s/:@]*:)[^\s/@]+@/g, `$1${MASK}@`)
  if (Array.isArray(value)) return value.map(masked)
  if (!isMap(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskedUnder(key, item)]))
}

function maskedUnder(key: string, item: unknown): unknown {
  if (item === null || item === undefined) return item
  if (SECRET_MAP.test(key) && isMap(item))
    return Object.fromEntries(Object.keys(item).map((name) => [name, MASK]))
  const isSecret = SECRET_KEY.test(key) && !PLAIN_KEY.test(key)
  return isSecret && !isMap(item) ? MASK : masked(item)
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
