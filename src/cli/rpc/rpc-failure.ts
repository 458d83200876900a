/**
 * What the hub refuses, as commands end: with three lines and an exit code.
 */
import { NeoError, type NeoErrorCode } from '../../domain/home/error.ts'
import { HUB_CODES, HubError } from '../../hub/hub.ts'

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

/** Runs it; what the hub refuses ends with its exit code and, where given, with what to do next. */
export async function asked<T>(next: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof HubError ? failureOf(error, { why: whyOf(error.data), next }) : error
  }
}

/** The failure that a command ends with. */
export function failureOf(
  error: HubError,
  { why, next }: { readonly why: string; readonly next: string },
): NeoError {
  return new NeoError(EXITS[error.code], error.message, {
    ...(why === '' ? {} : { why }),
    ...(next === '' ? {} : { next }),
    cause: error,
  })
}

/** The reason that an error of the hub gives beside its message; empty where it gives none. */
export function whyOf(data: unknown): string {
  return typeof data === 'object' && data !== null && 'why' in data ? String(data.why) : ''
}

/** Where a daemon went away after it was asked. */
export function unknownEnd(why: string): NeoError {
  return new NeoError('failed', 'Cannot tell whether it was done: the daemon ended before it answered', {
    why,
    next: 'neo status shows how it stands; then the same command again where it is not done',
  })
}
