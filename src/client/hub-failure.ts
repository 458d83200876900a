/** What the hub refuses, as commands end: with three lines and an exit code. */
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
 * @param message in place of the hub's own
 */
export function failureOf(
  error: HubError,
  { why, next, message }: { readonly why?: string; readonly next: string; readonly message?: string },
): NeoError {
  const data = (typeof error.data === 'object' ? error.data : null) as Readonly<
    Record<string, unknown>
  > | null
  const reason = why ?? String(data?.['why'] ?? '')
  const suggested = String(data?.['next'] ?? next)
  return new NeoError(EXITS[error.code], message ?? error.message, {
    ...(reason === '' ? {} : { why: reason }),
    ...(suggested === '' ? {} : { next: suggested }),
    cause: error,
  })
}

interface Issue {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** The error's message, with wrong parameters named as options are: `Invalid depends-on: …` for `updates.dependsOn`. */
export function optionMessage({ message, data }: HubError): string {
  const { issues = [] } = (data ?? {}) as { readonly issues?: readonly Issue[] }
  const all = issues.map(({ path, message: says }) => {
    const key = String(path.findLast((part) => typeof part === 'string') ?? '').replace(/Id$/, '')
    const option = key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    return option === '' ? null : `Invalid ${option}: ${says}`
  })
  return all.length === 0 || all.includes(null) ? message : all.join('; ')
}

/** If a daemon ends after it was asked. */
export function unknownEnd(why: string): NeoError {
  return new NeoError('failed', 'Cannot tell whether it was done: the daemon ended before it answered', {
    why,
    next: 'look with neo status; if it was not done, run the command again',
  })
}
