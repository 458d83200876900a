/**
 * Numbers that are secrets by themselves: payment cards (Luhn), bank accounts (IBAN), keys of licences, and phrases that
 * restore a wallet.
 * Takes a text; gives where they stand. Pure.
 */
import type { Span } from './secret-spans.ts'

const CARD = /(?<![\p{L}\p{N}.-])[3-6]\d{3}(?:[ -]?\d{2,6}){2,4}(?![\p{L}\p{N}]|[.-]\d)/gu
const IBAN =
  /(?<![\p{L}\p{N}])[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,3})?(?![\p{L}\p{N}])/giu
/** As a wallet prints it: 12, 15, 18, 21 or 24 short words in lower case. */
const WORDS = /(?<=^|[:\n"“]\s{0,3})(?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8}(?=\s*(?:$|[\n".”]))/g
/** As software prints the key of a licence: three and more groups in capitals and digits. */
const LICENCE = /(?<![\p{L}\p{N}-])[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){2,8}(?![\p{L}\p{N}-])/gu
const COUNTS = new Set([12, 15, 18, 21, 24])
const PROSE =
  /\b(?:the|and|are|was|for|with|that|this|have|has|not|but|you|they|from|will|would|our|his|her|its|der|die|das|und|ist|mit|des|les|est|une|los|las|con|per|che)\b/

export function numberedSpans(text: string): readonly Span[] {
  const cards = spans(text, CARD, 'card number').filter((span) => isCard(digitsOf(text, span)))
  const accounts = spans(text, IBAN, 'iban').filter((span) => isIban(text.slice(span.from, span.to)))
  const phrases = spans(text, WORDS, 'recovery phrase').filter(({ from, to }) =>
    isPhrase(text.slice(from, to)),
  )
  const licences = spans(text, LICENCE, 'key').filter(({ from, to }) => isLicence(text.slice(from, to)))
  return [...cards, ...accounts, ...phrases, ...licences]
}

function spans(text: string, pattern: RegExp, key: string): Span[] {
  return [...text.matchAll(pattern)].map((found) => ({
    from: found.index,
    to: found.index + found[0].length,
    key,
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
