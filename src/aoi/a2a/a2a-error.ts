/**
 * Errors of A2A 1.0 over JSON-RPC. AOI uses the numbers −32001 to −32006 for other things, so a refusal of AOI is never
 * passed on as it is: what A2A has no number for is −32000 with a reason, and an HTTP status.
 */
import { type AgentRefusal, AOI_CODES } from '../agent-core.ts'

export const A2A_CODES = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  refused: -32000,
  taskNotFound: -32001,
  taskNotCancelable: -32002,
  pushNotSupported: -32003,
  unsupported: -32004,
  contentType: -32005,
  version: -32009,
} as const

/** Reasons that A2A itself defines. */
const A2A_REASONS: ReadonlySet<string> = new Set([
  'TASK_NOT_FOUND',
  'TASK_NOT_CANCELABLE',
  'PUSH_NOTIFICATION_NOT_SUPPORTED',
  'UNSUPPORTED_OPERATION',
  'CONTENT_TYPE_NOT_SUPPORTED',
  'VERSION_NOT_SUPPORTED',
])

interface Details {
  /** Upper case, as in google.rpc.ErrorInfo. */
  readonly reason: string
  /** The wrong parameter, such as `message.parts`. */
  readonly field?: string
  readonly metadata?: Readonly<Record<string, string>>
  /** 200 without it. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

export class A2aError extends Error {
  override readonly name = 'A2aError'
  constructor(
    readonly code: number,
    message: string,
    readonly details: Details,
  ) {
    super(message)
  }
}

/** The same for a task that doesn't exist and one of another peer. */
export function taskNotFound(): A2aError {
  return new A2aError(A2A_CODES.taskNotFound, 'Task not found', { reason: 'TASK_NOT_FOUND' })
}

export function unsupported(why: string): A2aError {
  return new A2aError(A2A_CODES.unsupported, why, { reason: 'UNSUPPORTED_OPERATION' })
}

export function badField(field: string, why: string): A2aError {
  return new A2aError(A2A_CODES.params, `Invalid ${field}: ${why}`, { reason: 'INVALID_PARAMS', field })
}

export function internal(): A2aError {
  return new A2aError(A2A_CODES.internal, 'Internal error', { reason: 'INTERNAL' })
}

/** What a refusal of the core is in A2A. */
export function translated({ code, message, data }: AgentRefusal): A2aError {
  const as = REFUSALS.get(code)
  if (as === undefined) return internal()
  const details = as.limits === true ? retryAfter(data) : texts(data)
  const { reason, status } = as
  const numbered = status === undefined ? A2A_CODES.params : A2A_CODES.refused
  return new A2aError(numbered, message, { reason, ...(status === undefined ? {} : { status }), ...details })
}

/** Without a status it is about the parameters. */
const REFUSALS: ReadonlyMap<number, Pick<Details, 'reason' | 'status'> & { readonly limits?: true }> =
  new Map([
    [AOI_CODES.busy, { reason: 'AGENT_BUSY', status: 503, limits: true }],
    [AOI_CODES.rate, { reason: 'RATE_LIMIT_EXCEEDED', status: 429, limits: true }],
    [AOI_CODES.denied, { reason: 'PERMISSION_DENIED', status: 403 }],
    [AOI_CODES.timeout, { reason: 'TIMEOUT', status: 504 }],
    [AOI_CODES.context, { reason: 'CONTEXT_NOT_FOUND' }],
    [AOI_CODES.agent, { reason: 'AGENT_NOT_FOUND' }],
    [AOI_CODES.params, { reason: 'INVALID_PARAMS' }],
  ])

const DEFAULT_RETRY_S = 5

function retryAfter(data: AgentRefusal['data']): Pick<Details, 'headers'> {
  const { retry_after: said = DEFAULT_RETRY_S } = data ?? {}
  return { headers: { 'Retry-After': String(said) } }
}

/** Metadata of ErrorInfo holds only text. */
function texts(data: AgentRefusal['data']): Pick<Details, 'metadata'> {
  if (data === undefined) return {}
  const entries = Object.entries(data).map(
    ([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)] as const,
  )
  return { metadata: Object.fromEntries(entries) }
}

/** The member `error` of a JSON-RPC response. */
export function errorObject({ code, message, details }: A2aError): object {
  const { reason, field, metadata } = details
  const info = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason,
    domain: A2A_REASONS.has(reason) ? 'a2a-protocol.org' : 'neo-rooms',
    ...(metadata === undefined ? {} : { metadata }),
  }
  if (field === undefined) return { code, message, data: [info] }
  const wrong = {
    '@type': 'type.googleapis.com/google.rpc.BadRequest',
    fieldViolations: [{ field, description: message }],
  }
  return { code, message, data: [info, wrong] }
}
