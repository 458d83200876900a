/**
 * What the three forges have in common: requests to their API, limited in time and size, errors in words, and opening a
 * branch's pull request. Invariants: 1. no token in any text; 2. `Authorization` is the only header that carries it,
 * since a redirect to another host drops that one; 3. nothing is retried here: waits are the caller's; 4. a branch has one
 * open pull request of Neo: an open one is updated, also one that appears in between.
 */
import type { ZodType } from 'zod'
import { jsonIn, mapIn } from '../../domain/text/is-map.ts'
import { redact } from '../../domain/secrets/redact.ts'
import { withoutCredentials } from '../../domain/text/forge.ts'
import type { PullRequest } from '../../ports/forge-port.ts'
import { codeOf } from '../disk/fs.ts'
import type { Access } from './access.ts'

/** What a forge answered, or that it did not. Status 0: no answer. */
export class ForgeTrouble extends Error {
  override readonly name = 'ForgeTrouble'
  /** @param message one line for people, without the forge's name before it */
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message)
  }
}

export interface Wire {
  /** For one request, body included. */
  readonly ms: number
}

/** More than a page of 100 pull requests with long bodies takes. */
const MOST_BYTES = 16 * 1024 * 1024

/** A fetch whose whole answer has come within the limits of time and size, or that throws ForgeTrouble. */
export function limited(wire: Wire): typeof fetch {
  return async (input, init) => {
    try {
      const response = await fetch(input, { ...init, signal: AbortSignal.timeout(wire.ms) })
      const bytes = await bytesOf(response)
      const isEmpty = [204, 205, 304].includes(response.status)
      const { status, headers } = response
      return new Response(isEmpty ? null : bytes, { status, headers })
    } catch (error) {
      throw error instanceof ForgeTrouble ? error : noAnswer(error, wire.ms)
    }
  }
}

async function bytesOf(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > MOST_BYTES) throw new ForgeTrouble(0, 'its answer is too large')
    chunks.push(chunk)
  }
  return Uint8Array.from(Buffer.concat(chunks))
}

function noAnswer(error: unknown, ms: number): ForgeTrouble {
  const isLate = error instanceof Error && error.name === 'TimeoutError'
  if (isLate) return new ForgeTrouble(0, `it does not answer within ${Math.ceil(ms / 1000)} s`)
  const cause = error instanceof Error ? (error.cause ?? error) : error
  const text = cause instanceof Error ? cause.message || codeOf(cause) : String(cause)
  return new ForgeTrouble(0, `it cannot be reached: ${shown(text || 'no answer')}`)
}

export interface Ask {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  /** Below the base of the API, with its query. */
  readonly path: string
  readonly body?: unknown
  /** Scheme of the header: GitLab takes `Bearer`, Gitea `token`. */
  readonly scheme: 'Bearer' | 'token'
}

/** One request of JSON. */
export async function ask<T>(access: Access, wire: Wire, of: Ask & { schema: ZodType<T> }): Promise<T> {
  const response = await limited(wire)(`${access.api}${of.path}`, {
    method: of.method,
    headers: {
      accept: 'application/json',
      'user-agent': 'neo-rooms',
      ...(of.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(access.token === null ? {} : { authorization: `${of.scheme} ${access.token}` }),
    },
    ...(of.body === undefined ? {} : { body: JSON.stringify(of.body) }),
  })
  const text = await response.text()
  if (!response.ok) throw trouble(access, response, messageIn(text))
  return fitting(of.schema, jsonIn(text))
}

/** Data of a known shape; an answer of another one is not from the forge that we take it for. */
export function fitting<T>(schema: ZodType<T>, data: unknown): T {
  const result = schema.safeParse(data)
  if (result.success) return result.data
  throw new ForgeTrouble(0, 'its answer is not what its API promises; is the address of the API right?')
}

/** `{message}` (all three), where GitLab's may be a list or lists by field, or `{error}`. */
function messageIn(text: string): string {
  const { error = '', message: told = error } = mapIn(text) ?? {}
  return typeof told === 'string'
    ? told
    : Object.values(told ?? {})
        .flat()
        .join('; ')
}

/** The words for a status that isn't a success. `message`: the forge's own. */
export function trouble(
  { tokenName, token, address }: Access,
  { status, headers }: { readonly status: number; readonly headers: Headers },
  message: string,
): ForgeTrouble {
  const said = message === '' ? '' : `: ${shown(message)}`
  if (isRateLimit(status, headers, message))
    return new ForgeTrouble(429, `its rate limit is reached${resetOf(headers)}`)
  if (status === 401)
    return new ForgeTrouble(
      status,
      token === null ? `set ${tokenName}` : `it refuses the token in ${tokenName}`,
    )
  if (status === 403) return new ForgeTrouble(status, `the token in ${tokenName} may not do this${said}`)
  if (status === 404) {
    const who = token === null ? `; set ${tokenName}` : `, or the token in ${tokenName} may not see it`
    return new ForgeTrouble(status, `there is no ${address.owner}/${address.repo}${who}`)
  }
  if (status >= 500) return new ForgeTrouble(status, `it is in trouble (${status}); it is asked again later`)
  return new ForgeTrouble(status, `it refuses (${status})${said}`)
}

function isRateLimit(status: number, headers: Headers, message: string): boolean {
  if (status === 429) return true
  if (status !== 403) return false
  return (
    headers.get('x-ratelimit-remaining') === '0' ||
    headers.get('retry-after') !== null ||
    /rate limit/i.test(message)
  )
}

/** `retry-after` in seconds; `x-ratelimit-reset` and `ratelimit-reset` as epoch seconds. */
function resetOf(headers: Headers): string {
  const wait = Number(headers.get('retry-after') ?? Number.NaN)
  if (Number.isFinite(wait)) return `; it answers again in ${Math.max(1, Math.ceil(wait / 60))} min`
  const at = Number(headers.get('x-ratelimit-reset') ?? headers.get('ratelimit-reset') ?? Number.NaN)
  if (!Number.isFinite(at) || at <= 0 || at > LAST_SECOND) return ''
  return `; it answers again at ${new Date(at * 1000).toISOString().slice(11, 16)} UTC`
}

/** Of the year 9999. */
const LAST_SECOND = 253_402_300_799

function shown(text: string): string {
  const line = withoutCredentials(redact(text))
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  return line.length <= 200 ? line : `${line.slice(0, 199)}…`
}

export interface Pull {
  readonly number: number
  readonly url: string
  readonly state: PullRequest['state']
}

interface PullText {
  readonly title: string
  readonly body: string
}

/** All throw ForgeTrouble, and nothing else. */
export interface Client {
  /** Pull requests from a branch of the repository itself, in any state, the newest first. */
  pulls(branch: string): Promise<readonly Pull[]>
  /** `exists`: the forge says that there is an open one. */
  create(of: PullText & { readonly branch: string; readonly base: string }): Promise<Pull | 'exists'>
  update(number: number, of: PullText): Promise<Pull>
  /** The text of the last comment that a person or a program wrote; null for none. */
  lastComment(number: number): Promise<string | null>
}

/** Opens the pull request of a branch that is already pushed, or brings the open one up. */
export async function openPull(
  client: Client,
  of: PullText & { readonly branch: string; readonly base: string },
): Promise<PullRequest> {
  const text = { title: titleOf(of.title), body: of.body }
  const open = await openOne(client, of.branch)
  if (open !== null) return client.update(open.number, text)
  const made = await client.create({ ...text, branch: of.branch, base: of.base })
  if (made !== 'exists') return made
  const there = await openOne(client, of.branch)
  if (there !== null) return client.update(there.number, text)
  throw new ForgeTrouble(409, 'the server reports that this branch has a pull request, but lists none')
}

/** State of a branch's pull request, the open one before all others; null if there isn't one. */
export async function pullState(client: Client, branch: string): Promise<PullRequest | null> {
  const pulls = await client.pulls(branch)
  const pull = pulls.find(({ state }) => state === 'open') ?? pulls[0]
  if (pull === undefined) return null
  if (pull.state !== 'closed') return pull
  const said = await client.lastComment(pull.number)
  const reason = said === null ? '' : oneLine(said, MOST_REASON)
  return reason === '' ? pull : { ...pull, reason }
}

async function openOne(client: Client, branch: string): Promise<Pull | null> {
  return (await client.pulls(branch)).find(({ state }) => state === 'open') ?? null
}

/** All three take 255. */
const MOST_TITLE = 240
const MOST_REASON = 300

/** The title of a pull request: one line, no secret, of a length that every forge takes. */
export function titleOf(title: string): string {
  return oneLine(title, MOST_TITLE) || 'Work of a session'
}

function oneLine(text: string, most: number): string {
  const line = withoutCredentials(redact(text))
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  return line.length <= most ? line : `${line.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
