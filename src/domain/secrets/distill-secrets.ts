/**
 * Secrets in what people say, which are never kept: passwords, PINs, codes, cards and tokens, in several languages.
 * Also numbers that are secrets by themselves: payment cards (Luhn), bank accounts (IBAN), licence keys, wallet
 * phrases.
 * Invariant 1: masking twice gives the same as masking once. It is better to mask a harmless value than to keep a
 * secret.
 */
import { answeredSpans } from '../said-secrets/secret-answers.ts'
import { composedSpans } from '../said-secrets/secret-composed.ts'
import { openedSpans } from '../said-secrets/secret-opened.ts'
import { phraseSpans, typedSpans } from '../said-secrets/secret-phrases.ts'
import { shapedSpans } from '../said-secrets/secret-shapes.ts'
import { spansIn } from '../said-secrets/secret-spans.ts'
import { type SaidText, saidText, type Span } from '../said-secrets/secret-text.ts'
import { openedWideSpans, wideSpans } from '../said-secrets/secret-wide.ts'
import { MASK } from './mask-literals.ts'
import { redact } from './redact.ts'

interface Masked {
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

const CARD = /(?<![\p{L}\p{N}.-])[2-6]\d{3}(?:[ -]?\d{2,6}){2,4}(?![\p{L}\p{N}]|[./-]\d)/gu
/** What is behind a card's number: the month and year that it ends, and the code on its back. */
const ENDS =
  /^[^\n]{0,30}?(?:(?<!\d)(?:0[1-9]|1[0-2])\s?[/-]\s?(?:20)?[2-4]\d(?!\d)|(?:exp|valid|有效|期限|g[üu]ltig|v[áa]l|scad|cad|geldig|ważn|до|kullanma)\D{0,12}(?:0[1-9]|1[0-2])[2-4]\d(?!\d))/iu
const BACK = /(?<![\p{L}\p{N}/.,:-])\d{3,4}(?![\p{L}\p{N}/:€$£%]|[.,-]\d)/gu
const IBAN =
  /(?<![\p{L}\p{N}])[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,3})?(?![\p{L}\p{N}])/giu
/** As a wallet prints it: 12, 15, 18, 21 or 24 short words in lower case. */
const WORDS = /(?<=^|[:\n"“]\s{0,3})(?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8}(?=\s*(?:$|[\n".”]))/g
/** As software prints the key of a licence: three and more groups in capitals and digits. */
const LICENCE = /(?<![\p{L}\p{N}-])[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){2,8}(?![\p{L}\p{N}-])/gu
/** Five groups of six digits and more: what restores an encrypted disk. */
const RESTORES = /(?<![\p{L}\p{N}-])\d{6}(?:-\d{6}){4,}(?![\p{L}\p{N}-])/gu
const COUNTS = new Set([12, 15, 18, 21, 24])
const PROSE =
  /\b(?:the|and|are|was|for|with|that|this|have|has|not|but|you|they|from|will|would|our|his|her|its|der|die|das|und|ist|mit|des|les|est|une|los|las|con|per|che)\b/

function numberedSpans({ text }: SaidText): readonly Span[] {
  const cards = spans(text, CARD, 'card number').filter((span) => isCardHere(text, span))
  const accounts = spans(text, IBAN, 'iban').filter((span) => isIban(text.slice(span.from, span.to)))
  const phrases = spans(text, WORDS, 'recovery phrase').filter(({ from, to }) =>
    isPhrase(text.slice(from, to)),
  )
  const licences = spans(text, LICENCE, 'key').filter(({ from, to }) => isLicence(text.slice(from, to)))
  const backs = cards.flatMap((card) => backsOf(text, card))
  const restoring = spans(text, RESTORES, 'recovery key')
  return [...cards, ...backs, ...restoring, ...accounts, ...phrases, ...licences]
}

function spans(text: string, pattern: RegExp, key: string): Span[] {
  return [...text.matchAll(pattern)].map((found) => ({
    from: found.index,
    to: found.index + found[0].length,
    key,
  }))
}

/** By its checksum, or as four groups with the month that it ends behind them. */
function isCardHere(text: string, { from, to }: Span): boolean {
  const isGrouped = /^\d{4}(?:[ -]\d{4}){3}$/.test(text.slice(from, to))
  return (isGrouped && ENDS.test(text.slice(to, to + 45))) || isCard(digitsOf(text, { from, to, key: '' }))
}

/** The code on the back: three or four digits in the same line that are no month and no year. */
function backsOf(text: string, card: Span): readonly Span[] {
  const line = /^[^\n]{0,90}/.exec(text.slice(card.to))?.[0] ?? ''
  return [...line.matchAll(BACK)]
    .filter(({ 0: code }) => !/^20[2-4]\d$|^(?:0[1-9]|1[0-2])[2-4]\d$/.test(code))
    .map(({ index, 0: code }) => ({
      from: card.to + index,
      to: card.to + index + code.length,
      key: 'security code',
    }))
}

function digitsOf(text: string, { from, to }: Span): string {
  return text.slice(from, to).replaceAll(/\D/g, '')
}

function isCard(digits: string): boolean {
  if (digits.length < 13 || digits.length > 19 || /^(\d)\1+$/.test(digits)) return false
  const sum = [...digits].toReversed().reduce((all, char, at) => {
    const digit = Number(char) * (at % 2 === 0 ? 1 : 2)
    return all + (digit > 9 ? digit - 9 : digit)
  }, 0)
  return sum % 10 === 0
}

function isIban(text: string): boolean {
  const plain = text.replaceAll(/[ -]/g, '').toUpperCase()
  if (plain.length < 15 || plain.length > 34) return false
  const moved = plain.slice(4) + plain.slice(0, 4)
  let rest = 0
  for (const char of moved) {
    const value = Number.parseInt(char, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest === 1
}

function isPhrase(text: string): boolean {
  return COUNTS.has(text.split(/[ ,]+/).length) && !PROSE.test(text)
}

/** Letters and digits are mixed in two groups at least, unlike in `ISO-8601-2004`. */
function isLicence(text: string): boolean {
  return text.split('-').filter((group) => /[A-Z]/.test(group) && /\d/.test(group)).length > 1
}
