/**
 * Values as YAML on one line, in a form that YAML 1.1 and 1.2 readers agree on: `no`, dates, times and text that
 * looks like a number are quoted. Invariant 1: `yaml` reads the text back as the value (a property test).
 */

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

export type Quote = 'double' | 'single' | 'none'

const SPECIAL = /^(?:y|n|yes|no|on|off|true|false|null|nan|inf|e[-+]?\d+)$/i
/** A letter, a path, or a duration: starts that each YAML version reads as text. */
const START = /^(?:[\p{L}_]|\.{0,2}\/|\d{1,9}(?:ms|s|m|h)$)/u
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that YAML cannot hold bare.
const UNPRINTABLE = /[\x00-\x1f\x7f-\xa0\u2028\u2029\ufeff\ufffe\uffff\p{Cs}]/u

/** A value on one line; maps and lists in flow style. `quote`: the previous style, kept if possible. */
export function inlineText(value: Json, quote: Quote = 'none'): string {
  return text(value, { isFlow: false, quote })
}

/** A value inside brackets. */
export function flowText(value: Json, quote: Quote = 'none'): string {
  return text(value, { isFlow: true, quote })
}

/** A key of a map. */
export function keyText(key: string): string {
  return isPlain(key, true) && !key.includes(':') && key.length < 500 ? key : doubleQuoted(key)
}

export function pairLine(key: string, value: Json): string {
  return `${keyText(key)}: ${inlineText(value)}`
}

function text(value: Json, style: { isFlow: boolean; quote: Quote }): string {
  if (typeof value === 'string') return scalarText(value, style)
  if (typeof value === 'number') return numberText(value)
  if (value === null || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return `[${value.map((item) => flowText(item)).join(', ')}]`
  const pairs = Object.entries(value).map(([key, item]) => `${keyText(key)}: ${flowText(item)}`)
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`
}

/** Also writes numbers that JSON doesn't have. */
function numberText(value: number): string {
  if (Number.isNaN(value)) return '.nan'
  if (!Number.isFinite(value)) return value < 0 ? '-.inf' : '.inf'
  return Object.is(value, -0) ? '-0' : String(value)
}

function scalarText(value: string, { isFlow, quote }: { isFlow: boolean; quote: Quote }): string {
  if (quote === 'double' || UNPRINTABLE.test(value)) return doubleQuoted(value)
  if (quote === 'single') return `'${value.replaceAll("'", "''")}'`
  return isPlain(value, isFlow) ? value : doubleQuoted(value)
}

function isPlain(value: string, isFlow: boolean): boolean {
  if (!START.test(value) || SPECIAL.test(value) || UNPRINTABLE.test(value)) return false
  if (value.includes(': ') || value.includes(' #') || /[:\s]$/.test(value)) return false
  return !isFlow || !/[,[\]{}]/.test(value)
}

function doubleQuoted(value: string): string {
  return JSON.stringify(value).replaceAll(
    /[\x7f-\xa0\u2028\u2029\ufeff\ufffe\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
