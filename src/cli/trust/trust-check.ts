/**
 * Checks trust before a command acts on a home's files. Invariant 1: a home that this user neither created nor trusted
 * runs no command and gets no key. Invariant 2: if a line of trust-lines.ts changes, the user has to trust it again.
 */
import { NeoError } from '../../domain/home/error.ts'
import { shownTrust, type TrustLine } from '../../domain/policy/trust-lines-of.ts'
import type { Call } from '../spec.ts'
import { printOf, trustLines } from './trust-lines.ts'
import { keepTrust, trustedHome, type Where } from './trust-store.ts'

export type Trust =
  | { readonly kind: 'trusted' }
  | { readonly kind: 'new'; readonly lines: readonly TrustLine[] }
  /** `lines`: the ones that are not trusted. */
  | { readonly kind: 'changed'; readonly lines: readonly TrustLine[] }

/** Lines that an error names. */
const MOST_NAMED = 3

export function trustOf(where: Where): Trust {
  const lines = trustLines(where.home, where.files)
  const known = trustedHome(where)
  if (known === null || known.prints === null) return { kind: 'new', lines }
  const prints = new Set(known.prints)
  const changed = lines.filter((line) => !prints.has(printOf(line)))
  return changed.length === 0 ? { kind: 'trusted' } : { kind: 'changed', lines: changed }
}

export function isTrusted(where: Where): boolean {
  return where.env['NEO_TRUST'] === '1' || trustOf(where).kind === 'trusted'
}

/** Stores that the home is trusted as it is now. */
export function trustNow(where: Where, lines = trustLines(where.home, where.files)): void {
  keepTrust(where, lines.map(printOf))
}

/** Throws NeoError `refused` if the home is not trusted. `NEO_TRUST=1` and `--trust` trust it for one command. */
export function ensureTrusted(call: Call, of: Omit<Where, 'env'>): void {
  const why = whyNotTrusted(call, of)
  if (why === null) return
  throw new NeoError('refused', `Cannot act on ${of.home}: ${why}`, {
    why: 'its files decide which commands run as you, and where your keys are sent',
    next: 'run neo trust --show, then neo trust; for one command, such as in CI: NEO_TRUST=1',
  })
}

/** Null if it is trusted. */
export function whyNotTrusted(call: Call, of: Omit<Where, 'env'>): string | null {
  const { env } = call.around
  if (env['NEO_TRUST'] === '1' || call.isSet('trust')) {
    recordUntrusted({ ...of, env })
    return null
  }
  const trust = trustOf({ ...of, env })
  if (trust.kind === 'trusted') return null
  if (trust.kind === 'new') return 'you do not trust this home yet'
  const named = trust.lines.slice(0, MOST_NAMED).map(shownTrust)
  const rest = trust.lines.length - named.length
  return `it changed since you trusted it: ${named.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`
}

/** Records that the home is not trusted: files that this command leaves in the git folder must not look like trust. */
function recordUntrusted(where: Where): void {
  if (trustedHome(where) !== null) return
  try {
    keepTrust(where, null)
  } catch {
    // If this can't be stored, no trust can be stored either.
  }
}
