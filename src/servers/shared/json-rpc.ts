/**
 * JSON-RPC 2.0: messages read and checked, carried out, answers and notices written. Invariant 1: nothing that a client
 * sends throws. Invariant 2: what has no `id` is never answered; what has `id: null` is. Invariant 3: the requests of a batch
 * are carried out one after the other, in their order; what its answers hold together is bounded, and a call beyond that is
 * refused. Invariant 4: an error that is not the hub's own says nothing of what was thrown. Invariant 5: an event that goes
 * to many is made into text once.
 */
import { HUB_CODES, HubError, type HubEvent, isStop } from '../../hub/hub.ts'

type Id = string | number | null

export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

type Asked =
  | { readonly kind: 'call'; readonly id: Id; readonly method: string; readonly params: unknown }
  | { readonly kind: 'notice'; readonly method: string; readonly params: unknown }
  | { readonly kind: 'invalid'; readonly id: Id; readonly error: RpcError }

type Message =
  | { readonly kind: 'one'; readonly asked: Asked }
  | { readonly kind: 'batch'; readonly asked: readonly Asked[] }

/** `length`: UTF-16 units of one message. */
export const RPC_LIMITS = { length: 1024 * 1024, depth: 64, batch: 100 } as const

/** Reads one message. Never throws. */
export function readMessage(text: string): Message {
  const { length, depth, batch } = RPC_LIMITS
  if (text.length > length) return refused(`the message is too long: at most ${length} characters`)
  const parsed = parse(text)
  if (parsed === null) return one(invalid(null, { code: HUB_CODES.parse, message: 'Parse error' }))
  const { value } = parsed
  if (isTooDeep(value)) return refused(`the message is nested too deep: at most ${depth} levels`)
  if (!Array.isArray(value)) return one(readAsked(value))
  if (value.length === 0) return refused('the batch is empty')
  if (value.length > batch) return refused(`the batch is too large: at most ${batch} requests`)
  return { kind: 'batch', asked: value.map(readAsked) }
}

/** Longer ones are looked at in their turn. */
const MOST_STOP = 2_000

/** Whether it is one call or notice of a method that ends what others wait for. */
export function asksToStop(text: string): boolean {
  if (text.length > MOST_STOP || !text.includes('.stop')) return false
  const message = readMessage(text)
  return message.kind === 'one' && message.asked.kind !== 'invalid' && isStop(message.asked.method)
}

function resultText(id: Id, result: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result: result === undefined ? null : result })
}

export function errorText(id: Id, error: RpcError): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error })
}

function noticeText(method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params })
}

function parse(text: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return null
  }
}

function readAsked(value: unknown): Asked {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return invalid(null, badRequest('a request must be an object'))
  const id = idOf(value)
  const why = flawOf(value)
  if (why !== null) return invalid(id === undefined ? null : id.id, badRequest(why))
  const { method, params } = value as { readonly method: string; readonly params?: unknown }
  if (!Object.hasOwn(value, 'id')) return { kind: 'notice', method, params }
  return id === undefined
    ? invalid(null, badRequest('id must be a string, a number or null'))
    : { kind: 'call', id: id.id, method, params }
}

/** What is wrong with a request apart from its id; null if nothing is. */
function flawOf(value: object): string | null {
  const { jsonrpc, method, params } = value as Readonly<Record<string, unknown>>
  if (!Object.hasOwn(value, 'jsonrpc') || jsonrpc !== '2.0') return 'jsonrpc must be "2.0"'
  if (!Object.hasOwn(value, 'method') || typeof method !== 'string') return 'method must be a string'
  if (!Object.hasOwn(value, 'params')) return null
  return typeof params === 'object' && params !== null ? null : 'params must be an object or an array'
}

/** Undefined without an id that can be answered. */
function idOf(value: object): { readonly id: Id } | undefined {
  const id = Object.hasOwn(value, 'id') ? (value as { readonly id: unknown }).id : undefined
  return typeof id === 'string' || typeof id === 'number' || id === null ? { id } : undefined
}

function badRequest(why: string): RpcError {
  return { code: HUB_CODES.request, message: 'Invalid Request', data: { why } }
}

function invalid(id: Id, error: RpcError): Asked {
  return { kind: 'invalid', id, error }
}

function one(asked: Asked): Message {
  return { kind: 'one', asked }
}

function refused(why: string): Message {
  return one(invalid(null, badRequest(why)))
}

/** Deeper than any message may be. Goes down level by level, so that no depth costs our own stack. */
export function isTooDeep(value: unknown): boolean {
  let level = isHolder(value) ? [value] : []
  for (let at = 0; level.length > 0; at++) {
    if (at === RPC_LIMITS.depth) return true
    const below: object[] = []
    for (const holder of level) for (const one of Object.values(holder)) if (isHolder(one)) below.push(one)
    level = below
  }
  return false
}

function isHolder(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

const notices = new WeakMap<HubEvent, string>()
const plain = new WeakMap<HubEvent, string>()

/** The notice `event {channel, seq, data}`. */
export function eventText(event: HubEvent): string {
  return once(notices, event, ({ channel, seq, data }) => noticeText('event', { channel, seq, data }))
}

/** `{channel, seq, data}` alone. */
export function eventJson(event: HubEvent): string {
  return once(plain, event, ({ channel, seq, data }) => JSON.stringify({ channel, seq, data }))
}

function once(made: WeakMap<HubEvent, string>, event: HubEvent, make: (event: HubEvent) => string): string {
  const known = made.get(event)
  if (known !== undefined) return known
  const text = make(event)
  made.set(event, text)
  return text
}

/** @param id the request's id as text; '' for a notice */
export type Carry = (method: string, params: unknown, id: string) => Promise<unknown>

interface Answered {
  /** Null: only notices were sent, and nothing is answered. */
  readonly text: string | null
  /** `unreadable`: it was no JSON. */
  readonly kind: 'answered' | 'unreadable'
}

/** UTF-16 units that the answers of a batch may have before the next call of it is refused. */
const MOST_ANSWERED = 32 * 1024 * 1024

/**
 * Never throws.
 * @param errorOf how what `carry` throws is told to the caller
 */
export async function answerTo(text: string, carry: Carry, errorOf = rpcErrorOf): Promise<Answered> {
  const message = readMessage(text)
  if (message.kind === 'one') {
    const { asked } = message
    const kind = asked.kind === 'invalid' && asked.error.code === HUB_CODES.parse ? 'unreadable' : 'answered'
    return { text: await answerOne(asked, carry, errorOf), kind }
  }
  return { text: await answerBatch(message.asked, carry, errorOf), kind: 'answered' }
}

async function answerBatch(
  batch: readonly Asked[],
  carry: Carry,
  errorOf: typeof rpcErrorOf,
): Promise<string | null> {
  const answers: string[] = []
  let length = 0
  for (const asked of batch) {
    const may = length < MOST_ANSWERED || asked.kind === 'notice'
    const answer = await answerOne(asked, may ? carry : tooMuch, errorOf)
    if (answer === null) continue
    answers.push(answer)
    length += answer.length
  }
  if (answers.length === 0) return null
  try {
    return `[${answers.join(',')}]`
  } catch {
    return errorText(null, { code: HUB_CODES.internal, message: 'Internal error' })
  }
}

async function tooMuch(): Promise<never> {
  throw new HubError(
    HUB_CODES.busy,
    `Cannot answer the rest of this batch: its answers exceed ${MOST_ANSWERED} characters; send the rest again`,
  )
}

async function answerOne(asked: Asked, carry: Carry, errorOf: typeof rpcErrorOf): Promise<string | null> {
  if (asked.kind === 'invalid') return errorText(asked.id, asked.error)
  try {
    const result = await carry(asked.method, asked.params, asked.kind === 'call' ? String(asked.id) : '')
    return asked.kind === 'notice' ? null : resultText(asked.id, result)
  } catch (error) {
    return asked.kind === 'notice' ? null : errorText(asked.id, errorOf(error))
  }
}

/** Faults whose words are written for people. */
const SAID: ReadonlySet<unknown> = new Set(['config', 'disk', 'git'])

export function rpcErrorOf(error: unknown): RpcError {
  if (!(error instanceof HubError)) return { code: HUB_CODES.internal, message: 'Internal error' }
  const { code, message, data } = error
  if (code === HUB_CODES.internal && !SAID.has(codeIn(data))) return { code, message: 'Internal error' }
  return { code, message, ...(data === undefined ? {} : { data }) }
}

function codeIn(data: unknown): unknown {
  return typeof data === 'object' && data !== null && 'code' in data ? data.code : undefined
}
