/**
 * What people say and what is never kept: values of passwords, PINs, codes, cards, tokens, in several languages.
 * Invariant 1: masking twice gives the same as once. Better one harmless value masked than one secret kept.
 */

import { answeredSpans } from '../said-secrets/secret-answers.ts'
import { composedSpans } from '../said-secrets/secret-composed.ts'
import { openedSpans } from '../said-secrets/secret-opened.ts'
import { phraseSpans, typedSpans } from '../said-secrets/secret-phrases.ts'
import { shapedSpans } from '../said-secrets/secret-shapes.ts'
import { spansIn } from '../said-secrets/secret-spans.ts'
import { type Span, saidText } from '../said-secrets/secret-text.ts'
import { openedWideSpans, wideSpans } from '../said-secrets/secret-wide.ts'
import { numberedSpans } from './card-numbers.ts'
import { redact } from './redact.ts'

const MASK = '***'

export interface Masked {
  readonly text: string
  /** What was masked, by name. */
  readonly keys: readonly string[]
}

export function maskSecrets(text: string): Masked {
  const said = saidText(text)
  const spans = [
    spansIn,
    openedSpans,
    wideSpans,
    openedWideSpans,
    phraseSpans,
    numberedSpans,
    shapedSpans,
    answeredSpans,
    composedSpans,
    typedSpans,
  ].flatMap((find) => find(said))
  const merged = mergedSpans(text, spans)
  const ends = [0, ...merged.map(({ to }) => to)]
  const parts = [...merged.map(({ from }) => from), text.length].map((to, at) => text.slice(ends[at], to))
  const masked = parts.join(MASK)
  const keys = merged.map(({ key }) => key)
  const shaped = redact(masked)
  return { text: shaped, keys: shaped === masked ? keys : [...keys, 'token'] }
}

/** In order; what overlaps, or is parted by a space alone, is one. */
function mergedSpans(text: string, spans: readonly Span[]): readonly Span[] {
  const merged: Span[] = []
  for (const span of spans.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    const last = merged.at(-1)
    const isNext =
      last !== undefined && (span.from <= last.to || /^[ -]+$/.test(text.slice(last.to, span.from)))
    if (isNext) merged[merged.length - 1] = { ...last, to: Math.max(last.to, span.to) }
    else merged.push(span)
  }
  return merged
}
