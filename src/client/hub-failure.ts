/**
 * What the hub refuses, as commands end: with three lines and an exit code.
 */
import { NeoError, type NeoErrorCode } from '../domain/home/error.ts'
import { HUB_CODES, type HubError } from '../hub/hub.ts'

const EXITS: Readonly<Record<HubError['code'], NeoErrorCode>> = {
  [HUB_CODES.parse]: 'usage',
  [HUB_CODES.request]: 'usage',
  [HUB_CODES.method]: 'usage',
  [HUB_CODES.params]: 'usage',
  [HUB_CODES.denied]: 'refused',
  [HUB_CODES.missing]: 'missing',
  [HUB_CODES.busy]: 'failed',
  [HUB_CODES.internal]: 'internal',
}

/**
 * The failure that a command ends with.
 * @param why in place of the hub's own reason
 * @param next if the hub suggests nothing
 */
export function failureOf(
  error: HubError,
  { why, next }: { readonly why?: string; readonly next: string },
): NeoError {
  const data = (typeof error.data === 'object' ? error.data : null) as Readonly<
    Record<string, unknown>
  > | null
  const reason = why ?? String(data?.['why'] ?? '')
  const suggested = String(data?.['next'] ?? next)
  return new NeoError(EXITS[error.code], error.message, {
    ...(reason === '' ? {} : { why: reason }),
    ...(suggested === '' ? {} : { next: suggested }),
    cause: error,
  })
}

/** If a daemon ends after it was asked. */
export function unknownEnd(why: string): NeoError {
  return new NeoError('failed', 'Cannot tell whether it was done: the daemon ended before it answered', {
    why,
    next: 'look with neo status; if it was not done, run the command again',
  })
}
