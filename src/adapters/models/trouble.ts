/**
 * Why a call failed, as a ModelError: the one place where statuses, types and wordings of servers become kinds.
 * Invariant 1: the caller's stop comes before silence, silence before what the library made of either. Invariant 2: keys
 * and what looks like a secret never stand in the message.
 */
import { mapIn } from '../../domain/text/is-map.ts'
import { ModelError, type ModelErrorKind } from '../../domain/agent/model-retry.ts'
import { redact } from '../../domain/secrets/redact.ts'
import { type Loose, listOf, objectOf, textOf } from './loose.ts'
import type { Seen } from './watch-stream.ts'

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

export interface Circumstances {
  readonly ref: string
  readonly seen: Seen
  /** The caller stopped it. */
  readonly stopped: boolean
  readonly now: number
  readonly secrets: readonly string[]
}

/** What a server said, wherever it said it. */
interface Told {
  readonly status: number | null
  /** Types and codes, joined. */
  readonly type: string
  readonly text: string
}

const MOST_WORDS = 400

export function modelErrorOf(error: unknown, at: Circumstances): ModelError {
  if (error instanceof ModelError) return error
  const { seen } = at
  if (at.stopped) return aborted(at.ref)
  if (seen.ended === 'silent') return made('silent', 'Nothing came for too long', { at, error })
  if (seen.ended === 'endless') return made('server', 'The reply had no end', { at, error })
  if (seen.failure !== null) return fromServer(toldIn(seen.failure.text, seen.failure.status), { at, error })
  const body = bodyOf(error)
  if (body !== null) return fromServer(toldBy(body, null), { at, error })
  return fromWire(error, at)
}

export function aborted(ref: string): ModelError {
  return new ModelError('aborted', `${ref}: stopped`)
}

interface Cause {
  readonly at: Circumstances
  readonly error: unknown
}

function made(kind: ModelErrorKind, words: string, { at, error }: Cause): ModelError {
  const headers = at.seen.failure?.headers ?? at.seen.headers
  const status = at.seen.failure?.status
  const requestId = headers?.get('request-id') ?? headers?.get('x-request-id') ?? null
  const waits = kind === 'rate' || kind === 'overloaded' || kind === 'server'
  const retryAfterMs = headers !== null && waits ? resetMs(headers, at.now) : null
  return new ModelError(kind, `${at.ref}: ${clean(words, at.secrets)}`, {
    ...(status === undefined ? {} : { status }),
    ...(requestId === null ? {} : { requestId }),
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
    cause: error,
  })
}

function clean(words: string, secrets: readonly string[]): string {
  const line = words.replace(/\s+/g, ' ').trim()
  const masked = secrets.reduce(
    (text, secret) => (secret === '' ? text : text.replaceAll(secret, '***')),
    line,
  )
  return redact(masked).slice(0, MOST_WORDS)
}

function fromServer(told: Told, cause: Cause): ModelError {
  const words = [told.status ?? '', told.type, told.text].filter((one) => one !== '').join(' ')
  return made(kindOf(told), words || 'the server told an error without words', cause)
}

/** A socket that failed: before an answer it is the network, in it the reply is cut. */
function fromWire(error: unknown, at: Circumstances): ModelError {
  const { code, words } = deepest(error)
  if (/^UND_ERR_(?:HEADERS|BODY)_TIMEOUT$/.test(code)) return made('silent', words, { at, error })
  if (at.seen.answered) return made('cut', `The reply broke off: ${words}`, { at, error })
  return made('network', `Cannot reach ${at.seen.origin || 'the server'}: ${words}`, { at, error })
}

function deepest(error: unknown): { readonly code: string; readonly words: string } {
  let code = ''
  let words = error instanceof Error ? error.message : String(error)
  let one: unknown = error
  for (let depth = 0; depth < 5 && one instanceof Error; depth++) {
    const own = textOf((one as { code?: unknown }).code)
    code = own || code
    words = one.message || own || words
    one = one.cause
  }
  return { code, words: code === '' || words.includes(code) ? words : `${words} (${code})` }
}

/** The body of an error that was sent within a stream. */
function bodyOf(error: unknown): Loose | null {
  const told = objectOf(error)?.['error']
  if (typeof told === 'string') return { error: told }
  return objectOf(told)
}

function toldIn(text: string, status: number): Told {
  const body = mapIn(text)
  if (body !== null) return toldBy(body, status)
  // A web page or bare words.
  const words = text.replace(/<(script|style)[\s\S]*?<\/\1>/gi, ' ').replace(/<[^>]*>/g, ' ')
  return { status, type: '', text: words.replace(/\s+/g, ' ').trim() }
}

/** `{error: {message, type, code}}`, `{error: 'text'}`, `{detail: …}`, `{message}`, or the inner object alone. */
function toldBy(body: Loose, status: number | null): Told {
  const inner = objectOf(body['error']) ?? body
  const details = objectOf(inner['details'])
  const code = inner['code']
  const types = [
    textOf(inner['type']),
    textOf(code),
    textOf(details?.['error_code']),
    textOf(inner['status']),
  ]
  const text =
    textOf(inner['message']) || textOf(body['error']) || textOf(body['message']) || detailOf(body['detail'])
  const told = status ?? (typeof code === 'number' && code >= 400 && code < 600 ? code : null)
  const type = [...new Set(types)].filter((one) => one !== '' && one !== 'error').join(' ')
  return { status: told, type, text: text || (type === '' ? JSON.stringify(body) : '') }
}

function detailOf(detail: unknown): string {
  if (typeof detail === 'string') return detail
  const all = listOf(detail).map((one) => textOf(objectOf(one)?.['msg']))
  return all.join('; ') || textOf(objectOf(detail)?.['message'])
}

const OVERFLOW =
  /prompt is too long|context_length_exceeded|exceed_context_size|(?:maximum|model'?s?|available) context (?:length|size|window)|context (?:length|size|window|limit)[^.]{0,40}exceed|exceed[^.]{0,60}context (?:length|size|window|limit)|reduce the length of the (?:messages|prompt|input)|(?:input|prompt|request)[^.]{0,60} (?:too long|too many tokens)|too many (?:input|prompt) tokens|input token count[^.]{0,60}exceeds/i
const SPENT =
  /credit balance is too low|api usage limits|spend(?:ing)?[ _]limit|insufficient[ _](?:funds|balance|credits?|quota)|billing/i
const SPENT_TYPE = /insufficient_quota|billing|spend_limit|ramp_limit_exceeded/i

function kindOf(told: Told): ModelErrorKind {
  const { status, type, text } = told
  if (SPENT_TYPE.test(type)) return 'billing'
  if (status === 429 || /rate_limit|too_many_requests|resource_exhausted/i.test(type))
    return /overloaded/i.test(type + text) ? 'overloaded' : 'rate'
  const all = `${type} ${text}`
  if ((status === null || [400, 413, 422, 500].includes(status)) && OVERFLOW.test(all)) return 'overflow'
  if ((status === 400 || status === 403) && SPENT.test(text)) return 'billing'
  return status === null ? kindOfType(type) : kindOfStatus(status, type)
}

const KINDS: Readonly<Record<number, ModelErrorKind>> = {
  401: 'auth',
  402: 'billing',
  403: 'forbidden',
  404: 'missing',
  408: 'server',
  409: 'server',
  413: 'refused_size',
  425: 'server',
  499: 'server',
  503: 'overloaded',
  529: 'overloaded',
}

function kindOfStatus(status: number, type: string): ModelErrorKind {
  if (/overloaded/i.test(type)) return 'overloaded'
  return KINDS[status] ?? (status >= 500 ? 'server' : 'request')
}

const TYPES: readonly (readonly [RegExp, ModelErrorKind])[] = [
  [/overloaded|unavailable/i, 'overloaded'],
  [/authentication|invalid_api_key|unauthorized/i, 'auth'],
  [/permission|forbidden/i, 'forbidden'],
  [/not_found/i, 'missing'],
  [/too_large/i, 'refused_size'],
  [/invalid_request|bad_request|unprocessable/i, 'request'],
]

function kindOfType(type: string): ModelErrorKind {
  return TYPES.find(([pattern]) => pattern.test(type))?.[1] ?? 'server'
}
