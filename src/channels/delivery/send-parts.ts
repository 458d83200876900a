/**
 * Sends the parts of one message. Invariant 1: each part is announced before it leaves and noted after. Invariant 2: a part
 * that certainly did not leave is taken back, so that it is sent again without the words for a possible duplicate.
 */
import type { Clock } from '../../ports/world.ts'
import type { Progress, Sent } from '../channel.ts'

/** What became of a part; `mayHaveLeft`: the service did not say whether it took it. */
export type PartSent = Sent & { readonly mayHaveLeft?: boolean }

/** Failures that another try may mend, whatever the service; any other kind is final. */
const PASSING = [
  /** The service refuses the login. */
  'token',
  'conflict',
  'flood',
  /** The chat has a new id. */
  'moved',
  'server',
  /** Nothing was sent. */
  'network',
  /** Nobody knows whether it was taken. */
  'unsure',
] as const

export type PassingKind = (typeof PASSING)[number]

/** Why a service did not take a part. */
export interface Failure {
  readonly kind: string
  readonly why: string
  readonly afterMs?: number
}

export function sentAs({ kind, why, afterMs }: Failure): PartSent {
  if (!PASSING.some((one) => one === kind)) return { kind: 'never', why }
  const later = { kind: 'later', why, mayHaveLeft: kind === 'unsure' } as const
  return afterMs === undefined ? later : { ...later, afterMs }
}

const NOT_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** What a failed request means, by the code of node's error: whether anything left. */
export function networkKind(error: unknown): 'network' | 'unsure' {
  const { code, cause } = (error ?? {}) as {
    readonly code?: string
    readonly cause?: { readonly code?: string }
  }
  return NOT_SENT.has(code ?? cause?.code ?? '') ? 'network' : 'unsure'
}

export interface Sending {
  readonly progress: Progress
  readonly signal: AbortSignal
}

/** @param send the part with this number; `isUnsure`: it may have left before */
export async function sendParts(
  { progress, signal }: Sending,
  count: number,
  send: (part: number, isUnsure: boolean) => Promise<PartSent>,
): Promise<Sent> {
  for (let part = progress.sent; part < count; part++) {
    if (signal.aborted) return { kind: 'later', why: 'closing' }
    progress.begin(part)
    const { mayHaveLeft = false, ...sent } = await send(part, progress.unsure && part === progress.sent)
    if (sent.kind !== 'sent') {
      if (!mayHaveLeft) progress.undone(part)
      return sent
    }
    progress.did(part)
  }
  return { kind: 'sent' }
}

/** A message that is not answered for so long may have been sent; a file takes its time on a slow line. */
export const STALLS = { message: 60_000, file: 10 * 60_000 } as const
const GRACE_MS = 3_000

/**
 * The signal of one request. A request that is under way when the channel closes gets a little time: if it were cut off, it
 * would be unknown whether it left. An answer that has arrived while this process was busy is read first.
 */
export function requestSignal(
  clock: Pick<Clock, 'after'>,
  closing: AbortSignal,
  stallMs: number = STALLS.message,
): { readonly signal: AbortSignal; forget(): void } {
  const abort = new AbortController()
  const cut = (): void => void setImmediate(() => abort.abort())
  const stall = clock.after(stallMs, cut)
  let grace = (): void => {}
  const onClose = (): void => {
    grace = clock.after(GRACE_MS, cut)
  }
  if (closing.aborted) onClose()
  closing.addEventListener('abort', onClose, { once: true })
  return {
    signal: abort.signal,
    forget() {
      stall()
      grace()
      closing.removeEventListener('abort', onClose)
    },
  }
}
