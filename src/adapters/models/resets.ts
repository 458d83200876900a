/**
 * When a limit resets, out of the headers of an answer. Known are `retry-after-ms`, `retry-after` (seconds or a date),
 * and per limit `…-reset` beside `…-remaining`: dates, epoch seconds, or lengths like `6m0s`. Invariant 1: of several
 * limits only those that are used up count, and of these the last to reset.
 */

const RESET = /^(?:anthropic-ratelimit-(.+)-reset|x-ratelimit-reset-(.+))$/
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

export function resetMs(headers: Headers, now: number): number | null {
  return retryAfterMs(headers, now) ?? limitMs(headers, now)
}

function retryAfterMs(headers: Headers, now: number): number | null {
  const ms = Number.parseFloat(headers.get('retry-after-ms') ?? '')
  if (Number.isFinite(ms)) return Math.max(0, ms)
  const told = headers.get('retry-after')?.trim() ?? ''
  if (/^\d+(?:\.\d+)?$/.test(told)) return Number(told) * 1000
  const date = Date.parse(told)
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}

function limitMs(headers: Headers, now: number): number | null {
  const limits = [...headers].flatMap(([name, value]) => {
    const found = RESET.exec(name)
    const ms = found === null ? null : momentMs(value, now)
    if (found === null || ms === null) return []
    const remaining =
      found[1] === undefined
        ? `x-ratelimit-remaining-${found[2]}`
        : `anthropic-ratelimit-${found[1]}-remaining`
    return [{ ms, used: headers.get(remaining)?.trim() === '0' }]
  })
  const used = limits.filter((limit) => limit.used).map(({ ms }) => ms)
  if (used.length > 0) return Math.max(...used)
  return limits.length > 0 ? Math.min(...limits.map(({ ms }) => ms)) : null
}

function momentMs(text: string, now: number): number | null {
  const told = text.trim()
  // Epoch seconds; as a length it would be 30 years.
  if (/^\d{9,}(?:\.\d+)?$/.test(told)) return Math.max(0, Number(told) * 1000 - now)
  if (/^\d+(?:\.\d+)?$/.test(told)) return Number(told) * 1000
  if (/^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/.test(told)) {
    const parts = [...told.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)]
    return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNIT_MS[unit ?? ''] ?? 0), 0)
  }
  const date = Date.parse(told)
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}
