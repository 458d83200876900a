/**
 * The gate before everything that acts on a home's files: runs their commands, or sends keys where they say. Invariant
 * 1: a home that this user has neither made nor trusted runs nothing and is sent no key. Invariant 2: what has changed
 * since in the lines of lines.ts waits for the person again.
 */
import { NeoError } from '../../domain/home/error.ts'
import { shownTrust, type TrustLine } from '../../domain/policy/trust-lines-of.ts'
import type { Call } from '../spec.ts'
import { printOf, trustLines } from './trust-lines.ts'
import { keepTrust, trustedHome, type Where } from './trust-store.ts'

export type Trust =
  | { readonly kind: 'trusted' }
  | { readonly kind: 'new'; readonly lines: readonly TrustLine[] }
  /** `lines`: those that were not trusted. */
  | { readonly kind: 'changed'; readonly lines: readonly TrustLine[] }

/** Lines that a refusal names. */
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

/** Remembers the home as it is now. */
export function trustNow(where: Where, lines = trustLines(where.home, where.files)): void {
  keepTrust(where, lines.map(printOf))
}

/** Throws NeoError `refused` with what to do. `NEO_TRUST=1` and `--trust` are a yes for this one command. */
export function ensureTrusted(call: Call, of: Omit<Where, 'env'>): void {
  const why = whyNotTrusted(call, of)
  if (why === null) return
  throw new NeoError('refused', `Cannot act on ${of.home}: ${why}`, {
    why: 'its files decide which commands run as you and where your keys are sent',
    next: 'neo trust --show, then neo trust; for one command, as in CI: NEO_TRUST=1',
  })
}

/** Null where it is trusted. */
export function whyNotTrusted(call: Call, of: Omit<Where, 'env'>): string | null {
  const { env } = call.around
  if (env['NEO_TRUST'] === '1' || call.isSet('trust')) {
    onlyOnce({ ...of, env })
    return null
  }
  const trust = trustOf({ ...of, env })
  if (trust.kind === 'trusted') return null
  if (trust.kind === 'new') return 'you have not trusted this home yet'
  const named = trust.lines.slice(0, MOST_NAMED).map(shownTrust)
  const rest = trust.lines.length - named.length
  return `this has changed since you trusted it: ${named.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`
}

/** What this one command leaves in the git folder is no sign that the home was trusted. */
function onlyOnce(where: Where): void {
  if (trustedHome(where) !== null) return
  try {
    keepTrust(where, null)
  } catch {
    // Where nothing can be remembered, nothing is taken for trust later either.
  }
}
